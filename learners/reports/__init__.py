"""What a run has come to: read from its folder, measured, drawn, and put on one page."""
