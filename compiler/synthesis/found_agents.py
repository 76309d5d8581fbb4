"""A candidate of the search as an agent: its table, its source, and whether it is refuted or proven."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from gridlang.compiler.proofs.results.claims import PROVEN, TESTED, Claim
from gridlang.compiler.proofs.results.correctness import claims_of
from gridlang.compiler.synthesis.limits import LIMITS
from gridlang.compiler.synthesis.native_search import HALT as HALTS
from gridlang.compiler.synthesis.native_search import OPEN, STUCK, Candidate
from gridlang.compiler.synthesis.specification import has_no_states
from gridlang.compiler.testing.file_tests import run_tests
from gridlang.compiler.testing.limits import LIMITS as TEST_LIMITS
from gridlang.compiler.testing.output_search import Expectation, search_counterexample, searched_claims
from gridlang.printer import declared_states, rule_lines, table_to_source, target_name
from gridlang.program import Program
from gridlang.source import Source
from gridlang.syntax.formatter import format_source
from gridlang.table import STAY, Entry, Row, Table
from gridlang.vocabulary import HALT

ENDS = ("halts", "every run ends")  # claims


def found_table(specified: Table, candidate: Candidate, letters: str) -> Table:
    """The table of a candidate, with the states that its rules lead to, in the order of discovery."""
    count, names = len(specified.symbols), _names(specified, candidate, letters)
    rows = [candidate.rules[n : n + count] for n in range(0, len(candidate.rules), count)]
    order, halts = [0], False
    for state in order:  # grows in the loop
        for symbol, (write, _, after) in enumerate(rows[state]):
            halts |= after == HALTS and write != symbol
            order += [after] if after < STUCK and after not in order else []
    named = [names[state] for state in order]
    if halts and HALT not in named:
        named.append(HALT)
    place = {state: number for number, state in enumerate(order)}

    def entry(state: int, symbol: int) -> Entry | None:
        write, move, after = rows[state][symbol]
        if after in (OPEN, STUCK):
            return None
        if after == HALTS:
            return Entry(write, STAY, place[state] if write == symbol else named.index(HALT))
        return Entry(write, move, place[after])

    found: list[Row] = [tuple(entry(state, symbol) for symbol in range(count)) for state in order]
    if len(named) > len(found):
        found.append(tuple(Entry(symbol, STAY, len(found)) for symbol in range(count)))
    return replace(specified, states=tuple(named), rows=tuple(found), families=())


def _names(specified: Table, candidate: Candidate, letters: str) -> list[str]:
    """Names of all states: those that are written, then s1, s2 and so on; s3_a and s3_b in a family."""
    names, number = list(specified.states), len(specified.states)
    for state in range(len(names), len(candidate.base)):
        letter = candidate.letter[state]
        if letter < 0 or candidate.base[state] == state:
            number += 1
        part = letters[letter] if letter >= 0 and letters[letter].isalnum() else str(letter)
        name = f"s{number - 1}" + (f"_{part}" if letter >= 0 else "")
        while name in names:
            name = f"{name}x"
        names.append(name)
    return names


def found_source(specified: Program, table: Table, source: Source) -> str:
    """The agent as a text: the specification, then the states; all are written again if some were given."""
    if not has_no_states(source) or specified.overridden:
        return table_to_source(table)
    lines = "\n".join(_state_lines(table))
    return format_source(Source(source.path, f"{source.text.rstrip()}\n\n{lines}\n"))


def _state_lines(table: Table) -> Iterator[str]:
    def name(state: int) -> str:
        return target_name(table, state)

    yield f"start {name(0)}"
    for state in declared_states(table):
        yield from ("", f"state {name(state)}", *rule_lines(table, state, name))


class Judged(NamedTuple):
    """An agent that was found, its text, what is claimed of it, and why it is refused, if it is.

    `counterexample` is an input that it gets wrong.
    """

    program: Program
    source: str = ""
    claims: tuple[Claim, ...] = ()
    counterexample: str | None = None
    failing: bool = False  # a test of the specification's own
    as_shown: bool = False  # claim: it shows all grids that were seen
    nodes: int = 0  # rules tried to come from a decision to an agent

    @property
    def proven(self) -> bool:
        return bool(self.claims) and all(claim.answer == PROVEN for claim in self.claims)

    @property
    def accepted(self) -> bool:
        """Whether all runs are proven to end; what `prove` cannot prove is only tested."""
        ends = any(claim.says in ENDS and claim.answer == PROVEN for claim in self.claims)
        return self.as_shown or (ends and all(claim.answer in (PROVEN, TESTED) for claim in self.claims))

    @property
    def refused(self) -> bool:
        return self.counterexample is not None or self.failing


def judged(program: Program, source: str, rule: Expectation) -> Judged:
    """Tests a candidate on some inputs, and proves what is quick: mainly that every run ends."""
    found = search_counterexample(program.table, rule, LIMITS.test_cases, engine="auto").counterexample
    if found is not None:
        return Judged(program, source, counterexample=found.input)
    if any(not result.passed for result in run_tests(program, TEST_LIMITS.most_steps)):
        return Judged(program, source, failing=True)
    return Judged(program, source, claims_of(program.table, by_values=False))


def proven(candidate: Judged, progress: Callable[[int], None]) -> Judged:
    """A candidate after all proofs, and all tests of what is not proven."""
    table = candidate.program.table
    claims = searched_claims(candidate.program, claims_of(table, progress), progress)
    wrong = next((claim.input for claim in claims if claim.input is not None), None)
    return candidate._replace(claims=claims, counterexample=wrong)
