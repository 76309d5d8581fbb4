"""Learning by asking: queries of an agent that only answers what it does on reads."""
