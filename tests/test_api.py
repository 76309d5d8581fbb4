"""The way in: one import, names found by completion, options as on the command line, failures in words."""

from __future__ import annotations

import copy
import doctest
import inspect
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from mypy import api

import gridlang as gl
from gridlang.compiler.api.agents import TextTarget
from gridlang.compiler.targets import TARGETS
from gridlang.learners.learning.rounds import RoundResult
from gridlang.learners.learning.seed_verdicts import SeedResult
from tests.programs import EXAMPLES, ROOT
from tests.support.command_line import invoke
from tests.support.weights import MODELS

WORLDS = str(MODELS / "worlds.safetensors")
INCREMENT = EXAMPLES / "increment.grid"
FLIP = """
agent flip
alphabet
  bit = 0..1
input bit+
output ""
start walk
state walk
  b in bit : write 1 - b, R
  _        : halt
test "10" = "01"
"""


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


# Examples that learn take seconds each; docs/guide/python.md learns too, and is always run.
LEARNING = ("Learned", "learn")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.long if name in LEARNING else ()) for name in gl.__all__],
)
def test_every_public_name_has_an_example_that_is_run(name: str) -> None:
    examples = [
        test for test in doctest.DocTestFinder().find(getattr(gl, name), name, globs={}) if test.examples
    ]
    assert examples, f"{name} has a docstring without an example"
    for example in examples:
        results = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(example)
        assert results.failed == 0


def test_completion_offers_the_public_names() -> None:
    assert set(gl.__all__) <= set(dir(gl))
    assert gl.__all__ == sorted(gl.__all__) and all(getattr(gl, name) is not None for name in dir(gl))
    assert not {module for module in dir(gl) if inspect.ismodule(getattr(gl, module))}
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = gl.no_such_name


def test_the_page_names_every_public_name() -> None:
    page = (ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    assert [name for name in gl.__all__ if f"`{name}`" not in page and f"`{name}(" not in page] == []


def test_the_import_stays_light() -> None:
    code = (
        "import sys, gridlang\n"
        "assert not {'numpy', 'torch', 'networkx', 'gridlang.compiler', 'gridlang.learners'} & set(sys.modules)\n"
        "gridlang.run('examples/add2.grid', '1+1')\n"
        "assert not {'numpy', 'torch', 'networkx', 'hypothesis', 'gridlang.learners'} & set(sys.modules)\n"
        "gridlang.prove('examples/add2.grid')\n"
        "assert not {'numpy', 'torch', 'networkx', 'hypothesis'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize(
    ("agent", "options"),
    [
        ("increment.grid", {"input": "1011", "steps": 50}),
        ("add2.grid", {"against": "add2.grid", "scope": "table"}),
        pytest.param(WORLDS, {"against": "add2.grid", "scope": "worlds"}, marks=pytest.mark.long),
        (WORLDS, {"fold": False}),
    ],
)
def test_pages_are_those_of_the_command_line(
    agent: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES)
    gl.view(agent, **options).save(tmp_path / "ours.html")
    typed = [f"--{name}={value}" if value is not False else f"--no-{name}" for name, value in options.items()]
    assert invoke("view", agent, *typed, "-o", str(tmp_path / "theirs.html")).exit_code == 0
    assert (tmp_path / "ours.html").read_bytes() == (tmp_path / "theirs.html").read_bytes()


@pytest.mark.parametrize(
    "agent",
    [INCREMENT, str(INCREMENT), gl.load(INCREMENT), gl.load(INCREMENT).table],
    ids=["path", "text", "program", "table"],
)
def test_an_agent_is_what_load_gives_a_table_or_a_path(agent: Any) -> None:
    assert gl.run(agent, "1011").result == gl.run(agent, gl.string_world("1011")).result == "1100"
    assert gl.run(agent, "[1]1\n__\n").result == "100"
    assert gl.compile(agent).parameters == gl.load(INCREMENT).compile().parameters
    assert gl.to_networkx(agent).number_of_nodes() == 3
    assert gl.equiv(gl.compile(agent), agent).equivalent


def test_an_agent_of_ones_own_needs_no_file(tmp_path: Path) -> None:
    flip = gl.loads(FLIP.replace('output ""\n', ""))
    assert flip.test() and flip.run("1101").result == "0010" and flip.minimize().exact
    flip.save(tmp_path / "flip.grid")
    flip.save(tmp_path / "flip.json")
    assert gl.load(tmp_path / "flip.grid").table == gl.load(tmp_path / "flip.json").table == flip.table
    assert gl.loads(flip.table.to_source()).table == gl.loads(flip.to_json()).table == flip.table
    learned = gl.learn(flip, scope="inputs", seeds=1, recipe={"rounds": 1}, iterations=20)
    assert learned.folder and len(learned.rounds) == 1


def test_a_test_that_fails_says_what_was_wrong() -> None:
    tested = gl.loads(FLIP).test(cases=20)
    assert not tested and tested.counterexample == "0" and 'input     "0"' in str(tested)


def wrong(call: Callable[[], object], kind: type[Exception]) -> str:
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def test_wrong_use_says_what_to_type() -> None:
    agent = gl.load(INCREMENT)
    assert "did you mean `peek-worlds`?" in wrong(lambda: gl.trace(agent, rule="world"), ValueError)
    assert "`inputs`" in wrong(lambda: gl.equiv(agent, agent, scope="input"), ValueError)
    assert "gridlang.load" in wrong(lambda: gl.run(7, "1"), TypeError)  # type: ignore[arg-type]
    assert "gridlang.loads" in wrong(lambda: gl.run(FLIP, "1"), ValueError)
    assert "gridlang.compile" in wrong(lambda: gl.extract(agent), TypeError)  # type: ignore[arg-type]
    assert "digits=N" in wrong(lambda: gl.evaluate(gl.compile(agent)), ValueError)  # type: ignore[call-overload]
    assert "digits is 1 or more" in wrong(lambda: gl.evaluate(gl.compile(agent), digits=0), ValueError)
    assert "not from int" in wrong(lambda: gl.load(5), TypeError)  # type: ignore[arg-type]
    assert "gridlang.loads" in wrong(lambda: gl.load(FLIP), ValueError)
    assert "gridlang.load_model" in wrong(lambda: gl.load("models/add2.safetensors"), gl.GridError)
    assert ".svg" in wrong(lambda: gl.view(agent).save("increment.gif"), ValueError)
    assert "there is no such file" in wrong(lambda: gl.run("no-such.grid"), gl.GridError)
    assert "`x` is not in the alphabet" in wrong(lambda: agent.run("1x"), gl.GridError)
    assert "`x`" in wrong(lambda: agent.run(gl.World({(0, 0): "x"})), gl.GridError)


def test_a_certificate_is_true_only_if_it_is_valid(tmp_path: Path) -> None:
    agent, path = gl.load(INCREMENT), tmp_path / "proof.json"
    slip = gl.loads(agent.to_source().replace("write d + 1", "write d"))
    assert gl.equiv(agent, agent, certificate=path).equivalent and gl.verify(path)
    assert agent.equiv(slip, scope="inputs").equivalent is False
    path.write_text(path.read_text().replace("every world", "some worlds"))
    assert not gl.verify(path) and "not valid: claim" in repr(gl.verify(path))


def untrained() -> gl.Dfst:
    """A model that has hardly begun to learn, so that nothing is extracted from it."""
    return gl.train(INCREMENT, iterations=3, seed=5)[0]


def test_a_result_says_where_it_went_wrong() -> None:
    agent = gl.load(INCREMENT)
    slip = gl.loads(agent.to_source().replace("write d + 1", "write d"))
    assert repr(gl.equiv(agent, slip)) == "Verdict(different at step 2 on the world: 0[_])"
    assert repr(gl.World({(7, 0): "1"})) == "World([_]______1, start (0, 0))"
    assert repr(gl.World({(99, 9): "1"}, (3, 4))) == "World(97 x 6 cells, start (3, 4))"
    failed = gl.evaluate(gl.compile(slip), agent, digits=5)
    assert failed.first_error is not None
    assert f"failed in case {failed.first_error.number} of {failed.count}, at step" in repr(failed)
    assert "1 state, " in repr(gl.loads(FLIP)) and "1 state, " in repr(gl.compile(gl.loads(FLIP)))


def test_what_is_proven_of_a_table_says_how_far_the_model_was_seen_to_follow_it() -> None:
    result = SeedResult(0, "proven", followed_up_to=60)
    learned = gl.Learned("run", (0,), (RoundResult(1, 20, 900, 0, 3000, 1e-9, 1.0, 1.0, (result,)),))
    assert "followed their table on inputs of up to 60" in repr(learned)


def test_without_a_decision_nothing_is_certified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, model = tmp_path / "proof.json", untrained()
    verdict = gl.equiv(INCREMENT, model, scope="observed", certificate=path)
    assert verdict.equivalent is None and not path.exists()
    assert f"{path} was not written" in capsys.readouterr().err
    assert "train longer" in verdict.hint and verdict.hint in repr(verdict)
    assert "train longer" in gl.equiv(model, INCREMENT, longest=12).hint
    assert "refused: it is not sure" in wrong(gl.extract(model).to_source, gl.GridError)


def test_wrong_types_say_what_is_wanted() -> None:
    agent, exact = gl.load(INCREMENT), gl.load(INCREMENT).compile()
    calls: list[tuple[Callable[..., object], dict[str, Any], str]] = [
        (agent.run, {"steps": 1.5}, "steps is a whole number, not 1.5"),
        (agent.test, {"progress": True}, "progress is a function that takes a text, as in progress=print"),
        (agent.learn, {"progress": True}, "progress is a function"),
        (agent.learn, {"seed": "0"}, "seed is a whole number, not '0'"),
        (partial(gl.train, agent), {"seeds": [0, 1]}, "seeds is a whole number, not [0, 1]"),
        (partial(gl.extract, exact), {"longest": "x"}, "longest is a whole number, not 'x'"),
        (partial(gl.evaluate, exact), {"digits": 1, "seconds": "x"}, "seconds is a number, not 'x'"),
        (partial(gl.loads, agent), {}, "an agent is read from a text, not from Program"),  # type: ignore[arg-type]
        (partial(gl.World, "11"), {}, "`gridlang.string_world` takes a text"),  # type: ignore[arg-type]
    ]
    for call, options, message in calls:
        assert message in wrong(partial(call, **options), TypeError)


def test_what_cannot_be_meant_is_refused() -> None:
    agent = gl.load(INCREMENT)
    for call in (gl.train, gl.learn):
        assert "run=FOLDER" in wrong(partial(call, agent, resume=True), ValueError)
    assert "count is 1 or more" in wrong(lambda: gl.trace(agent, "uniform", 0), ValueError)
    assert "radius is 9 or less" in wrong(lambda: gl.equiv(agent, agent, radius=77), ValueError)
    assert "did you mean `cuda`?" in wrong(lambda: gl.train(agent, device="gpu"), ValueError)
    assert "did you mean `evaluate`?" in wrong(lambda: gl.evalute, AttributeError)


def test_files_have_an_ending_by_which_they_are_read() -> None:
    agent = gl.load(INCREMENT)
    assert "type 'm.safetensors'" in wrong(lambda: agent.compile().save("m.pt"), ValueError)
    assert "type 'x.npz'" in wrong(lambda: agent.trace().save("x.csv"), ValueError)
    assert "type 'x.grid'" in wrong(lambda: agent.save("x.txt"), ValueError)
    assert "`gridlang.load_traces`" in wrong(lambda: gl.load("x.npz"), gl.GridError)
    assert "`gridlang.load`" in wrong(lambda: gl.load_model(INCREMENT), gl.GridError)
    assert "`gridlang.load`" in wrong(lambda: gl.load_traces(INCREMENT), gl.GridError)
    assert "`gridlang.load`" in wrong(lambda: gl.loads("inc3.grid"), ValueError)


@pytest.mark.long
def test_a_script_without_a_guard_learns(tmp_path: Path) -> None:
    """Processes that are started for proofs do not run the script again."""
    script = tmp_path / "script.py"
    script.write_text(
        "import gridlang as gl\n"
        f"print(gl.learn({str(INCREMENT)!r}, scope='inputs', seeds=1, recipe={{'rounds': 1}}, iterations=200))\n"
    )
    known = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, check=True, env=known
    )
    assert done.stdout.count("Learned(") == 1


def test_a_verdict_is_never_taken_for_yes_or_no_by_a_slip() -> None:
    with pytest.raises(TypeError, match="`equivalent`"):
        bool(gl.equiv("examples/increment.grid", "examples/increment.grid"))
    with pytest.raises(TypeError, match="`passed`"):
        bool(gl.evaluate(gl.compile("examples/increment.grid"), digits=2))


def test_what_functions_return_is_pickled_and_copied() -> None:
    agent = gl.load(INCREMENT)
    run = agent.run("1011", trace=True)
    snapped = gl.snap(str(EXAMPLES / "models" / "add2.safetensors"))
    for thing in (agent, run, run.world, gl.string_world("1" * 2_000), snapped, gl.try_load("no.grid")):
        for again in (pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)):
            assert again == thing and repr(again) == repr(thing)
    viewed = copy.deepcopy(pickle.loads(pickle.dumps(agent.view())))
    assert viewed.render("dot") == agent.view().render("dot")
    assert gl.load(INCREMENT) == agent
    with ProcessPoolExecutor(1) as pool:
        assert pool.submit(agent.run, "11").result() == agent.run("11")
        with pytest.raises(gl.GridError, match="no such file"):
            pool.submit(gl.load, "no.grid").result()


def test_functions_return_public_types() -> None:
    functions = [getattr(gl, name) for name in gl.__all__ if inspect.isfunction(getattr(gl, name))]
    for function in functions:
        for name in re.findall(r"\b[A-Z]\w+", str(function.__annotations__["return"])):
            assert name in gl.__all__ or name in ("Any", "None", "MultiDiGraph"), (function, name)


TYPED = """
import gridlang as gl
reveal_type(gl.compile("a.grid"))
reveal_type(gl.compile("a.grid", to="dfst"))
reveal_type(gl.compile("a.grid", to="table", minimize=True))
reveal_type(gl.load("a.grid").run())
"""


def test_compile_is_typed_by_its_target(tmp_path: Path) -> None:
    (tmp_path / "typed.py").write_text(TYPED)
    told = api.run([str(tmp_path / "typed.py")])[0]
    types = re.findall(r'Revealed type is "(?:[\w.]+\.)?(\w+)"', told)
    assert types == ["Dfst", "Dfst", "str", "Run"]
    assert {*get_args(TextTarget), "dfst"} == set(TARGETS)


def test_what_cannot_be_wrapped_or_snapped_is_told() -> None:
    start, outputs = np.zeros(2), np.eye(8)[0]
    for step, told in (
        (lambda h, _: h, "not a pair"),
        (lambda h, _: (outputs[:3], h), "outputs of 3 numbers, not of 8"),
        (lambda h, _: (outputs, h[:1]), "a state of 1 number, not of 2"),
    ):
        with pytest.raises(gl.GridError, match=told) as found:
            gl.wrap(step, start, "_01")
        assert found.value.diagnostics[0].code == "G211"
    with pytest.raises(gl.GridError, match="wrapped model") as found:
        gl.snap(gl.wrap(lambda h, _: (outputs, h), start, "_01"))
    assert found.value.diagnostics[0].code == "G209"
