"""The ways to learn an agent from its traces, behind one protocol."""
