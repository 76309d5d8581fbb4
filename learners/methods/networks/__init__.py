"""Recurrent networks and a transformer that read a symbol and say what to write and where to go."""
