"""Proofs that two tables do the same, and worlds on which they do not."""
