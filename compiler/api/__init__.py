"""The public functions of the compiler."""
