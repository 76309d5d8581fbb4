"""Text from files as a terminal may show it: one line, and nothing that moves a cursor or hides text."""

from __future__ import annotations

import re

LONG = 100  # symbols; a longer input is abbreviated
LONGEST_SHOWN = 200


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


def quoted_input(text: str) -> str:
    """An input in quotes; in a long one, `0{2000}` stands for as many zeros.

    >>> quoted_input("12+3")
    '"12+3"'
    >>> quoted_input("0" * 2000 + "*" + "1" * 2000)
    '"0{2000}*1{2000}" (4,001 symbols)'
    """
    if len(text) <= LONG:
        return f'"{text}"'
    shown = re.sub(r"(.)\1{11,}", lambda run: f"{run[1]}{{{len(run[0])}}}", text, flags=re.DOTALL)
    if len(shown) > LONGEST_SHOWN:
        shown = f"{shown[: LONGEST_SHOWN // 2]}…{shown[-LONGEST_SHOWN // 2 :]}"
    return f'"{shown}" ({len(text):,} symbols)'
