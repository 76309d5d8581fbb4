"""Text from files as a terminal may show it: one line, and nothing that moves a cursor or hides text."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""The text with every character that prints nothing of its own, line ends too, escaped as `\x1b`.

    These are control characters, those that change the direction of a text or join others, separators of
    lines, halves of surrogate pairs, and spaces other than the plain one: all that is not printable.

    >>> printable("a\x1b[2J\u202eb")
    'a\\x1b[2J\\u202eb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
