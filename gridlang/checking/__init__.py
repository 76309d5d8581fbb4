"""Checks before an agent has a table: its names, and the kinds of its expressions."""
