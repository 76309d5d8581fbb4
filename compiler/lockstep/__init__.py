"""Models in lockstep with agents, and on traces."""
