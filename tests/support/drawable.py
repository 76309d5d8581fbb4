"""Programs to draw: the examples, one with a mistake, and one whose names try to break out of the picture."""

from __future__ import annotations

from collections.abc import Callable

from gridlang.compiler.drawing.differences import compare, difference_graph
from gridlang.compiler.drawing.graphs import StateGraph, state_graph
from gridlang.loading import load_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.table import Entry, Table, canonical
from gridlang.world import string_world
from tests.programs import EXAMPLES, PROGRAMS

BY_NAME = {program.name: program for program in PROGRAMS}


WORLDS = [string_world(f"{a}+{b}") for a in ("0", "1", "11", "101") for b in ("0", "1", "11", "110")]


HOSTILE = Table(
    "hostile",
    ("_", "<", "&", '"', "'", "]"),
    (
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "&amp;\\n\\N]]>",
        "\\",
        'a"b',
        "{{ data }}",
        "x" * 300,
    ),
    tuple(
        tuple(Entry((x + 1) % 6, q % 5, (q + x) % 7) if (q + x) % 5 else None for x in range(6))
        for q in range(7)
    ),
    (("all", "<&\"'"),),
)


def example(name: str) -> Program:
    return BY_NAME[name].load()


def bare(table: Table) -> Program:
    return Program(table, "random")


def mutated() -> Program:
    text = (EXAMPLES / "add.grid").read_text().replace(": write c, L -> home", ": write 0, L -> home")
    return load_source(Source("<mutant>", text), {"base": "2"})


def cut() -> Program:
    """add2 without the rules that lead to `look`."""
    table = example("add2").table
    look = table.states.index("look")
    rows = tuple(
        tuple(None if entry and entry.next == look and state != look else entry for entry in row)
        for state, row in enumerate(table.rows)
    )
    return bare(canonical(Table("cut", table.symbols, table.states, rows, table.classes)))


def beside_add2(right: Program) -> StateGraph:
    left = example("add2")
    return difference_graph(left, right, compare(left.table, right.table, WORLDS))


# Pictures that were looked at: tests/golden/pictures has them.
PICTURES: dict[str, Callable[[], StateGraph]] = {
    "increment": lambda: state_graph(example("increment")),
    "palindrome": lambda: state_graph(example("palindrome")),
    "ant": lambda: state_graph(example("ant")),
    "flood": lambda: state_graph(example("flood")),
    "add10": lambda: state_graph(example("add10")),
    "add10_states": lambda: state_graph(example("add10"), False),
    "mult10": lambda: state_graph(example("mult10")),
    "hostile": lambda: state_graph(bare(HOSTILE)),
    "differs": lambda: beside_add2(mutated()),
    "misses": lambda: beside_add2(cut()),
}
