"""Shared by commands: options, diagnostics on a terminal, notes, progress."""
