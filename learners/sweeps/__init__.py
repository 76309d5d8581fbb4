"""Many trainings at once, on processes of this machine or on Ray."""
