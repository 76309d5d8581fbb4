"""The part of `verify` that checks values: (V12) is in `values`."""
