"""Proofs by values that use the condition of the inputs, or of a branch."""
