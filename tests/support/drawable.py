"""Programs to draw: the examples, one with a mistake, and one whose names try to break out of the picture."""

from __future__ import annotations

from gridlang.loading import load_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.table import Entry, Table
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
