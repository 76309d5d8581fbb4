"""How far `synthesize` reaches: specifications, what is found of each, and how fast rules are tried.

python -m benchmarks.synthesis --nodes 20000000
python -m benchmarks.synthesis --first  # each up to its first agent
"""

from __future__ import annotations

import argparse
import time

import gridlang as gl
from gridlang.compiler.synthesis.synthesize import Synthesizer

BIT, LETTER = "bit = 0..1", "letter = 'a' | 'b'"
SPECIFICATIONS = {  # alphabet, input, output
    "complement": (BIT, "a = bit+", "join(1 - x for x in a)"),
    "increment": (BIT, "a = bit+", "a + 1"),
    "halving": (BIT, "a = bit+", "a div 2"),
    "parity": (BIT, "a = bit+", "1 if count(a, 1) mod 2 == 1 else 0"),
    "unary doubling": ("one = 1\n  'x'", "a = one+", "repeat(a, 2)"),
    "unary addition": ("one = 1\n  '+'", "a = one+, '+', b = one+", "join(a, b)"),
    "sum of two bits": (f"{BIT}\n  '+'", "a = bit, '+', b = bit", "a + b"),
    "sorting": (LETTER, "w = letter+", "sorted(w)"),
    "rotation": (LETTER, "x = letter, w = letter*", "join(w, x)"),
    "times three": (BIT, "a = bit+", "a * 3"),
    "even pairs": (
        LETTER,
        "w = letter+",
        'accept if (count(w, "ab") + count(w, "ba")) mod 2 == 0 else stuck',
    ),
    "even pairs told": (
        f"{LETTER}\n  'y' | 'n'",
        "w = letter+",
        "'y' if (count(w, \"ab\") + count(w, \"ba\")) mod 2 == 0 else 'n'",
    ),
    "subtraction in unary": (
        "one = 1\n  '-'",
        "a = one+, '-', b = one+ where length(a) >= length(b)",
        "repeat('1', length(a) - length(b))",
    ),
    "comparison of bits": (
        f"{BIT}\n  '?' | '<' | '=' | '>'",
        "a = bit, '?', b = bit",
        "'<' if a < b else '=' if a == b else '>'",
    ),
    "unary comparison": (
        "one = 1\n  '?'",
        "a = one+, '?', b = one+",
        "accept if length(a) <= length(b) else stuck",
    ),
    "palindromes of up to 3": (LETTER, "w = letter{1,3}", "accept if w == reverse(w) else stuck"),
    "unary equality": (
        "one = 1\n  '?'",
        "a = one*, '?', b = one*",
        "accept if length(a) == length(b) else stuck",
    ),
    "palindromes": (LETTER, "w = letter+", "accept if w == reverse(w) else stuck"),
    "reversal": (LETTER, "w = letter+", "reverse(w)"),
    "unary comparison told": (
        "one = 1\n  '?' | 'y' | 'n'",
        "a = one+, '?', b = one+",
        "'y' if length(a) <= length(b) else 'n'",
    ),
    "comparison with three answers": (
        "one = 1\n  '?' | '<' | '=' | '>'",
        "a = one+, '?', b = one+",
        "'<' if length(a) < length(b) else '=' if length(a) == length(b) else '>'",
    ),
    "palindromes told": (
        f"{LETTER}\n  'y' | 'n'",
        "w = letter+",
        "'y' if w == reverse(w) else 'n'",
    ),
    "comparison of two bits each": (
        f"{BIT}\n  '?' | '<' | '=' | '>'",
        "a = bit{2}, '?', b = bit{2}",
        "'<' if a < b else '=' if a == b else '>'",
    ),
    "binary addition": (f"{BIT}\n  '+' | 'x'", "a = bit+, '+', b = bit+", "a + b"),
    "unary multiplication": (
        "one = 1\n  '*' | 'x'",
        "a = one+, '*', b = one+",
        "repeat('1', length(a) * length(b))",
    ),
}


def specification(name: str) -> str:
    """The text of one."""
    alphabet, inputs, output = SPECIFICATIONS[name]
    agent = name.replace(" ", "_")
    return f"agent {agent}\n\nalphabet\n  {alphabet}\n\ninput {inputs}\noutput {output}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=20_000_000)
    parser.add_argument("--first", action="store_true", help="end each search with its first agent")
    parser.add_argument("--only", nargs="*", choices=SPECIFICATIONS, default=list(SPECIFICATIONS))
    options = parser.parse_args()
    if options.first:
        for part in ("_find_smaller", "_exclude_smaller", "_find_faster"):
            setattr(Synthesizer, part, lambda _: None)
    print("| specification | states | output | smallest | fewest steps | rules tried | CPU seconds |")
    print("|---|---|---|---|---|---|---|")
    for name in options.only:
        before = time.process_time()
        found = gl.synthesize(specification(name), nodes=options.nodes)
        seconds = time.process_time() - before
        shown = "shown" if found.smallest else f"more than {found.excluded}"
        steps = "shown" if found.fewest_steps else ""
        states = found.states or "none found"
        output = next((claim.answer for claim in found.claims if claim.says.startswith("output")), "")
        print(
            f"| {name} | {states} | {output} | {shown} | {steps} | {found.nodes:,} | {seconds:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
