"""The worlds and results of `test` lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gridlang.clauses.given_inputs import input_error
from gridlang.diagnostics import Fault, respelt
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax.unparse import expression, state_name
from gridlang.table import Table
from gridlang.vocabulary import HALT
from gridlang.world import Cell, World, picture_result, picture_world, string_world


def test_world(test: s.Test, symbols: tuple[str, ...]) -> World:
    if isinstance(test.world, s.Picture):
        return picture_world(test.world.inside, symbols)
    _known(test.world, symbols)
    return string_world(test.world.value)


class Expected(NamedTuple):
    """A result that a test expects, and the cell where the head ends, if the test marks one."""

    cells: Mapping[Cell, str]
    head: Cell | None = None

    @property
    def result(self) -> str:
        return World(self.cells).text

    def has_head_at(self, cells: Mapping[Cell, str], head: Cell) -> bool:
        """Whether a head stands there beside equal cells; true where no cell is left to compare with."""
        mine, other = World(self.cells).origin, World(cells).origin
        if self.head is None or mine is None or other is None:
            return True
        return all(self.head[axis] - mine[axis] == head[axis] - other[axis] for axis in (0, 1))


def expected_result(test: s.Test, symbols: tuple[str, ...]) -> Expected | None:
    """The result that a test expects; None when it expects none in particular."""
    if test.result is None:
        return None
    if isinstance(test.result, s.Picture):
        return Expected(*picture_result(test.result.inside, symbols))
    _known(test.result, symbols)
    return Expected(string_world(test.result.value).cells)


def expected_state(test: s.Test, table: Table, states: Iterable[s.StateDecl]) -> str | None:
    """The state of a table that a test expects to halt in, as `states` declare them; None if it expects none.

    GridError if there is no such state, or it is never reached.
    """
    if test.state is None:
        return None
    first = {name.name: state.header.names[0].name for state in states for name in state.header.names}
    label = _label(test.state, first)
    if label in table.states:
        return label
    span, valued = test.state.span, "states of a family have their values, as in `carry(1)`"
    hint, fixes = respelt(label, table.states, span, valued, _spelt)
    if label == HALT:
        hint, fixes = "no step leads to `halt`; `halts` alone accepts any state", ()
    fixes = tuple(fix._replace(sure=False) for fix in fixes)  # only the writer knows what a test expects
    message, where = f"no state named `{label}` is reached", "not a state of the table"
    raise Fault("G020", message, span, where, hint, fixes=fixes)


def _spelt(label: str) -> str:
    """A state as a test names it, quoted unless its arguments are numbers and names."""
    return label if re.fullmatch(r"\w+\([\w,]+\)", label) else state_name(label)


def _label(node: s.Expr, first: Mapping[str, str]) -> str:
    """The name of a state in a table: its first name, with its arguments."""
    if isinstance(node, s.Call):
        return f"{first.get(node.name.name, node.name.name)}({','.join(_label(a, first) for a in node.args)})"
    if isinstance(node, s.Symbol | s.Direction):
        return node.char if isinstance(node, s.Symbol) else node.move
    name = node.value if isinstance(node, s.Text) else expression(node)
    return first.get(name, name)


def _known(text: s.Text, symbols: tuple[str, ...]) -> None:
    inside = Span(text.span.source, text.span.start + 1, text.span.end - 1)
    if error := input_error(None, text.value, symbols, inside):
        raise error
