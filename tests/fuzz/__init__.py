"""Fuzzing: files that nobody meant to write, given to every command that reads such files."""
