"""Each theorem of the proven checker has a mutant: a false certificate, refused for what is false in it.

A mutant is a valid certificate but for one rule of its tables, which makes its claim false: a run shows it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from gridlang.compiler.proofs.joint_step import Stuck
from gridlang.compiler.proofs.results.correctness import claims_of, strongest
from gridlang.compiler.proven.gridcheck import HERE, program
from gridlang.compiler.simulation.simulate import Run, run
from gridlang.compiler.tensors.snapping import check_snapping
from gridlang.compiler.verifier.verify import verify
from gridlang.loading import load, loads
from gridlang.table import MOVES, Entry, Row, Table
from gridlang.world import string_world
from tests.forgeries.edits import signed
from tests.forgeries.genuine import by_strips, certified, copied, genuine
from tests.programs import EXAMPLES
from tests.support.agents import (
    DECREMENT,
    LARGER,
    MONUS,
    PAIRS,
    SAME_LENGTH,
    SECOND,
    THIRDS,
)
from tests.support.pairs import R, changed
from tests.support.pairs import table_of as table_named
from tests.support.proven_certificates import by_output, by_values, of_weights, text_of
from tests.support.proven_checker import is_proven
from tests.support.weights import model

built = pytest.mark.skipif(program() is None, reason="gridcheck is not built: make -C compiler/proven")
STEPS = 300
BOTH, RIGHT = ("left", "right"), ("right",)
Data = dict[str, Any]


class Mutant(NamedTuple):
    """A valid certificate, an edit, a run that shows the claim to be false then, and what a checker blames."""

    of: Callable[[], Data]
    edit: Callable[[Data], None]
    falsified: Callable[[Table, Table], bool]
    reason: str


def rule(sides: tuple[str, ...], state: str, symbol: str, *entry: str) -> Callable[[Data], None]:
    """Another rule, for one that there is."""

    def edit(data: Data) -> None:
        for side in sides:
            rules = data[side]["table"]["rules"]
            at = next(i for i, there in enumerate(rules) if there[:2] == [state, symbol])
            assert rules[at][2:] != list(entry)
            rules[at][2:] = entry

    return edit


def one_more(data: Data) -> None:
    """The output clause asks for one more."""
    for side in BOTH:
        data[side]["table"]["output"]["value"][2] += 1


def clause(value: Any) -> Callable[[Data], None]:
    """Another output clause."""

    def edit(data: Data) -> None:
        for side in BOTH:
            data[side]["table"]["output"]["value"] = value

    return edit


def condition(where: Any) -> Callable[[Data], None]:
    """Another condition of the inputs."""

    def edit(data: Data) -> None:
        for side in BOTH:
            assert data[side]["table"]["where"] != where
            data[side]["table"]["where"] = where

    return edit


def ranked(data: Data) -> None:
    """It is claimed to halt, by ranks that do not fall."""
    elements = [0] * data["claim"]["product_states"]
    ranking = {"elements": elements, "ranks": [[0]], "weights": []}
    shown = {"kind": "ranking", "strip": data["evidence"], "ranking": ranking}
    data["claims"].append({"assume": [], "ends": ["endless"], "evidence": shown})
    data["claim"]["halts"] = True
    data["claim"]["says"] += ", and LEFT halts"


def table_of(side: Data) -> Table:
    data = side["table"]
    symbols, states = data["symbols"], data["states"]
    rules = {(state, symbol): entry for state, symbol, *entry in data["rules"]}

    def entry(state: str, symbol: str) -> Entry | None:
        write, move, after = rules.get((state, symbol), (None, None, None))
        known = write is not None and move is not None
        return Entry(symbols.index(write), MOVES.index(move), states.index(after)) if known else None

    rows: tuple[Row, ...] = tuple(tuple(entry(state, symbol) for symbol in symbols) for state in states)
    return Table(data["name"], tuple(symbols), tuple(states), rows)


def run_on(table: Table, text: str) -> Run:
    return run(table, string_world(text), STEPS, trace=True)


def differs_on(text: str) -> Callable[[Table, Table], bool]:
    """LEFT goes on where RIGHT, which goes on too, does something else."""

    def falsified(left: Table, right: Table) -> bool:
        one, two = run_on(left, text).trace, run_on(right, text).trace
        assert one and two
        return any(a != b for a, b in zip(one, two, strict=False))

    return falsified


def runs_on(text: str) -> Callable[[Table, Table], bool]:
    return lambda left, _: run_on(left, text).outcome == "budget"


def stuck_on(text: str) -> Callable[[Table, Table], bool]:
    return lambda left, _: run_on(left, text).outcome == "stuck"


def leaves(text: str, wrong: str) -> Callable[[Table, Table], bool]:
    return lambda left, _: (run_on(left, text).outcome, run_on(left, text).result) == ("halted", wrong)


def same(left: Table, right: Table) -> bool:
    """Claims a difference between two equal tables."""
    return left.rows == right.rows


def of(name: str) -> Callable[[], Data]:
    return lambda: genuine(name)


def by_strip(table: Table, scope: str, stuck: Stuck) -> Data:
    """That an agent does what it does itself, by a strip."""
    verdict = by_strips(table, table, 0, scope, stuck)
    assert verdict is not None
    return certified(table, table, verdict)


def endless() -> Data:
    """An agent that goes to and fro at the end of its input, if that is a 1."""
    return by_strip(
        changed(table_named("increment"), "carry", "1", write=2, move=R, next=0), "inputs", "never"
    )


def proven(text: str, **values: int) -> Data:
    """The strongest that is proven of an agent."""
    table = loads(text, **values).table
    verdict = strongest(table, claims_of(table))
    assert verdict is not None
    return certified(table, table, verdict)


LEFT_CARRIES, RIGHT_DOES_NOT = (
    ("carry(1)", "0", "1", "D", "shift(0)"),
    ("carry(1)", "1", "1", "D", "shift(1)"),
)
OTHER = "RIGHT does not do what LEFT does on"
NO_DIFFERENCE = "the tables do something else"
LEFT_OUT = "LEFT is stuck"
BACKWARDS = ["number", ["reverse", ["part", 0]]]
MUTANTS = {
    "check_reads_sound": Mutant(of("table"), rule(RIGHT, *RIGHT_DOES_NOT), differs_on("1+1"), OTHER),
    "check_observed_sound": Mutant(of("observed"), rule(RIGHT, *RIGHT_DOES_NOT), differs_on("1+1"), OTHER),
    "check_windows_sound": Mutant(
        of("windows"), rule(RIGHT, "s1", "x", "_", "L", "s2"), differs_on("xx"), OTHER
    ),
    "check_strips_sound": Mutant(
        of("inputs"), rule(RIGHT, "compare(a)", "b", "b", "L", "wipe"), differs_on("ab"), OTHER
    ),
    "check_strips_sound, of inputs that meet a condition": Mutant(
        lambda: proven(DECREMENT.replace("output a - 1", "output sqrt(a)")),
        condition([">=", ["number", ["part", 0]], 0]),
        stuck_on("0"),
        LEFT_OUT,
    ),
    "check_anywhere_sound": Mutant(
        lambda: by_strip(table_named("increment"), "worlds", "unasked"),
        rule(RIGHT, "carry", "0", "0", "R", "halt"),
        differs_on("0"),
        OTHER,
    ),
    "reads_differ_sound": Mutant(of("different table"), rule(RIGHT, *LEFT_CARRIES), same, NO_DIFFERENCE),
    "observed_differ_sound": Mutant(
        of("different observed"), rule(RIGHT, *LEFT_CARRIES), same, NO_DIFFERENCE
    ),
    "worlds_differ_sound": Mutant(of("different worlds"), rule(RIGHT, *LEFT_CARRIES), same, NO_DIFFERENCE),
    "check_ranking_sound": Mutant(endless, ranked, runs_on("1"), "rank"),
    "check_acceptor_sound": Mutant(
        lambda: proven(THIRDS),
        clause(["if", ["==", ["mod", ["number", ["part", 0]], 3], 1], ["accept"], ["stuck"]]),
        lambda left, _: run_on(left, "11").outcome == "halted",
        LEFT_OUT,
    ),
    "check_results_sound": Mutant(
        of("number"), rule(BOTH, "rest(0)", "1", "1", "S", "rest(0)"), leaves("1", "1"), "result"
    ),
    "check_results_sound, of inputs that meet a condition": Mutant(
        lambda: proven(PAIRS), condition([">=", ["length", ["part", 0]], 1]), stuck_on("a"), LEFT_OUT
    ),
    "check_folds_sound": Mutant(
        of("sum"), rule(BOTH, "take", "0", "0", "S", "take"), leaves("0+1", "0_1\n__+"), "result"
    ),
    "check_folds_sound, of inputs that meet a condition": Mutant(
        lambda: proven((EXAMPLES / "subtract.grid").read_text(), base=2),
        condition(["<=", ["number", ["part", 0]], ["number", ["part", 2]]]),
        stuck_on("0-1"),
        "LEFT may be stuck",
    ),
    "check_values_sound": Mutant(lambda: by_values("increment"), one_more, leaves("10", "11"), "result"),
    "check_values_sound, of a number backwards": Mutant(
        lambda: by_values("binary_multiplication"),
        clause(["reverse", ["text", ["*", BACKWARDS, ["number", ["part", 2]]]]]),
        leaves("1*01", "01"),
        "no systems",
    ),
    "check_values_sound, of a text without zeros before it": Mutant(
        lambda: by_values("binary_multiplication"),
        rule(("left",), "strip", "0", "0", "S", "strip"),
        leaves("1*1", "10"),
        "a 0 too many",
    ),
    "check_values_sound, of words": Mutant(
        lambda: by_values("duplicate", "words"),
        clause(["join", ["part", 0], "a", ["part", 0]]),
        leaves("ab", "abab"),
        "not what its output clause says",
    ),
    "check_values_sound, of every second symbol": Mutant(
        lambda: by_values("odds", "words"),
        clause(["join", ["every", ["part", 0], 2, 2], ["every", ["part", 0], 1, 2]]),
        leaves("ab", "ab"),
        "not what its output clause says",
    ),
    "check_sorted_sound": Mutant(
        lambda: by_output(load(EXAMPLES / "sort.grid", base=3).table, thresholds=True),
        clause(["reverse", ["sorted", ["part", 0]]]),
        leaves("01", "01"),
        "does not sort",
    ),
    "check_never_stuck_sound": Mutant(
        lambda: by_output(loads(MONUS).table),
        condition([">", ["length", ["part", 2]], ["length", ["part", 0]]]),
        stuck_on("-1"),
        "LEFT may be stuck",
    ),
    "check_never_stuck_sound, of an acceptor": Mutant(
        lambda: by_output(loads(SAME_LENGTH).table),
        clause(
            ["if", [">", ["length", ["part", 0]], ["length", ["part", 2]]], ["accept"], ["stuck"]],
        ),
        lambda left, _: run_on(left, "-").outcome == "halted",
        "LEFT may be stuck",
    ),
    "check_values_sound, of branches": Mutant(
        lambda: by_output(loads(LARGER).table),
        clause(["if", [">", ["length", ["part", 0]], ["length", ["part", 2]]], "y", "n"]),
        leaves("-", "y"),
        "does not keep a polynomial",
    ),
    "check_values_sound, of lengths that are the same": Mutant(
        lambda: by_output(loads(SECOND).table),
        condition(["<=", ["length", ["part", 0]], ["length", ["part", 2]]]),
        leaves("-1", "1"),
        "not what its output clause says",
    ),
    "check_values_sound, of a letter that is moved along": Mutant(
        lambda: by_values("twice", "words"),
        rule(("left",), "next", "b", "B", "R", "walk(R,'a'|'b'|'c'|'=',put(a))"),
        leaves("b", "b=a"),
        "does not keep",
    ),
}


def mutated(mutant: Mutant) -> Data:
    data = copied(mutant.of())
    mutant.edit(data)
    return signed(data)


# About weights: all of one mutant, whose outputs are not those of the table.
OF_WEIGHTS = {
    *("engines_do_what", "careful_engines_do_what", "learned_engines", "learned_careful_engines"),
    "learned_total",
}
MAIN = re.compile(
    r"^ *(?:Theorem|Lemma) (check_\w+_sound|\w+_differ_sound|\w*engines_do_what|learned_\w*engines|learned_total)\b",
    re.MULTILINE,
)


def test_every_theorem_about_evidence_has_a_mutant() -> None:
    sources = "".join(source.read_text() for source in sorted(HERE.glob("*/*.v")))
    assert {*(name.split(",")[0] for name in MUTANTS), *OF_WEIGHTS} == set(MAIN.findall(sources))
    called = set(re.findall(r"\bcheck_\w+\b", (HERE / "checker" / "Check.v").read_text()))
    assert {f"{check}_sound" for check in called if not check.endswith("_sound")} <= {*MUTANTS}


@built
@pytest.mark.parametrize("name", MUTANTS)
def test_a_false_certificate_is_refused_for_what_is_false(name: str) -> None:
    mutant = MUTANTS[name]
    data = mutated(mutant)
    assert mutant.falsified(table_of(data["left"]), table_of(data["right"]))
    assert is_proven(text_of(mutant.of())) is True
    assert is_proven(text_of(data)) is False
    problems = verify(json.dumps(data, ensure_ascii=False)).problems
    assert [mutant.reason in problem.message for problem in problems] == [True], problems


@built
def test_weights_that_do_something_else_are_refused_for_it() -> None:
    text, dfst = of_weights("worlds"), model("worlds")
    assert is_proven(text.encode(), dfst.to_bytes()) is True
    turned = replace(dfst, B=-dfst.B)
    assert (dfst.B @ dfst.h0).argmax(1).tolist() != (turned.B @ dfst.h0).argmax(1).tolist()
    assert is_proven(text.encode(), turned.to_bytes()) is False
    problems = check_snapping(json.loads(text)["right"], turned).problems
    assert problems and all("do not surely decide as the table does" in problem for problem in problems)
