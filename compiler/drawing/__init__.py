"""Drawing: state graphs, how they are laid out, and the files that show them."""
