"""Which inputs, worlds and reads are recorded: drawn at random, or chosen by what they show."""
