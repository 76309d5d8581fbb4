"""From text to a tree and back: tokens, the grammar, the parser, what a syntax error says, the formatter."""
