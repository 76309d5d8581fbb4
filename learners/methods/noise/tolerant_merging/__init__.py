"""State merging that allows for noise: a fold may call some records lies, where most agree."""
