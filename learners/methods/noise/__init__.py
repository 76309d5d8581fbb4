"""Traces whose reads, writes and moves are partly wrong: making them, cleaning them, learning from them."""
