"""A checker of certificates that is proven sound in Rocq, and certificates as theorems for Rocq's kernel."""
