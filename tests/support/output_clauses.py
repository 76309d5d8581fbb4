"""Output clauses that chance makes, right and wrong, and agents that have them."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from gridlang.compiler.proofs.abstractions.grains import grains, strip_evidence
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.results.output_proofs import proven_alone
from gridlang.compiler.proofs.results.readings import as_checked
from gridlang.compiler.verifier.results import results_strip
from gridlang.compiler.verifier.tables import Rules
from gridlang.table import Entry, Table
from tests.support.pairs import R

SYMBOLS = ("_", "0", "1", "2", "x", "y", "'", '"', "+", "-", "*")
Anchor = tuple[str, int]
CLASSES = (("letter", "yx"), ("digit", "012"), ("bit", "01"), ("odd", "20"), ("twice", "010"))
INPUTS = (
    *(
        "a = digit+",
        "a = bit*",
        "a = digit+, 'x', b = digit+",
        "a = bit+, 'y', b = letter*",
        "a = (letter, bit)+",
    ),
    *(
        "'x', a = letter+",
        "a = odd+, 'x'?, b = 'y'*",
        "a = bit?, 'x', (a = letter)*, b = bit?",
        "a = any except _",
    ),
    *(
        "a = 0..2, b = 'x' | 'y'",
        "a = twice+",
        "a = digit*, b = digit",
        "if = bit+, 'x', mod = letter*",
        "a = 01+",
    ),
    *("a = (bit, (('+' | '-' | '*'), bit)*)", "a = ('-'?, digit+, (('+' | '*'), '-'*, digit+)*)"),
)
ANCHORS = [(end, offset) for end in ("start", "end") for offset in (-3, -1, 0, 2)]
_names = st.sampled_from(["a", "b", "if", "mod"])
_numbers = st.sampled_from(["0", "1", "2", "3", "5", "02", "11"])
_constants = _numbers | st.sampled_from(
    ["accept", "stuck", "'x'", "'y'", r"'\''", '"xy"', r'"\"0"', '""', "_", '"_x_y_"', '"_"', "'_'", '"0"']
)
_calls = st.sampled_from(["length({})", "number({})", "count({}, 1)", "count({}, 'x')", 'count({}, "0")'])
_more_calls = st.sampled_from(
    ['count({}, "01")', 'count({}, "xx")', 'count({}, "010")', 'count({}, "")', "value({})"]
)
_quantities = _names | st.builds(str.format, _calls | _more_calls, _names)
_formulas = st.sampled_from(
    ["{} + {}", "{} - {}", "{} * {}", "{} - {} * {}", "({} + {}) * {}", "{} mod 3 + {}", "2 * {} + 1 - {}"]
)
_expressions = st.builds(str.format, _formulas, _quantities, _quantities, _quantities)
_rests = st.builds("{} mod {}".format, _quantities, _numbers) | st.builds(
    "({}) mod {}".format, _expressions, _numbers
)
_compared = st.sampled_from(["{} {} {}", "{2} {1} {0}", "({}) {} ({})", "{}{}{}"])
_comparisons = st.builds(
    str.format,
    _compared,
    _quantities | _rests | _expressions,
    st.sampled_from(["==", "!=", "<", "<=", ">", ">="]),
    _numbers,
)


def _joined(comparisons: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Conditions that are made of these."""
    return st.recursive(
        comparisons,
        lambda inner: (
            st.builds("{} {} {}".format, inner, st.sampled_from(["and", "or"]), inner)
            | st.builds("not {}".format, inner)
            | st.builds("({})".format, inner)
        ),
        max_leaves=4,
    )


_conditions = _joined(_comparisons)
_verdicts = st.recursive(
    _constants | _rests | st.builds("({})".format, _rests),
    lambda inner: (
        st.builds("{} if {} else {}".format, inner, _conditions, inner) | st.builds("({})".format, inner)
    ),
    max_leaves=4,
)
_sums = st.recursive(
    _names,
    lambda inner: st.builds(
        str.format,
        st.sampled_from(["{} + {}", "{1}*{0}", "({}) * {}", "{} div {}", "{1} + ({0})"]),
        inner,
        _numbers,
    ),
    max_leaves=3,
)
_TOKENS = (
    """a b 0 1 2 if else and or not div mod + * ( ) , == < count( length( accept stuck 'x' "x" U _ - # ."""
)
_junk = st.lists(st.sampled_from([*_TOKENS.split(), "\xa0", "\n", "\t"]), max_size=9).map(" ".join)
output_clauses = _verdicts | _verdicts | _sums | _junk
_two_sums = st.recursive(
    st.sampled_from(["a", "b", "1", "02", "5"]),
    lambda inner: st.builds(
        str.format, st.sampled_from(["{} + {}", "({}) * {}", "{} * ({})", "{}+({})"]), inner, inner
    ),
    max_leaves=5,
)
_two_comparisons = st.builds(
    "{} {} {}".format,
    st.sampled_from(["a", "b", "(a)"]),
    st.sampled_from(["==", "!=", "<", "<=", ">", ">="]),
    st.sampled_from(["a", "b", "b", "1"]),
)
_two_conditions = _joined(_two_comparisons)
_two_verdicts = st.recursive(
    st.sampled_from(["'x'", '"y"', "1", "0", "2", '"_x"', '"xy"', "11", "a"]),
    lambda inner: st.builds("{} if {} else {}".format, inner, _two_conditions, inner),
    max_leaves=4,
)
two_number_clauses = _two_sums | _two_verdicts


def another_value(value: Any, chance: Random) -> Any:
    """The tree of an output clause with something done to its value."""
    part = ["part", chance.choice((0, 1, 2))]
    a, b = ["number", ["part", 0]], ["number", part]
    number = chance.choice((0, 1, 2, 1001, a, b))
    other = chance.choice((0, "0", "y", "_y_", a, b, part, ["length", part], ["count", part, "1"]))
    condition = [chance.choice(("==", "<", ">=")), a, chance.choice((1, b))]
    return chance.choice(
        (
            *(["+", value, number], ["*", number, value], ["mod", value, number], ["text", value]),
            *(["if", condition, value, other], ["if", ["not", condition], value, value], other, value),
        )
    )


def clauses_of(table: Table) -> Rules:
    """The clauses of a table as checkers read them."""
    data = certified_table(table)
    return Rules(1, table.symbols, {}, data["input"], data["output"])


def endless(inputs: str, output: str, name: str = "t") -> Table:
    """An agent that goes to the right for ever: whatever its clause says, it never leaves anything else."""
    row = tuple(Entry(symbol, R, 0) for symbol in range(len(SYMBOLS)))
    return Table(name, SYMBOLS, ("go",), (row,), CLASSES, inputs, output)


def proof_of_results(table: Table, anchor: Anchor) -> Verdict:
    """Why an endless agent leaves what its clause says where it halts; Wrong if there is no proof."""
    grain = next(grains(table))
    part = {**strip_evidence(grain), "kind": "results", "row": 0, "anchor": [*anchor]}
    results_strip(as_checked(table), part, 5_000)
    return proven_alone(table, part)
