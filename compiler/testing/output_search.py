"""Searches for an input on which an agent breaks its `output` clause, or another oracle."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from gridlang.clauses.clause_values import from_base, in_base
from gridlang.clauses.functions import NUMBER, Acceptance, counts
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage, RareInputs
from gridlang.clauses.outputs import Ended, digits_for, has_ended_as, output_rule
from gridlang.compiler.proofs.results.claims import REFUTED, TESTED, UNKNOWN, Claim
from gridlang.compiler.simulation.simulate import in_words
from gridlang.compiler.testing.input_runs import InputRuns
from gridlang.compiler.testing.input_search import Searched, Tried, search_inputs
from gridlang.compiler.testing.limits import LIMITS
from gridlang.diagnostics import counted, fail
from gridlang.outcomes import Outcome, Reason
from gridlang.printable import quoted_input
from gridlang.program import Program
from gridlang.table import Table
from gridlang.world import World

Answer = int | str | bool | None
WANTED = "an int, a str, True (accept), False (stuck), or None where nothing is asked"
Oracle = Callable[..., Answer] | Program


VERDICTS = {verdict.value: verdict for verdict in Acceptance}


class Expectation(Protocol):
    """What says how a run must end, and what it must leave."""

    @property
    def language(self) -> InputLanguage: ...
    def expected(self, text: str) -> str | Acceptance | None: ...
    def is_met(self, expected: str | Acceptance, done: Ended) -> bool: ...


class AgentOracle:
    """Another agent: it is run on the same input for `steps` steps, and both must end alike.

    Results are compared as they stand, or by value where its own clause gives a number. Nothing is asked of
    inputs that it does not declare, or on which it does not end in time.
    """

    def __init__(self, table: Table, language: InputLanguage, steps: int) -> None:
        self.language, self.steps, self.runs = language, steps, InputRuns(table)
        self.declared, self.rule = language_of(table), output_rule(table)

    def expected(self, text: str) -> str | Acceptance | None:
        if self.declared is not None and not self.declared.declares(text):
            return None
        done = self.runs.run(text, self.steps).done
        if done.outcome == Outcome.STUCK:
            return Acceptance.STUCK
        if done.outcome != Outcome.HALTED:
            return None
        free = self.rule is not None and self.rule.expected(text) is Acceptance.ACCEPT
        return Acceptance.ACCEPT if free else done.result

    def is_met(self, expected: str | Acceptance, done: Ended) -> bool:
        by_value = self.rule is not None and self.rule.kind == NUMBER
        return has_ended_as(expected, done, self.rule.agrees if self.rule and by_value else str.__eq__)


class WrongOracle(TypeError):
    """A function that cannot be an oracle of the agent, or does not answer like one."""


class Numeral(str):
    """An expected number in digits: a result may have zeros before it."""


class _Parameter(NamedTuple):
    """A named part of the input as the function gets it."""

    name: str
    digits: str  # empty: it gets the text


class FunctionOracle:
    """A Python function of the named parts, or of the whole input where no part is named.

    Parameters that are called as the parts are get these, whatever their order. The function gets a number as
    an int, but as text where its parameter is annotated `str`; other parts as a str.
    """

    def __init__(self, table: Table, function: Callable[..., Answer]) -> None:
        self.language, self.function, self.symbols = _asked_language(table), function, {*table.symbols}
        self.digits = digits_for(table, [part.members for part in self.language.parts if part.name])
        self.parameters, self.by_name = _parameters(function, self.language)

    def expected(self, text: str) -> str | Acceptance | None:
        given = self.language.split(text) | {"": text}
        values = [
            from_base(given[name], digits) if digits else given[name] for name, digits in self.parameters
        ]
        try:
            if self.by_name:
                names = (parameter.name for parameter in self.parameters)
                answer = self.function(**dict(zip(names, values, strict=True)))
            else:
                answer = self.function(*values)
        except Exception as error:
            error.add_note(f"the oracle was asked about the input {quoted_input(text)}: {_called(values)}")
            raise
        return self._understood(answer, values)

    def _understood(self, answer: Answer, values: list[int | str]) -> str | Acceptance | None:
        if answer is None:
            return None
        if isinstance(answer, bool):
            return Acceptance.ACCEPT if answer else Acceptance.STUCK
        if isinstance(answer, int) and not self.digits:
            hint = "declare a class such as `digit = 0..9`, or return a str"
            raise fail("G090", f"there are no digits to write the oracle's {answer} in", hint)
        if isinstance(answer, int):
            return Numeral(in_base(answer, self.digits))
        if isinstance(answer, str) and answer in VERDICTS and not {*answer} <= self.symbols:
            return VERDICTS[answer]
        if isinstance(answer, str):
            rows = enumerate(answer.split("\n"))
            return World({(x, y): symbol for y, row in rows for x, symbol in enumerate(row)}).text
        got = f"{answer!r:.60} of type {type(answer).__name__}"
        raise WrongOracle(f"the oracle answers {_called(values)} with {got}; it returns {WANTED}")

    def is_met(self, expected: str | Acceptance, done: Ended) -> bool:
        return has_ended_as(expected, done, self._agrees)

    def _agrees(self, expected: str, result: str) -> bool:
        sign = "-" if expected.startswith("-") else ""
        size = result.removeprefix(sign)
        if not isinstance(expected, Numeral) or not size or {*size} - {*self.digits}:
            return result == expected
        return result.startswith(sign) and size.lstrip(self.digits[0]) == expected.removeprefix(sign).lstrip(
            self.digits[0]
        )


def _parameters(function: Callable[..., Answer], language: InputLanguage) -> tuple[list[_Parameter], bool]:
    """What the function is given, and whether by name; WrongOracle if it takes other arguments."""
    named = [
        _Parameter(part.name, part.members if counts(part.members) else "")
        for part in language.parts
        if part.name
    ]
    parameters = named or [_Parameter("", "")]
    if not callable(function):
        raise WrongOracle(f"an oracle is a function or an agent, not {type(function).__name__}")
    try:
        signature = inspect.signature(function)
    except ValueError:  # some built-in functions
        return parameters, False
    places = range(len(parameters))
    kinds = {each.kind for each in signature.parameters.values()}
    names = {each.name: place for place, each in enumerate(parameters)}
    by_name = {*names} == {*signature.parameters} and inspect.Parameter.POSITIONAL_ONLY not in kinds
    try:
        bound = signature.bind(**names) if by_name else signature.bind(*places)
    except TypeError:
        given = f": {', '.join(part.name for part in named)}" if named else ", the input"
        takes = counted(len(signature.parameters), "argument")
        message = f"the oracle takes {takes}, and is given {len(parameters)}{given}"
        raise WrongOracle(message) from None
    for name, place in bound.arguments.items():
        if type(place) is int and signature.parameters[name].annotation in (str, "str"):
            parameters[place] = parameters[place]._replace(digits="")
    return parameters, by_name


def _called(values: list[int | str]) -> str:
    return f"oracle({', '.join(f'{value!r:.40}' for value in values)})"


def expectation_of(program: Program, steps: int, oracle: Oracle | None = None) -> Expectation | None:
    """What a program must do, by an oracle or its `output` line; None without either."""
    if oracle is None:
        return output_rule(program.table)
    if not isinstance(oracle, Program):
        return FunctionOracle(program.table, oracle)
    return AgentOracle(oracle.table, _asked_language(program.table), steps)


def _asked_language(table: Table) -> InputLanguage:
    language = language_of(table)
    if language is None:
        raise fail("G140", f"`{table.name}` has no input clause, so there is nothing to ask the oracle")
    return language


def clause_of(program: Program, oracle: Oracle | None = None) -> str:
    """What a program must do, in words; empty if nothing is said."""
    if isinstance(oracle, Program):
        return f"what {oracle.file} leaves"
    if oracle is not None:
        return f"the oracle {getattr(oracle, '__name__', '')}".rstrip()
    return f"output {program.table.output}" if program.table.output else ""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input with a wrong result; `got` is None if the run did not halt, and `reason` says why.

    `expected` is the result, or None where the clause asks for a `verdict` instead: accept or stuck.
    """

    input: str
    expected: str | None
    got: str | None
    outcome: Outcome
    steps: int
    verdict: Acceptance | None = None
    reason: Reason | None = None


def search_counterexample(
    table: Table,
    rule: Expectation,
    cases: int = LIMITS.cases,
    steps: int = LIMITS.most_steps,
    seed: int = 0,
    engine: str = "auto",
    longest: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[Searched[Counterexample], set[tuple[int, int]]]:
    """Looks for a counterexample to an output clause, on short inputs and `cases` drawn ones.

    Also the pairs of a state and a symbol, by number, that some run came to.
    """
    runs, longest_run = InputRuns(table, engine), 0

    def judge(text: str) -> Tried[Counterexample]:
        nonlocal longest_run
        expected = rule.expected(text)
        done, cost = runs.run(text, steps, asked=expected is not None)
        if expected is None:
            return Tried(cost, None, asked=False)
        if rule.is_met(expected, done):
            longest_run = max(longest_run, done.steps)
            return Tried(cost, None)
        if (
            done.outcome == Outcome.BUDGET
            and done.reason is not Reason.WALKS_OFF
            and done.steps < LIMITS.sudden * longest_run
        ):
            return Tried(cost, None, ended=False)
        got = done.result if done.outcome == Outcome.HALTED else None
        result, verdict = (None, expected) if isinstance(expected, Acceptance) else (str(expected), None)
        return Tried(cost, Counterexample(text, result, got, done.outcome, done.steps, verdict, done.reason))

    searched = search_inputs(rule.language, judge, cases, seed, progress, longest)
    return searched, runs.used()


def searched_claims(
    program: Program, claims: Iterable[Claim], progress: Callable[[int], None] = lambda _: None
) -> tuple[Claim, ...]:
    """Claims about an agent, after the search of `test` where its output, or that it halts, is not proven."""
    given, says = tuple(claims), clause_of(program)
    left_open = [
        claim for claim in given if claim.says in (says, "halts") and claim.answer in (TESTED, UNKNOWN)
    ]
    open_claims = [claim for claim in left_open if claim.says == says]
    rule = expectation_of(program, LIMITS.most_steps)
    if not left_open or rule is None:
        return given
    try:
        found, _ = search_counterexample(program.table, rule, progress=progress)
    except RareInputs:
        return given
    wrong = found.smallest
    if wrong:
        return tuple(_refuted(claim, wrong, says) for claim in given)
    if not found.checked:
        return given
    all_of_them = "all " if found.complete and found.checked == found.cases > 1 else ""
    tried = f"on {all_of_them}{counted(found.checked, 'input')}"
    return tuple(
        claim._replace(answer=TESTED, tried=tried) if claim in open_claims else claim for claim in given
    )


def _refuted(claim: Claim, wrong: Counterexample, output: str) -> Claim:
    """What a wrong run refutes: the output, or by a run without end, halting."""
    if claim.answer not in (TESTED, UNKNOWN) or claim.says not in (output, "halts"):
        return claim
    if claim.says == output:
        asked = wrong.verdict.value if wrong.verdict else wrong.expected
        wanted = "that it halts" if wrong.verdict is Acceptance.ACCEPT else f"`{asked}`"
        return Claim(output, REFUTED, f"{_ending(wrong)} where {wanted} is wanted", None, wrong.input)
    if wrong.outcome == Outcome.HALTED or wrong.verdict is Acceptance.STUCK:
        return claim
    answer = REFUTED if wrong.outcome != Outcome.BUDGET or wrong.reason else UNKNOWN
    return Claim("halts", answer, _ending(wrong), None, wrong.input)


def _ending(wrong: Counterexample) -> str:
    if wrong.got is not None:
        return f"it leaves `{wrong.got}`"
    if wrong.outcome == Outcome.LOOPING:
        return "it goes round in circles"
    if wrong.outcome == Outcome.BUDGET:
        return in_words(wrong.reason) or f"it still runs after {wrong.steps:,} steps"
    return f"it is {wrong.outcome}"
