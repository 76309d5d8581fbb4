"""Grades a class: each submission against an expert, in a process of its own."""
