"""The checker of certificates: it uses no code of the proofs that it checks."""
