"""Simulators in C, made from a table, compiled once and cached."""
