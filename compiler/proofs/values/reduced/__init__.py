"""Reduced words: what an agent leaves of words in which letters cancel."""
