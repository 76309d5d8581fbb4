"""What may happen on all worlds or inputs at once: windows, strips, neighbourhoods, and how they begin."""
