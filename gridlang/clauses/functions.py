"""What the `output` and `where` clauses are made of: kinds, functions, arithmetic, words for verdicts."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

NUMBER, TEXT, TRUTH, ROW, VERDICT = "number", "text", "truth", "row", "verdict"


class Acceptance(Enum):
    """What an output clause may ask for instead of a result: that a run halts, or that it gets stuck."""

    ACCEPT = "accept"
    STUCK = "stuck"


ACCEPTANCES = tuple(each.value for each in Acceptance)
# Other words for them, and the one that is meant.
OTHER_WORDS = {
    **dict.fromkeys(("accepts", "accepted", "halt", "halts", "halted", "yes"), "accept"),
    **dict.fromkeys(("reject", "rejects", "rejected", "fail", "fails", "no"), "stuck"),
}


class Function(NamedTuple):
    """Kinds of the arguments (the last repeats if `more`), and the kind of the result."""

    takes: tuple[str, ...]
    gives: str
    more: bool = False


FUNCTIONS = {
    "reverse": Function((TEXT,), TEXT),
    "sorted": Function((TEXT,), TEXT),
    "join": Function((TEXT,), TEXT, more=True),
    "repeat": Function((TEXT, NUMBER), TEXT),
    "cancel": Function((TEXT, TEXT), TEXT, more=True),
    "replace": Function((TEXT, TEXT, TEXT), TEXT),
    "every": Function((TEXT, NUMBER, NUMBER), TEXT),
    "count": Function((TEXT, TEXT), NUMBER),
    "length": Function((TEXT,), NUMBER),
    "number": Function((TEXT,), NUMBER),
    "value": Function((TEXT,), NUMBER),
    "text": Function((NUMBER,), TEXT),
    "sqrt": Function((NUMBER,), NUMBER),
    "abs": Function((NUMBER,), NUMBER),
    "min": Function((NUMBER,), NUMBER, more=True),
    "max": Function((NUMBER,), NUMBER, more=True),
    "gcd": Function((NUMBER,), NUMBER, more=True),
    "xor": Function((NUMBER,), NUMBER, more=True),
    "sum": Function((NUMBER,), NUMBER, more=True),
    "fold": Function((TEXT,), TEXT),  # only as a loop
}
FOLD = "fold"
LOOPS = (FOLD, *(name for name, function in FUNCTIONS.items() if function.more and len(function.takes) == 1))
SAME_SYMBOLS = ("reverse", "sorted", "every", "cancel")  # functions that only leave out or move symbols
ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "^": lambda a, b: a**b,
}
ORDER = ("<", "<=", ">", ">=")
HOW_TO_FOLD = "write fold(STEP for x in WORD from s = START)"


@lru_cache(maxsize=1_000)  # asked for each symbol that a loop goes through
def counts(chars: str) -> bool:
    """Whether a class counts 0, 1, 2 … in order, so that its strings are numbers."""
    return len(chars) > 1 and all(c == str(i) if i < 10 else not c.isdigit() for i, c in enumerate(chars))
