"""Tables as graphs: exploring, comparing, merging and minimising them."""
