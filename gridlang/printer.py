"""From a `Table` to `.grid` source that lowers to the same table."""

from __future__ import annotations

from collections.abc import Iterator

from gridlang.source import Source
from gridlang.syntax.formatter import format_source
from gridlang.syntax.unparse import state_name
from gridlang.table import BLANK, MOVES, Entry, Table
from gridlang.vocabulary import HALT, quote


def table_to_source(table: Table) -> str:
    """A file that declares each state by itself; families are kept as quoted names."""

    parts = ["\n".join(head_lines(table, target_name(table, 0)))]
    for state in range(len(table.states)):
        if not table.is_halt_target(state):
            parts.append("\n".join([f"state {target_name(table, state)}", *_rule_lines(table, state)]))
    return format_source(Source(f"<{table.name}>", "\n\n".join(parts) + "\n"))


def target_name(table: Table, state: int) -> str:
    """A state as a rule's target, quoted unless it is a plain word."""
    return HALT if table.is_halt_target(state) else state_name(table.states[state])


def head_lines(table: Table, start: str) -> Iterator[str]:
    yield f"agent {table.name}"
    yield ""
    if len(table.symbols) > 1:
        yield "alphabet"
        yield from _alphabet(table)
        yield ""
    for word, clause in (("input", table.input), ("output", table.output)):
        if clause:
            yield f"{word} {clause}"
    yield f"start {start}"


def _alphabet(table: Table) -> Iterator[str]:
    """The classes, so that symbols come in their order; where they do not, all are listed first."""
    symbols = list(table.symbols[1:])
    named = [c for _, members in table.classes for c in members if c != BLANK]
    loose = [c for c in symbols if c not in named]
    in_order = list(dict.fromkeys(named + loose)) == symbols
    if not in_order:
        yield "  " + " | ".join(map(quote, symbols))
    for name, members in table.classes:
        yield f"  {name} = {_members(members)}"
    if in_order and loose:
        yield "  " + " | ".join(map(quote, loose))


def _members(members: str) -> str:
    if len(members) > 1 and members in "0123456789":
        return f"{members[0]}..{members[-1]}"
    return " | ".join(map(quote, members))


def _rule_lines(table: Table, state: int) -> Iterator[str]:
    """The rules of a state; symbols that are treated alike share one."""
    groups: dict[str, list[int]] = {}  # by what is done
    for symbol, entry in enumerate(table.rows[state]):
        if entry is not None:
            treatment = _action(table, symbol, entry, state)
            groups.setdefault(treatment, []).append(symbol)
    for action, symbols in groups.items():
        yield f"  {' | '.join(_pattern(table, symbols))} : {action}"


def _pattern(table: Table, symbols: list[int]) -> Iterator[str]:
    """Class names where a whole class is treated alike, single symbols otherwise."""
    chars = [table.symbols[symbol] for symbol in symbols]
    if len(chars) == len(table.symbols):
        yield "any"
        return
    left = list(chars)
    for name, members in sorted(table.classes, key=lambda c: -len(c[1])):
        if len(members) > 1 and set(members) <= set(left):
            yield name
            left = [c for c in left if c not in members]
    yield from map(quote, left)


def _action(table: Table, symbol: int, entry: Entry, state: int) -> str:
    if entry.is_idle(symbol):
        return "halt"
    write = "" if entry.write == symbol else f"write {quote(table.symbols[entry.write])}, "
    arrow = "" if entry.next == state else f" -> {target_name(table, entry.next)}"
    return f"{write}{MOVES[entry.move]}{arrow}"
