"""The limits of lowering: nobody means more, and it would take for ever."""

from __future__ import annotations

from typing import NamedTuple

from gridlang.table import MAX_STATES


class Limits(NamedTuple):
    """How large an agent may be on its way to a table."""

    number: int = 10**9  # unchecked, a state that multiplies grows its parameter for ever
    family: int = 1_000_000  # declared states of one family, of which few may be reached
    choices: int = 2 * MAX_STATES  # states made, with those that only `as` leads to
    nested_states: int = 16  # depth of states passed to states
    states_inside: int = 100  # states in one instance: two parameters passed on twice double it at each step
    word: int = 1_000  # letters; each takes a state, named after the letters that follow
    imports: int = 20  # files in a chain of `from`; each costs a parse
    errors: int = 30  # more in one file tell nothing new
    offered: int = 8  # states of a library in a hint


LIMITS = Limits()
