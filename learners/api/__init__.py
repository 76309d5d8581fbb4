"""The way in to learning: traces, training, evaluation, extraction, proofs and pictures."""
