"""Submissions of a class, each held against an expert in a process of its own."""
