"""The part of `verify` that checks folds: (V10) is in `folds`."""
