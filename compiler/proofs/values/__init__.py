"""Values: what an agent computes, as polynomials that every step keeps."""
