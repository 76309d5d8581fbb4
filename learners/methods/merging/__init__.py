"""State merging: from traces to the table of an agent, by folding the tree of what was seen into itself."""
