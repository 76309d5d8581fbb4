"""Rounds of trace, train, extract and prove, until what was learned is proven."""
