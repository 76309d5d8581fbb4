"""The API that needs no learning: run, compile, test, minimise, prove, check a certificate.

Each function does heavy imports itself: running a source needs no numpy.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, overload

from gridlang.compiler import given
from gridlang.compiler.engines import by_weights, execute
from gridlang.compiler.given import NONE, AgentLike, ModelLike, Path, Say, read_file, with_table
from gridlang.compiler.simulation.simulate import MAX_STEPS, Record, Run, with_places
from gridlang.compiler.targets import TARGETS
from gridlang.compiler.testing.limits import LIMITS
from gridlang.options import Option, Seed, checked
from gridlang.program import Program
from gridlang.world import World

if TYPE_CHECKING:
    import networkx

    from gridlang.compiler.automata.merging import Minimized
    from gridlang.compiler.tensors.dfst import Dfst
    from gridlang.compiler.testing.output_search import Answer
    from gridlang.compiler.verifier.verify import Checked

ENGINES = ("auto", "reference", "native", "dfst")
Engine: TypeAlias = Annotated[str, Option("Engine to use; all give the same answer.", choices=ENGINES)]


@checked
def run(
    agent: AgentLike | ModelLike,
    input: str | World = "",
    *,
    engine: Engine = "auto",
    steps: Annotated[int, Option("Step limit.", 0, MAX_STEPS)] = 10_000_000,
    detect_loops: Annotated[bool, Option("Stop when a configuration repeats.")] = False,
    trace: Annotated[bool, Option("Print every step; with --json, one line each.")] = False,
    record: Record | None = None,
    progress: Say | None = None,
) -> Run:
    """Runs an agent or a model on an input, on a world, or on the empty grid.

    In Python, several lines of text are a picture of a world, its start cell in brackets. `trace` keeps every
    step, with its state and its cell, and `record` is given all steps, in columns, many at a time.

    >>> import gridlang as gl
    >>> done = gl.run("examples/add10.grid", "47+85")
    >>> done.outcome, done.result, done.steps
    ('halted', '132', 39)
    >>> first = gl.run("examples/add10.grid", "47+85", trace=True).trace[0]
    >>> first.state, first.cell, first.read, first.write, first.move
    ('seek', (0, 0), '4', '4', 'R')
    """
    options: dict[str, Any] = {"trace": trace, "record": record}
    options["progress"] = given.counting(progress, "steps done")
    if detect_loops and engine == "dfst":
        raise ValueError("detect_loops needs states, which the engine dfst does not have")
    if given.is_weights(agent) and by_weights(engine, with_states=detect_loops):
        from gridlang.compiler.lockstep.alone import run_model

        model = given.as_any_model(agent)
        return run_model(model, given.as_world(input, *given.alphabet_of(model)), steps, **options)
    program = given.as_program(agent)
    table, world = program.table, given.as_world(input, *given.alphabet_of(program))
    done = execute(table, world, steps, engine, detect_loops=detect_loops, **options)
    return replace(done, trace=tuple(with_places(table, world.start, done.trace))) if done.trace else done


@overload
def compile(agent: AgentLike, to: Literal["dfst"] = "dfst", *, minimize: bool = False) -> Dfst: ...
@overload
def compile(agent: AgentLike, to: str, *, minimize: bool = False) -> Any: ...
@checked
def compile(
    agent: AgentLike,
    to: Annotated[
        str, Option("Target; the last ones are files of other tools.", choices=tuple(TARGETS))
    ] = "dfst",
    *,
    minimize: Annotated[bool, Option("Merge states that never disagree, and check the result.")] = False,
) -> Dfst | str | bytes:
    """Compiles an agent to exact DFST tensors, or to another target.

    >>> import gridlang as gl
    >>> weights = gl.compile("examples/add10.grid")
    >>> weights.parameters, weights.run("47+85").result
    (8900, '132')
    >>> print(gl.compile("examples/increment.grid", to="grid").splitlines()[0])
    agent increment
    """
    program = given.as_program(agent)
    if minimize:
        from gridlang.compiler.automata.merging import minimize_table

        program = with_table(program, minimize_table(program.table).table)
    if to == "dfst":
        from gridlang.compiler.tensors.dfst import table_to_dfst

        return table_to_dfst(program.table, program.to_source())
    data = TARGETS[to].render(program)
    return data if to == "png" else data.decode()


@checked
def minimize(agent: AgentLike, *, seed: Seed = 0) -> Minimized:
    """The agent with fewer states, checked to do the same; `exact` if no table can have fewer.

    >>> import gridlang as gl
    >>> gl.minimize("examples/mult2.grid")
    Minimized(mult2: 21 states, no table can have fewer)
    """
    from gridlang.compiler.automata.merging import minimize_table

    return minimize_table(given.as_program(agent).table, seed)


@dataclass(frozen=True, slots=True)
class Tested:
    """How the tests of a file went; true if something was checked and nothing failed.

    `counterexample` is an input with a wrong result.

    >>> import gridlang as gl
    >>> bool(gl.test("examples/sort.grid", cases=20))
    True
    """

    program: Program
    passed: int
    failed: int
    counterexample: str | None
    data: dict[str, Any]  # all of it, as `gridlang test --json` prints it

    def __bool__(self) -> bool:
        return self.passed > 0 and not self.failed

    def __str__(self) -> str:
        from gridlang.compiler.testing.report import report_lines

        return "\n".join(report_lines(self.program, self.data))

    def __repr__(self) -> str:
        return f"Tested({self.program.name}: {self.passed} passed, {self.failed} failed)"

    def _repr_html_(self) -> str:
        from gridlang.compiler.drawing.templates import macro
        from gridlang.compiler.notebooks import HTML

        return macro(HTML, "preformatted")(str(self))


@checked
def test(
    agent: AgentLike,
    *,
    cases: Annotated[int, Option("Inputs to draw, after all short ones.", 0)] = LIMITS.cases,
    longest: Annotated[
        int | None,
        Option(
            "Longest input, in symbols.",
            0,
            LIMITS.most_symbols,
            usual=f"{LIMITS.longest}, or as needed",
        ),
    ] = None,
    steps: Annotated[
        int, Option("Step limit of each run; a test that names more steps runs that far.", 0, MAX_STEPS)
    ] = LIMITS.most_steps,
    seed: Seed = 0,
    engine: Engine = "auto",
    oracle: Callable[..., Answer] | AgentLike | None = None,
    progress: Say | None = None,
) -> Tested:
    """Runs the tests of an agent's file, and searches for an input that its `output` clause gets wrong.

    It tries all short inputs, then longer ones, random and patterned, shrinks one that fails, and reports
    what it tried. It counts separately the inputs for which the clause has no value, and longer ones on which
    a run does not halt. If it checked nothing, it fails.

    An oracle is asked instead of the clause. It gets the named parts of the input, numbers as int and all
    else as str (a parameter annotated `str` gets the text), and returns the result, an int or a str (rows
    with newlines between them), or a verdict: True or "accept", False or "stuck". Where it returns None,
    nothing is claimed. In Python, an agent can be the oracle.

    >>> import gridlang as gl
    >>> gl.test("examples/increment.grid", cases=20)
    Tested(increment: 4 passed, 0 failed)
    >>> gl.test("examples/add10.grid", cases=20, oracle=lambda a, b: a + b).failed
    0
    """
    from gridlang.compiler.testing.report import test_report

    program = given.as_program(agent)
    tried = given.counting(progress, f"inputs of {program.name} tried")
    other = oracle if oracle is None or callable(oracle) else given.as_program(oracle)
    data = test_report(program, cases, steps, seed, engine, tried, longest, other)
    wrong = data["counterexample"]
    return Tested(program, data["passed"], data["failed"], wrong["input"] if wrong else None, data)


def verify(
    certificate: Path,
    left: AgentLike | ModelLike | None = None,
    right: AgentLike | ModelLike | None = None,
    definitions: Mapping[str, str] = NONE,
) -> Checked:
    """Checks a certificate of equiv or prove, with code that uses none of the prover.

    The certificate holds the tables that its claim is about; of their files it has only the names. If `left`
    and `right` are given, their tables are rebuilt, with the arguments of the certificate or with other
    definitions, and must be equal to those; a model must be the one that the table was extracted from, and is
    not extracted again.

    >>> import gridlang as gl, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "proof.json")
    >>> gl.equiv("examples/increment.grid", "examples/increment.grid", certificate=path).equivalent
    True
    >>> gl.verify(path).valid
    True
    >>> gl.verify(path, "examples/increment.grid", "examples/ant.grid").valid
    False
    """
    from gridlang.compiler.verifier.verify import verify as check

    if (left is None) != (right is None):
        raise TypeError("give both agents that a certificate is about, or none")
    data = read_file(os.fspath(certificate))
    text = data.decode("utf-8", "replace")
    checked = check(text)
    if left is None or right is None or not checked.valid:
        return _checked_again(checked, data)
    from gridlang.compiler.api.certified_files import file_problems, snapped_weights, weights_of
    from gridlang.compiler.verifier.tables import Problem

    certified, weights = json.loads(text), None
    problems = file_problems(certified, left, right, definitions)
    snapped = None if problems else snapped_weights(certified["right"], right)
    if snapped is not None:
        problems = [Problem("right", message) for message in snapped.problems]
    if problems:
        return checked._replace(valid=False, problems=tuple(problems))
    if snapped is not None and snapped.stray is not None and given.is_weights(right):
        checked, weights = checked._replace(stray=snapped.stray.as_json()), weights_of(right)
    return _checked_again(checked, data, weights)


def _checked_again(checked: Checked, certificate: bytes, weights: bytes | None = None) -> Checked:
    """Adds the answer of the proven checker, where it was built and knows this kind of model."""
    from gridlang.compiler.proven.gridcheck import NoAnswer, is_proven
    from gridlang.compiler.verifier.tables import Problem

    if not checked.valid or checked.unanswered:
        return checked
    try:
        proven = is_proven(certificate, weights)
    except NoAnswer as why:
        return checked._replace(unanswered=str(why))
    if proven is False:
        refused = Problem("certificate", "the checker that is proven in Rocq refuses it")
        return checked._replace(valid=False, problems=(refused,))
    return checked._replace(proven=proven is True)


def to_networkx(agent: AgentLike) -> networkx.MultiDiGraph[Any]:
    """The state graph as a `networkx.MultiDiGraph`, to compute on.

    Nodes are the numbers of the states, 0 the start, with `name`, `start`, `halts`, `family` and
    `parameters`. Each entry of the table is an edge, keyed by the number of the symbol read, with `read`,
    `write`, `move`, `halts` and `rule`, the rule of the source that it comes from; its `text` as written,
    and its `line`. Without a source, and for the target `halt`, these are None, "" and None.

    >>> import gridlang as gl
    >>> gl.to_networkx("examples/increment.grid").number_of_nodes()
    3
    """
    from gridlang.compiler.automata.state_graph import to_networkx

    program = given.as_program(agent)
    return to_networkx(program.table, program.rules)
