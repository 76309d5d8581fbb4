"""Agents from specifications: a search for the smallest one, and its proof."""
