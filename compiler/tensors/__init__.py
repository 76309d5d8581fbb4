"""Tables as weights: DFSTs, their files, and models in closed loop."""
