"""The tests of a file, and the search for an input that its output clause gets wrong."""
