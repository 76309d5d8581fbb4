"""Worlds in files: pictures as text, PNG images, numpy arrays and Golly's run lengths."""
