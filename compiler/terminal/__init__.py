"""How programs, runs and verdicts are shown in a terminal."""
