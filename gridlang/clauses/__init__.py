"""What `input`, `output` and `test` lines mean: languages of inputs, expected results, given worlds."""
