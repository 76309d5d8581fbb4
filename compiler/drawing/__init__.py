"""State graphs as pictures and pages: table to graph, to layout, to SVG, DOT and HTML."""
