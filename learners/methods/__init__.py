"""The ways to learn a table, and one function for the models of any method."""
