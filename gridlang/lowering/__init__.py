"""From a tree and the values of parameters to a table: `alphabet`, `rules` of states, `rows`."""
