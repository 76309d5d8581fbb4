"""An editor's features for `.grid` files, one module each."""
