"""What an agent does: recorded, drawn at random, chosen, measured and stored."""
