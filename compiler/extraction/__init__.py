"""From the weights of a model back to a state graph, and to source."""
