"""What newcomers write can state its output: each clause of a list, with values by definition."""

from __future__ import annotations

import pytest

import gridlang as gl
from gridlang.clauses.functions import Acceptance
from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.compiler.proofs.clause_trees import input_tree, output_tree
from gridlang.compiler.proofs.results.correctness import claims_of
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.outputs import OutputClause
from gridlang.compiler.verifier.tables import Rules, Wrong
from gridlang.diagnostics import GridError
from gridlang.table import Table

BIT, DIGIT, LETTER = "bit = 0..1", "digit = 0..9\n  comma = ','", "letter = 'a'..'e'"
HEX = "hex = 0..9 | 'a'..'f'"
NIBBLES = f"let nibble = ({', '.join(f'{chr(34)}{n:04b}{chr(34)}' for n in range(16))})"
COLLATZ = "let collatz(n) = n div 2 if n mod 2 == 0 else 3*n + 1"
PAIR = "a = digit+, comma, b = digit+"
CLAUSES = [  # what stands above, alphabet, input, output, an input, what is expected
    (COLLATZ, DIGIT, "a = digit+", "collatz(a)", "7", "22"),
    (COLLATZ, DIGIT, "a = digit+", "fold(collatz(s) for i in 1..3 from s = a)", "7", "34"),
    ("", DIGIT, PAIR, "gcd(a, b)", "12,18", "6"),
    ("", DIGIT, PAIR, "max(a, b)", "12,9", "12"),
    ("", DIGIT, PAIR, "a + b; a, _, b", "12,9", "21\n12_9"),
    ("", DIGIT, PAIR, "(a; b) if a > b else b", "12,9", "12\n9"),
    ("", DIGIT, "a = digit+", "sum(x for x in a)", "1234", "10"),
    ("", DIGIT, "a = digit", "fold(s * i for i in 1..a from s = 1)", "5", "120"),
    ("", DIGIT, "a = digit+", "a[1..]", "123", "23"),
    ("", DIGIT, "a = digit+", "a[0..1]", "123", "12"),
    ("", f"{DIGIT}\n  one = '|'", "a = one+", "length(a) in 10", "|" * 12, "12"),
    ("", BIT, "a = bit+", "xor(a, a div 2)", "110", "101"),
    ("", f"{BIT}\n  d = 0..9", "a = bit+", "a in d", "1100", "12"),
    ("", HEX, "a = hex+", "a in 10", "ff", "255"),
    ("", HEX, "a = hex+", "a in 2, _, a in 10", "ff", "11111111_255"),
    (NIBBLES, HEX, "a = hex+", "join(nibble[x] for x in a)", "2f", "00101111"),
    ("", LETTER, "a = letter+", "join(letter((number(x) + 3) mod 5) for x in a)", "abcde", "deabc"),
    (
        "",
        LETTER,
        "a = letter+",
        'fold(s if length(s) > 0 and s[0] == x else join(x, s) for x in a from s = "")',
        "aabbc",
        "cba",
    ),
    ("", f"{LETTER}\n  n = 0..9", "a = letter+, k = n", "repeat(a, k)", "ab3", "ababab"),
    ("let shout(w) = join(w, w)", LETTER, "a = letter+", "join(shout(x) for x in a)", "abc", "aabbcc"),
    (
        "let each(w) = join(x for x in w)",
        LETTER,
        "a = letter+",
        "join(each(join(x, x)) for x in a)",
        "ab",
        "aabb",
    ),
]


def table(above: str, alphabet: str, inputs: str, output: str) -> Table:
    text = f"agent t\n{above}\nalphabet\n  {alphabet}\ninput {inputs}\noutput {output}\n"
    return gl.loads(f"{text}start s\nstate s\n  any : halt\n").table


def rule(*parts: str) -> OutputRule:
    found = output_rule(table(*parts))
    assert found is not None
    return found


@pytest.mark.parametrize(("above", "alphabet", "inputs", "output", "text", "expected"), CLAUSES)
def test_the_clause_has_the_value_that_it_says(
    above: str, alphabet: str, inputs: str, output: str, text: str, expected: str
) -> None:
    asked = rule(above, alphabet, inputs, output)
    assert asked.expected(text) == expected and asked.agrees(asked.expected(text), expected)  # type: ignore[arg-type]


def test_rows_and_bases_are_compared_row_by_row_and_by_value() -> None:
    rows = rule("", DIGIT, PAIR, "a + b; a, _, b")
    wanted = rows.expected("12,9")
    assert (
        isinstance(wanted, str) and rows.agrees(wanted, "021_\n12_9") and rows.agrees(wanted, "21__\n_12_9")
    )
    assert not any(
        rows.agrees(wanted, wrong) for wrong in ("21", "21\n12_8", "21\n12_9\n1", "21\n____\n12_9")
    )
    based = rule("", HEX, "a = hex+", "a in 10")
    wanted = based.expected("ff")
    assert isinstance(wanted, str) and based.agrees(wanted, "0255") and not based.agrees(wanted, "256")
    assert not based.agrees(wanted, "ff") and not based.agrees(wanted, "")


def test_what_has_no_value_or_no_end_asks_nothing() -> None:
    assert rule("", DIGIT, "a = digit+", "a[3]").expected("12") is None
    assert rule("", DIGIT, "a = digit+", "max(x for x in a[1..])").expected("1") is None
    assert rule("", DIGIT, "a = digit+", "sum(x for x in 1..a)").expected("9999999") is None
    assert rule("", DIGIT, "a = digit+", "fold(s * s for i in 1..99 from s = a)").expected("7") is None


@pytest.mark.parametrize(
    "output", ["join(y for x in a)", "every(x for x in a)", "fold(a)", "a in 1", "a in nothing", "f(a)"]
)
def test_a_loop_or_base_without_sense_is_refused(output: str) -> None:
    with pytest.raises(GridError, match="G090"):
        table("", DIGIT, "a = digit+", output)


@pytest.mark.parametrize(
    "case", [case for case in CLAUSES if "max" not in case[3]], ids=lambda case: case[3][:20]
)
def test_checkers_refuse_the_clauses_that_they_do_not_know(case: tuple[str, ...]) -> None:
    made = table(*case[:4])
    if "collatz(a)" in case[3] or "repeat" in case[3]:
        return  # these are made of what checkers know
    rules = Rules(1, made.symbols, {}, input_tree(made), output_tree(made))
    with pytest.raises(Wrong):
        OutputClause(rules, InputClause(rules))


def test_a_copy_of_the_input_is_not_proven_to_be_its_greatest_part_unless_it_is() -> None:
    copies = "agent t\nalphabet\n  bit = 0..1\ninput a = bit+\noutput {}\nstart s\nstate s\n  any : halt\n"
    answers = {
        output: claims_of(gl.loads(copies.format(output)).table)[1].answer
        for output in ("max(a, 0)", "min(a, 1)", "xor(a, 0)", "a in 2", "join(x for x in a)")
    }
    assert answers["min(a, 1)"] == "refuted" and answers["max(a, 0)"] in ("proven", "tested")
    assert {answers[output] for output in ("xor(a, 0)", "a in 2", "join(x for x in a)")} == {"tested"}


SPELL = """
agent spell
let names = ("zero", "one", "two")
alphabet
  letter = 'a'..'z'
  digit  = 0..2
input "key", d = digit
output names[d]
start find("key")
state find(w: word)
  w[0] if length(w) > 0        : write _, R -> find(w[1..])
  d in digit if length(w) == 0 : write names[d], R -> halt
"""


def test_a_word_is_used_up_letter_by_letter_and_a_table_gives_words() -> None:
    agent = gl.loads(SPELL.replace('input "key"', "input 'k', 'e', 'y'"))
    assert agent.run("key2").result == "two" and gl.test(agent)
    assert [state for state in agent.table.states if state.startswith("find")] == [
        "find(key)",
        "find(ey)",
        "find(y)",
        "find()",
    ]
    assert gl.loads(agent.to_source()).table == agent.table
    with pytest.raises(GridError, match="has no entry number 2"):
        gl.loads(SPELL.replace('input "key"', "input 'k', 'e', 'y'").replace(', "two"', ""))


def test_verdicts_stand_beside_the_new_words() -> None:
    asked = rule("", BIT, "a = bit+", "accept if xor(x for x in a) == 0 else stuck")
    assert asked.expected("1010") is Acceptance.ACCEPT and asked.expected("111") is Acceptance.STUCK
