"""What an agent was seen to do: recorded, drawn at random, chosen, measured and stored."""
