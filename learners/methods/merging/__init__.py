"""State merging: from traces to an agent's table, by folding their prefix tree into itself."""
