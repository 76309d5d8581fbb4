"""From a state graph that nobody wrote to source: families, formulas, names by role."""
