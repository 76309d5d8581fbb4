"""What may happen on all worlds or inputs at once: windows, strips, folds, and how they begin."""
