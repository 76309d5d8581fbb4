"""From a tree to a table: its `alphabet`, the values of `parameters`, states to `rules`, rules to `rows`."""
