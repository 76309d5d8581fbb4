"""Clauses: input and output clauses drawn from their grammar, or changed, in an agent that walks over its input."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.fuzz.mutations import changed_text

SECONDS = 30.0
ATOMS = (
    "digit",
    "sign",
    "any",
    "0",
    "1",
    "_",
    "'+'",
    "'0'",
    "0..1",
    "digit except 0",
    "any except sign",
    '"01"',
    "01",
    "any..any",
)
OUTPUTS = (
    "a + 1",
    "a * b",
    "reverse(a)",
    "sorted(a)",
    "join(a, '+', b)",
    "1 if a == b else 0",
    "repeat(a, 2)",
    'replace(a, "0", "+1")',
    "join(every(a, 1, n), every(a, 2, n))",
    "value(join(a, '+', b))",
    "sqrt(value(a))",
    "a - 1 if a > 1 else 0",
    "accept if a == b else stuck",
    "a if length(a) < 3 else accept",
    "a",
    "a[0]",
    "(a, b)",
    "2^a + n^2",
)
CONDITIONS = (
    "a >= b",
    "a == b",
    "a > 1",
    "a < 0",
    "length(a) mod n == 1",
    "2^b == a",
    "not a == reverse(a)",
    "a in b",
)
MARKS = (
    "",
    "",
    "+",
    "*",
    "?",
    "{2}",
    "{1,3}",
    "{2,}",
    "{0,}",
    "{n}",
    "{0,n^2}",
    "{0}",
    "{3,1}",
    "{1,1_000_000}",
)
AGENT = """agent walk

let n = 2

alphabet
  digit = 0..1
  sign  = '+'

input {input}
{output}
start go

state go
  digit | sign : R
  _            : halt
"""


def prepare(home: Path) -> None:
    """Nothing: clauses are drawn."""


def make(random: Random, home: Path, folder: Path) -> list[list[str]]:
    clause = ", ".join(_part(random, name) for name in "abcdefgh"[: random.choice((1, 1, 2, 3, 8))])
    if random.random() < 0.05:
        clause = ", ".join(
            [random.choice(ATOMS) + random.choice(("", "?", "*"))] * random.choice((30, 300, 3000))
        )
    if random.random() < 0.3:
        clause += f" where {random.choice(CONDITIONS)}"
    output = f"output {random.choice(OUTPUTS)}\n" if random.random() < 0.4 else ""
    if random.random() < 0.3:
        clause, output = (
            changed_text(clause, " ".join(ATOMS) + "(),|*+?={}^ where ", random),
            output and changed_text(output, "( ) + a b 1 if else", random),
        )
    (folder / "walk.grid").write_text(AGENT.format(input=clause, output=output), encoding="utf-8")
    more = random.choice(COMMANDS)
    proof = ["equiv", "walk.grid", "walk.grid", "--scope", "inputs", "--certificate", "proof.json"]
    proofs = [proof, ["verify", "proof.json"], ["=claim", "proof.json"]] if random.random() < 0.3 else []
    return [["check", "walk.grid"], ["=program", "walk.grid"], ["=clause", "walk.grid"], more, *proofs]


COMMANDS = (
    ["run", "walk.grid", "01+1", "--steps", "100"],
    ["test", "walk.grid", "--cases", "5", "--longest", "40"],
    ["trace", "walk.grid", "--rule", "inputs", "--count", "5", "-o", "t.npz"],
    ["trace", "walk.grid", "--count", "9", "-o", "t.npz"],
    ["compile", "walk.grid", "--to", "table", "-o", "t.json"],
)


def _part(random: Random, name: str) -> str:
    named = f"{name} = " if random.random() < 0.7 else ""
    return named + _piece(random, 2)


def _piece(random: Random, depth: int) -> str:
    mark = random.choice(MARKS)
    if not depth or random.random() < 0.6:
        return random.choice(ATOMS) + mark
    joiner = random.choice((", ", " | "))
    return "(" + joiner.join(_piece(random, depth - 1) for _ in range(random.randint(1, 3))) + ")" + mark
