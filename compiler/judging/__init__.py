"""How a learned model is judged: compared with its expert, proven equal, or shown where it differs."""
