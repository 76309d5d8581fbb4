"""What is proven of one agent: that it is never stuck, and that it leaves what its output clause says."""
