"""`--to dot`: the state graph for graphviz, parallel edges merged."""

from __future__ import annotations

from gridlang.loading import Program
from gridlang.table import MOVES, Entry, Table


def render(program: Program) -> bytes:
    return table_to_dot(program.table).encode()


def table_to_dot(table: Table) -> str:
    """States as nodes; an edge says what is read, what is written and where the head goes."""
    edges: dict[tuple[int, int], dict[tuple[str, str], list[int]]] = {}
    halts: dict[int, list[int]] = {}
    for state, symbol, entry in table.entries():
        if table.is_halt(state, symbol):
            halts.setdefault(state, []).append(symbol)
            continue
        action = _action(table, symbol, entry)
        edges.setdefault((state, entry.next), {}).setdefault(action, []).append(symbol)
    lines = [
        f"digraph {_quoted(table.name)} {{",
        "  rankdir=LR;",
        '  node [shape=box, style=rounded, fontname="sans"];',
    ]
    lines.append('  edge [fontname="sans", fontsize=10];')
    lines += ['  "" [shape=point];', f'  "" -> {_quoted(table.states[0])};']
    for state, name in enumerate(table.states):
        label = f"{name}\n halt on {_symbols(table, halts[state])}" if state in halts else name
        ring = ", peripheries=2" if state in halts else ""
        lines.append(f"  {_quoted(name)} [label={_quoted(label)}{ring}];")
    for (state, after), actions in edges.items():
        label = r"\n".join(
            _escaped(f"{_symbols(table, symbols)} / {write}{move}")
            for (write, move), symbols in actions.items()
        )
        lines.append(f'  {_quoted(table.states[state])} -> {_quoted(table.states[after])} [label="{label}"];')
    return "\n".join([*lines, "}"]) + "\n"


def _action(table: Table, symbol: int, entry: Entry) -> tuple[str, str]:
    write = "" if entry.write == symbol else f"{table.symbols[entry.write]}, "
    return write, MOVES[entry.move]


def _symbols(table: Table, symbols: list[int]) -> str:
    """Class names where a whole class is meant."""
    left = [table.symbols[x] for x in symbols]
    if len(left) == len(table.symbols):
        return "any"
    words = []
    for name, members in sorted(table.classes, key=lambda c: -len(c[1])):
        if len(members) > 1 and set(members) <= set(left):
            words.append(name)
            left = [c for c in left if c not in members]
    return " ".join([*words, *left])


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'
