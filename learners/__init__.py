"""What learns tables from traces. The only package that may need torch."""
