"""Checks certificates that no smaller machine does what traces show; it shares no code with the search."""
