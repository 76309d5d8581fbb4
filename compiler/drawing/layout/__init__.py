"""Where the boxes and lines of a state graph go: in layers, from sizes alone."""
