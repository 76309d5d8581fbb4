"""Worlds in files: pictures as text, and PNG images."""
