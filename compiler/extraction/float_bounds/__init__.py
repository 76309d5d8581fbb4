"""Bounds on the float weights themselves, without an extracted table in between."""
