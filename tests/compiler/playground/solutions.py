"""An answer to each exercise of the playground, as changes of its example or of its starter."""

from __future__ import annotations

Change = tuple[str, str]

BEAVER_STATES = """state a
  _ : write 1, R -> b
  1 : L -> b

state b
  _ : write 1, L -> a
  1 : write _, L -> c

state c
  _ : write 1, R -> halt
  1 : L -> d

state d
  _ : write 1, R
  1 : write _, R -> a
"""
TWO_STATES = """state a
  _ : write 1, R -> b
  1 : L -> b

state b
  _ : write 1, L -> a
  1 : R -> halt
"""
THREE_STATES = """state a
  _ : write 1, R -> b
  1 : R -> halt

state b
  _ : write 1, L
  1 : write _, R -> c

state c
  _ : write 1, L
  1 : L -> a
"""

SOLUTIONS: dict[str, tuple[list[Change], list[Change]]] = {
    "add": ([("= 10)", "= 8)")], [("'+'", "'&'")]),
    "add10": (
        [("base = 10", "base = 3")],
        [("agent add10 = add(base = 10)", "agent add10(base in 2..10 = 5) = add(base = base)")],
    ),
    "add2": (
        [("base = 2", "base = 4")],
        [("add(base = 2)", "mult(base = 2)"), ('"add.grid"', '"mult.grid"')],
    ),
    "ant": ([('"RL"', '"RLLR"')], [("start face(U)", "start face(R)")]),
    "beaver": ([(BEAVER_STATES, TWO_STATES)], [(BEAVER_STATES, THREE_STATES)]),
    "brackets": (
        [("'(' | '['", "'(' | '[' | '{'"), ("')' | ']'", "')' | ']' | '}'")],
        [
            ("0 | 1", "'n' | 'y'"),
            ("output 1 if", "output 'y' if"),
            ("else 0", "else 'n'"),
            ("(0)", "('n')"),
            ("(1)", "('y')"),
        ],
    ),
    "compare": (
        [
            ("say('<')", "say(less)"),
            ("say('>')", "say('<')"),
            ("say(less)", "say('>')"),
            ("sign : write '>'", "sign : write '<'"),
        ],
        [("'<'", "'l'"), ("'='", "'e'"), ("'>'", "'g'")],
    ),
    "flood": ([("'o'", "'*'")], [("write 'o' -> halt", "halt")]),
    "increment": (
        [("= 2)", "= 10)")],
        [
            ("d == base - 1 : write 0", "d == 0 : write base - 1"),
            ("d < base - 1  : write d + 1", "d > 0 : write d - 1"),
        ],
    ),
    "mult": ([("= 10)", "= 8)")], [("'*'", "'x'")]),
    "mult10": (
        [("base = 10", "base = 3")],
        [("mult(base = 10)", "add(base = 10)"), ('"mult.grid"', '"add.grid"')],
    ),
    "mult2": ([("base = 2", "base = 4")], [("base = 2", "base = 9")]),
    "palindrome": (
        [("'a' | 'b' | 'c'", "'a'..'d'")],
        [("write 1, R -> halt  # x was", "write 0, R -> halt  # x was")],
    ),
    "plus_one": (
        [("  1 : write 0, L", "  0 : write 1, L"), ("  0 : write 1, R", "  1 : write 0, R")],
        [("0..1", "0..2"), ("  1 : write 0, L", "  2 : write 0, L\n  1 : write 2, R -> halt")],
    ),
    "reverse": ([("'a'..'e'", "'a'..'h'")], [("write _, L -> halt", "halt")]),
    "sort": ([("d >= v", "d <= v"), ("d < v", "d > v")], [("0..base-1", "'a'..'e'")]),
    "subtract": ([("= 10)", "= 2)")], [("'-'", "':'")]),
    "tag": ([('write "aaa"', 'write "b"')], [('"bc"', '"b"')]),
    "twice": ([("'a'..'c'", "'a'..'d'")], [("'='", "'+'"), ('"="', '"+"')]),
    "walks": (
        [("_ : halt", "_ : write 1, R -> halt")],
        [("start end", "start wipe(R, 0, end)")],
    ),
}


def solved(source: str, changes: list[Change]) -> str:
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    return source
