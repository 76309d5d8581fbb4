"""Learning by linear algebra, from questions or from traces."""
