"""Rewrites the expected diagnostics, transcripts and pictures; read and look at them before committing them.

A transcript is a shell session: `#` says what follows, `cat` and `sed` (plain text, no patterns) make files, `[1]` is an
exit status, `>>>` a line of Python, where `show` prints the words of a notebook. It runs in a folder of its own, beside the examples and the agents of tests.
"""

import re
import shlex
import shutil
from collections.abc import Sequence
from contextlib import chdir, redirect_stdout
from html import unescape
from io import StringIO
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy
from click.testing import CliRunner

import gridlang
from gridlang.cli import main
from gridlang.compiler.drawing.views import picture
from gridlang.compiler.proven import gridcheck
from gridlang.diagnostics import GridError, render
from gridlang.learners.traces.dataset import read_traces
from gridlang.loading import try_load
from tests.programs import EXAMPLES
from tests.support.drawable import PICTURES

GOLDEN = Path(__file__).parent / "golden"
FOLDER, TRACES = GOLDEN / "diagnostics", GOLDEN / "traces"
TRANSCRIPTS = sorted((GOLDEN / "transcripts").glob("*.txt"))
PROOFS = GOLDEN / "proofs.txt"  # many short ones
CHANGING = {
    r'("\w*(?:seconds|rate)": )[\d.e-]+': r"\1…",
    r"[\d.]+ s asking, [\d.]+ s proving": "… s asking, … s proving",
    r"(held|tested) on [\d,]+ inputs": r"\1 on … inputs",
    r"not counted: [\d,]+ inputs": "not counted: … inputs",
    r"on none of [\d,]+ short inputs": "on none of … short inputs",
    r"tried all [\d,]+ inputs .* symbols": "tried all inputs …",  # fewer in tests: conftest.py
    r"\bloss \d\.\d+e[-+]\d+": "loss …",
    r"\(seed \d+, [\d.]+ s\)": "(seed …, … s)",
    r"\([\d.]+ s\)": "(… s)",
    r"\(seed \d+, (\d+ states)": r"(seed …, \1",
    r"seed-\d+\.": "seed-….",
    r"[\d.]+ s training, [\d.]+ s proving": "… s training, … s proving",
    r"\b\d+ clusters": "… clusters",
    r"\d+ pairs guessed": "… pairs guessed",
    r"clusters: spread .*;": "clusters: …;",
    r"[\d,]+ steps, [\d,]+ in the longest run": "… steps, … in the longest run",
    r"the snapped model; [\d,]+ product states, a window of radius \d": "the snapped model; …",
    r"stray [\d.]+ from .* flip, [\d.]+ before": "stray … from … flip, … before",
    r"observed on [\d,]+ inputs and [\d,]+ worlds: \d+ states": "observed on … inputs and … worlds: … states",
    r"RIGHT table, SHA-256 \w+": "RIGHT table, SHA-256 …",
    r"state `h\[\d+\]`": "state `h[…]`",
    r"(cases +steps +seconds +margin|\d+/\d+ +[\d,]+) .*": r"\1",
}


def stable(line: str) -> str:
    """Without what is up to the machine: inputs that a search has steps for, times, and the last digits of training,
    with what follows from these: clusters, and the digest of a table that was extracted."""
    for changing, shown in CHANGING.items():
        line = re.sub(changing, shown, line)
    return line


def traces_messages(name: str) -> str:
    """What is said about a broken file of traces."""
    try:
        with chdir(TRACES):
            read_traces(name)
    except GridError as error:
        return "\n\n".join(map(render, error.diagnostics)) + "\n"
    return ""


def messages(name: str) -> str:
    """All diagnostics of a broken file, as a user sees them."""
    with chdir(FOLDER):
        return "\n\n".join(render(d) for d in try_load(name).diagnostics) + "\n"


def replayed(text: str) -> str:
    """A transcript with what its commands print now."""
    shown, lines = list[str](), iter(text.splitlines(keepends=True))
    unbuilt = mock.patch.object(gridcheck, "is_proven", lambda *_: None)
    with TemporaryDirectory() as folder, chdir(folder), unbuilt:
        shutil.copytree(EXAMPLES, "examples")
        shutil.copytree(GOLDEN.parent / "agents", "agents")
        names: dict[str, object] = {"gl": gridlang, "np": numpy, "show": show}
        for line in (line for line in lines if line.startswith(("$ ", ">>> "))):
            shown.append(line)
            if line.startswith(">>> "):
                shown.append(_valued(line.removeprefix(">>> "), names))
                continue
            words = shlex.split(line.removeprefix("$ "), comments=True)
            given = None
            if words[-1:] == ["<<EOF"]:
                given = "".join(takewhile("EOF\n".__ne__, lines))
                shown.append(f"{given}EOF\n")
                words.pop()
            shown.append(_said(words, given) if words else "")
    return "".join(shown)


def blocks(text: str) -> list[str]:
    """Transcripts of one file, which a blank line parts."""
    return [f"{block.strip()}\n" for block in re.split(r"\n\n(?=\$ )", text)]


def _said(words: Sequence[str], given: str | None) -> str:
    if words[-2:-1] == [">"]:
        Path(words[-1]).write_text(_said(words[:-2], given), encoding="utf-8")
        return ""
    command, *rest = words
    if command == "cat":
        return given or Path(*rest).read_text(encoding="utf-8")
    if command == "sed":
        _, old, new, _ = rest[0].split("|")
        return Path(rest[1]).read_text(encoding="utf-8").replace(old, new)
    assert command == "gridlang", command
    done = CliRunner().invoke(main, rest, input=given)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    said = done.output + (f"[{done.exit_code}]\n" if done.exit_code else "")
    return "".join(f"{stable(line)}\n" for line in said.splitlines())


def show(thing: Any) -> None:
    """Prints the words that a thing shows in a notebook."""
    html = re.sub(r"<style>.*?</style>|<title>.*?</title>", "", thing._repr_html_(), flags=re.DOTALL)
    assert html.count("<div") == html.count("</div>") and "<script" not in html
    words = unescape(re.sub(r"<[^>]*>", " ", html)).split("\n")
    print("\n".join(" ".join(line.split()) for line in words if line.strip()))


def _valued(line: str, names: dict[str, object]) -> str:
    """What Python shows for a line."""
    value = None
    with redirect_stdout(StringIO()) as printed:
        try:
            try:
                value = eval(line, names)
            except SyntaxError:
                exec(line, names)
        except Exception as error:
            return f"{type(error).__name__}: {str(error).strip()}\n"
    return printed.getvalue() if value is None else f"{value!r}\n"


if __name__ == "__main__":
    for path in sorted(path for path in TRACES.iterdir() if path.suffix != ".err"):
        Path(TRACES, f"{path.name}.err").write_text(traces_messages(path.name), encoding="utf-8")
    for path in sorted(FOLDER.glob("*.grid")):
        path.with_suffix(".err").write_text(messages(path.name), encoding="utf-8")
    for name, graph in PICTURES.items():
        Path(GOLDEN, "pictures", f"{name}.svg").write_bytes(picture("svg", graph()))
    for path in TRANSCRIPTS:
        path.write_text(replayed(path.read_text(encoding="utf-8")), encoding="utf-8")
    PROOFS.write_text("\n".join(map(replayed, blocks(PROOFS.read_text("utf-8")))), encoding="utf-8")
