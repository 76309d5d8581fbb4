"""What can be said of an agent before it has a table: its names, and the kinds of its expressions."""
