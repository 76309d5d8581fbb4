"""Logs of anyone's runs as traces: one module a file format, and what a log without an expert can claim."""
