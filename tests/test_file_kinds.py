"""Each command on each kind of file: it takes the file, or says in a few lines what to type instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gridlang as gl
from gridlang.compiler.foreign import FORMATS
from gridlang.diagnostics import MOST_SHOWN
from gridlang.file_kinds import KINDS, kind_of
from gridlang.learners.traces.dataset import FILE_ENDINGS
from tests.programs import EXAMPLES
from tests.support.command_line import answer, invoke

AGENTS = {"source", "table", "model", "machine"}
# command -> its words, `{}` being the file, and the kinds that it takes
TABLE = {
    "check": ("{}", {"source", "table", "folder"}),
    "fmt": ("--check {}", {"source", "folder"}),
    "run": ("{} 101", AGENTS),
    "compile": ("{} -o -", AGENTS),
    "test": ("{}", {*AGENTS, "folder"}),
    "view": ("{} -o out.svg", AGENTS),
    "trace": ("{} -o out.npz", {*AGENTS, "traces"}),
    "train": ("{} -o out.safetensors", {"source", "table", "machine", "traces"}),
    "sweep": ("{} -o out", {*AGENTS, "traces"}),
    "eval": ("{} --digits 3", {"model"}),
    "extract": ("{}", {"model"}),
    "learn": ("{}", AGENTS),
    "equiv": ("inc.grid {}", AGENTS),
    "prove": ("{}", AGENTS),
    "report": ("{}", set()),
    "verify": ("{}", {"certificate"}),
    "import": ("{} -o -", {"machine"}),
}
FILES = {
    "inc.grid": "source",
    "inc.json": "table",
    "inc.safetensors": "model",
    "inc.npz": "traces",
    "mine.jsonl": "traces",
    "inc.yaml": "machine",
    "inc.bb": "machine",
    "proof.json": "certificate",
    "folder": "folder",
    "data.bin": "bytes",
    "noise.grid": "bytes",
    "empty.grid": "nothing",
    "empty.jsonl": "nothing",
    "empty.safetensors": "nothing",
    "notes.md": "words",
    "nowhere.grid": "missing",
}
MOST_LINES = 9


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("kinds")
    (place / "folder").mkdir()
    (place / "inc.grid").write_bytes((EXAMPLES / "increment.grid").read_bytes())
    agent = gl.load(place / "inc.grid")
    agent.save(place / "inc.json")
    gl.trace(agent, "peek-worlds", 5).save(place / "inc.npz")
    gl.trace(agent, "peek-worlds", 5).save(place / "mine.jsonl")
    for target, name in (
        ("dfst", "inc.safetensors"),
        ("turingmachine", "inc.yaml"),
        ("bbchallenge", "inc.bb"),
    ):
        made = invoke("compile", str(place / "inc.grid"), "--to", target, "-o", str(place / name))
        assert made.exit_code == 0, made.output
    gl.equiv(agent, agent, certificate=place / "proof.json")
    for name in ("data.bin", "noise.grid"):
        (place / name).write_bytes(bytes(range(256)) * 40)
    for name in ("empty.grid", "empty.jsonl", "empty.safetensors"):
        (place / name).write_bytes(b"")
    (place / "notes.md").write_text("# A title\n\nSome words, and more: none of them declares.\n" * 100)
    return place


@pytest.mark.parametrize("command", TABLE)
def test_a_file_of_another_kind_is_refused_in_a_few_lines(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(folder)
    words, taken = TABLE[command]
    for file in (file for file, kind in FILES.items() if kind not in taken):
        done = invoke(command, *words.format(file).split())
        said = done.output.strip().split("\n")
        assert done.exit_code in (1, 2), (file, done.output)
        assert len(said) <= MOST_LINES, (file, done.output)
        assert FILES[file] not in KINDS or "hint: " in done.output, (file, said)


@pytest.mark.parametrize("file", [file for file, kind in FILES.items() if kind in KINDS])
@pytest.mark.parametrize("command", ["run", "eval", "check", "fmt", "verify", "import"])
def test_what_a_refusal_tells_to_type_takes_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, file: str
) -> None:
    monkeypatch.chdir(folder)
    words, taken = TABLE[command]
    if FILES[file] not in taken:
        typed = re.search(rf"`gridlang (\w+) {file}", invoke(command, *words.format(file).split()).output)
        assert typed and FILES[file] in TABLE[typed[1]][1]


@pytest.mark.parametrize("file", ["inc.yaml", "inc.bb"])
@pytest.mark.parametrize("command", ["compile", "equiv", "view"])
def test_machines_of_other_tools_are_taken_wherever_agents_are(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, file: str
) -> None:
    monkeypatch.chdir(folder)
    words = {"compile": f"{file} -o -", "equiv": f"{file} {file}"}
    done = invoke(command, *words.get(command, f"{file} -o out.svg").split())
    assert "error" not in done.output, done.output


def test_a_file_without_an_ending_is_known_by_its_bytes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for name, ending in (("model", "safetensors"), ("traces", "npz"), ("agent", "grid")):
        Path(name).write_bytes(Path(f"inc.{ending}").read_bytes())
    for words in ("view model -o m.svg", "run model 1", "equiv agent model", "prove model", "extract model"):
        assert invoke(*words.split()).exit_code == 0, words
    assert invoke("train", "traces", "--method", "merge", "-o", "merged").exit_code == 0
    assert invoke("view", "merged", "-o", "merged.svg").exit_code == 0


def test_a_kind_is_told_by_its_text_too(folder: Path) -> None:
    assert kind_of("anything", (folder / "mine.jsonl").read_bytes()) == "traces"
    assert kind_of("anything", (folder / "inc.safetensors").read_bytes()) == "model"
    assert kind_of("anything", (folder / "inc.npz").read_bytes()) == "traces"
    assert kind_of("anything", (folder / "proof.json").read_bytes()) == "certificate"
    assert kind_of("anything", (folder / "inc.json").read_bytes()) == "table"


def test_endings_are_those_that_readers_know() -> None:
    assert set(KINDS["traces"].endings) == set(FILE_ENDINGS)
    assert set(KINDS["machine"].endings) == {e for each in FORMATS.values() for e in each.endings}


def test_errors_stop_after_twenty_with_a_count(tmp_path: Path) -> None:
    path = tmp_path / "broken.grid"
    path.write_text("agent b\nstart a\nstate a\n" + "  _ : R -> nowhere, or\n" * 60)
    said = invoke("check", str(path)).stderr
    assert said.count("error[") == MOST_SHOWN
    assert said.endswith("40 more are not shown; --json lists all\n60 errors\n")
    assert len(answer("check", str(path), code=1)["diagnostics"]) == 60
    with pytest.raises(gl.GridError, match="40 more are not shown") as error:
        gl.load(path)
    assert len(error.value.diagnostics) == 60
