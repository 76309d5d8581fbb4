"""How far a model goes without an error, in lockstep with its expert."""
