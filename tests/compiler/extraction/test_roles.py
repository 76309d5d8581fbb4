"""A state that plays two roles is split, where the program gets shorter and is proven to do the same."""

from __future__ import annotations

from dataclasses import replace

from gridlang.compiler.extraction.roles import by_roles
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.weights.families.readable import readable
from gridlang.loading import load
from gridlang.table import STAY, Entry, Table, canonical
from tests.programs import ROOT

ADD7 = load(str(ROOT / "benchmarks" / "agents" / "add7.grid")).table
LEFT = [ADD7.states.index(f"left({v})") for v in range(7)]


def torn() -> Table:
    """add7 as refitted weights have it: one state holds a digit, or makes letters digits, which nobody disturbs."""
    clear, blank = ADD7.states.index("clear"), ADD7.symbols.index("_")
    rows = [list(row) for row in ADD7.rows]
    for v, q in enumerate(LEFT):
        rows[q][blank] = Entry(blank, STAY, q)
        for x, entry in enumerate(ADD7.rows[clear]):
            if entry is not None and not entry.is_idle(x) and rows[q][x] is None:
                rows[q][x] = entry._replace(next=LEFT[(v * v + x) % 7])
    moved = [
        tuple(
            entry and (entry._replace(next=LEFT[3]) if entry.next == clear != q else entry) for entry in row
        )
        for q, row in enumerate(rows)
    ]
    names = tuple(map(str, range(len(rows))))
    return canonical(replace(ADD7, states=names, rows=tuple(moved), families=(), output=""))


def test_a_torn_family_is_put_together_and_proven() -> None:
    raw = torn()
    found = readable(raw)
    split = by_roles(raw, frozenset(), found)
    assert found.text.count("\n") > 60 > 45 > split.text.count("\n")
    assert prove(ADD7, split.table, "inputs").equivalent
    assert len(split.home) == len(raw.rows)


def test_what_no_split_makes_shorter_stays() -> None:
    bare = replace(ADD7, states=tuple(map(str, range(len(ADD7.states)))), families=(), output="")
    found = readable(bare)
    assert by_roles(bare, frozenset(), found) is found
