"""What input and output clauses and conditions say, read anew."""
