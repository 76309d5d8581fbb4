"""Recorded runs as data, and their files."""
