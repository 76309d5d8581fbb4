"""What is certain of float weights themselves, without an extracted table in between."""
