"""The checker of certificates: it shares no code with the proofs that it checks."""
