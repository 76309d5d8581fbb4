"""What an editor offers for a `.grid` file: each module is one thing it asks for."""
