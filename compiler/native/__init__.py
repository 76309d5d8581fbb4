"""Native simulators: C made from a table, compiled once, called in this process."""
