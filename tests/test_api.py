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
from pathlib import Path
from typing import Any

import pytest
from mypy import api

import gridlang as gl
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


def wrong(call: Callable[[], object], kind: type[Exception]) -> str:
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def untrained() -> gl.Dfst:
    """A model that has hardly begun to learn, so that nothing is extracted from it."""
    return gl.train(INCREMENT, iterations=3, seed=5)[0]


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
    assert types == ["Dfst", "Dfst", "Any", "Run"]
    assert gl.compile(INCREMENT, to="png").startswith(b"\x89PNG")
