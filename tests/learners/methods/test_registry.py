"""A method that somebody adds is offered, checked and trained as ours are."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import gridlang as gl
from gridlang.cli import main
from gridlang.learners.methods import registry
from gridlang.learners.methods.method import Found, Method, Setting, table_method
from gridlang.learners.methods.registry import METHODS, method_named, register
from gridlang.learners.training.train import TrainingPlan, train
from gridlang.table import STAY, Entry, Table
from gridlang.terminal import notes
from tests.programs import EXAMPLES, ROOT

AGENT = str(EXAMPLES / "increment.grid")


def halting(plan: TrainingPlan, _: str | None, tell: Callable[[str], None]) -> Found:
    """An agent of this size that halts at once."""
    tell("halting")
    states, symbols = plan.method.settings["depth"], plan.traces.symbols
    if not states:
        return Found(None)
    names = tuple(f"q{number}" for number in range(states))
    rows = tuple(
        tuple(Entry(symbol, STAY, state) for symbol in range(len(symbols))) for state in range(states)
    )
    return Found(Table(plan.traces.name, symbols, names, rows), {"kind": "toy"})


TOY = table_method(
    "toy", "Halts at once.", halting, settings=(Setting("depth", 1, "the states that it has", least=0),)
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(notes, "_told", set())


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Method:
    monkeypatch.setattr(registry, "METHODS", dict(METHODS))
    return register(TOY)


def called(*words: str) -> Result:
    return CliRunner().invoke(main, words)


@pytest.mark.usefixtures("toy")
def test_a_registered_method_is_trained_by_the_command() -> None:
    done = called("train", AGENT, "--method", "toy", "--depth", "2", "-o", "t.safetensors")
    assert done.exit_code == 0, done.output
    assert "toy, depth 2" in done.output and "2 states\n" in done.output
    assert gl.load_model("t.safetensors").training["kind"] == "toy"
    none = called("train", AGENT, "--method", "toy", "--depth", "0", "-o", "n.safetensors")
    assert none.exit_code == 1 and "another `--depth` may help" in none.output


@pytest.mark.usefixtures("toy")
def test_help_shows_its_line_and_its_options() -> None:
    shown = " ".join(called("train", "--help").output.split())
    assert "toy Halts at once." in shown
    assert "--depth INTEGER RANGE For toy: the states that it has. [default: 1]" in shown
    assert "gru A GRU. [needs gridlang[learn]]" in shown


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--method", "tuy"), "there is no method `tuy`; did you mean `toy`?"),
        (("--method", "merge", "--depth", "2"), "--depth is for --method toy; --method merge does not"),
        (("--method", "toy", "--order", "breadth"), "--order is for --method merge; --method toy does not"),
        (("--method", "toy", "--seeds", "3"), "--seeds is for models that are trained; --method toy"),
        (("--method", "toy", "--depth", "-1"), "-1 is not in the range x>=0"),
    ],
)
def test_what_a_command_gets_wrong_is_told(words: tuple[str, ...], told: str) -> None:
    done = called("train", AGENT, *words)
    assert done.exit_code == 2 and told in " ".join(done.output.split()), done.output


@pytest.mark.usefixtures("toy")
def test_what_a_call_gets_wrong_is_told() -> None:
    with pytest.raises(ValueError, match="did you mean `toy`"):
        gl.train(AGENT, method="tuy")
    with pytest.raises(ValueError, match="toy does not read dept: did you mean `depth`"):
        gl.train(AGENT, method="toy", dept=1)
    with pytest.raises(ValueError, match="dfst does not read order: it has no settings"):
        gl.train(AGENT, order="breadth")
    with pytest.raises(TypeError, match="depth is a whole number, not 'two'"):
        gl.train(AGENT, method="toy", depth="two")
    with pytest.raises(ValueError, match="depth is 0 or more, not -1"):
        gl.train(AGENT, method="toy", depth=-1)
    with pytest.raises(ValueError, match="order is `evidence` or `breadth`, not 'depth'"):
        gl.train(AGENT, method="merge", order="depth")
    with pytest.raises(ValueError, match="there is a method `toy` already"):
        register(TOY)


def test_a_method_may_train_a_dfst_in_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def learn(plan: TrainingPlan, folder: str | None, **how: object) -> list[object]:
        assert how["resume"] is False and callable(how["on_event"])
        return list(train(plan, folder))

    monkeypatch.setattr(registry, "METHODS", dict(METHODS))
    register(Method("mine", "A DFST.", learn, architecture="dfst"))  # type: ignore[arg-type]
    models = gl.train(AGENT, method="mine", iterations=2, seeds=2)
    assert [model.training["method"] for model in models] == [{"name": "mine"}] * 2


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Installed packages that offer methods: that of the documentation, one that is broken, and others."""
    page = (ROOT / "docs" / "reference" / "adding_a_method.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n# last_reads.py\n(.*?)```", page, re.DOTALL)
    assert code
    (tmp_path / "last_reads.py").write_text(code[1], encoding="utf-8")
    (tmp_path / "broken_method.py").write_text("import nothing_of_this_name\n", encoding="utf-8")
    (tmp_path / "taken_name.py").write_text(
        "from dataclasses import replace\nfrom last_reads import METHOD\nMETHOD = replace(METHOD, name='dfst')\n",
        encoding="utf-8",
    )
    info = tmp_path / "others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[gridlang.methods]\nlast-reads = last_reads:METHOD\nbroken = broken_method:METHOD\n"
        "dfst = taken_name:METHOD\nfolder = os:sep\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    registry._of_other_packages.cache_clear()
    yield tmp_path
    registry._of_other_packages.cache_clear()
    for name in ("last_reads", "broken_method", "taken_name"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("packages")
def test_the_method_of_another_package_is_trained() -> None:
    done = called("train", AGENT, "--method", "last-reads", "--memory", "2", "-o", "t.safetensors")
    assert done.exit_code == 0, done.output
    (model,) = gl.train(AGENT, method="last-reads")
    assert model.training["method"] == {"name": "last-reads", "memory": 1}
    assert "last-reads" in called("train", "--help").output
    assert method_named("dfst") is METHODS["dfst"]


@pytest.mark.usefixtures("packages")
def test_what_is_wrong_with_the_methods_of_others_is_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    assert "last-reads" in registry.methods() and "broken" not in registry.methods()
    said = capsys.readouterr().err
    assert "the method `broken` of others cannot be loaded: No module named 'nothing_of_this_name'" in said
    assert "others offers a method `dfst`" in said
    assert "the method `folder` of others is not a Method, but str" in said
