"""Where the boxes and lines of a state graph go: by graphviz where there is one, else in layers."""
