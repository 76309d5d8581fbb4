"""What a specification says: clauses, and states with the rules that are written already."""

from __future__ import annotations

from collections.abc import Mapping

from gridlang.diagnostics import GridError, fail
from gridlang.loading import load_source
from gridlang.lowering.lower import lower
from gridlang.lowering.parameters import constants, given_arguments
from gridlang.program import Program
from gridlang.source import Source
from gridlang.syntax.parser import parse
from gridlang.table import Table

START = "s0"
MISSING = "G012"  # a declaration is missing
NO_RULES = "G064"  # a state without rules: here it is an open one
OPEN = f"\n\nstart {START}\n\nstate {START}\n"


def specification_of(source: Source, definitions: Mapping[str, str] | None = None) -> Program:
    """The program of a text, with an open start state where it has no states.

    GridError unless it has an input and an output line.
    """
    stateless = has_no_states(source)
    whole = Source(source.path, source.text.rstrip("\n") + OPEN) if stateless else source
    try:
        program = load_source(whole, definitions)
    except GridError as error:
        raise GridError([found for found in error.diagnostics if found.code != NO_RULES]) from None
    for line, example in (("input", "a = bit+"), ("output", "a + 1")):
        if not getattr(program.table, line) and not (line == "output" and program.oracle):
            hint = f"say which with a line such as `{line} {example}`"
            what = "which inputs there are" if line == "input" else "what is to be left"
            raise fail("G175", f"`{program.name}` does not say {what}", hint, source.path)
    return program._replace(table=with_all_states(program))


def has_no_states(source: Source) -> bool:
    """Whether nothing is missing in a text but the states and their start."""
    parsed = parse(source)
    agent = parsed.partial.agent
    nothing = not (agent.states or agent.uses or agent.start)
    return nothing and [found.code for found in parsed.diagnostics] == [MISSING]


def with_all_states(program: Program) -> Table:
    """The table, also with states that no written rule leads to: found rules may."""
    agent = program.definition.agent if program.definition else None
    if agent is None:
        return program.table
    arguments = given_arguments(agent.header, {name: str(value) for name, value in program.bound.items()})
    table, _, diagnostics = lower(agent, {**arguments, **constants(agent, arguments)}, unreached=True)
    if table is None:
        raise GridError(diagnostics)
    return table
