"""No file makes a command break, and any file is answered soon; defects that were found are kept in golden/defects."""

from __future__ import annotations

import json
import re
import shutil
import traceback
from collections.abc import Callable, Sequence
from contextlib import chdir, suppress
from contextvars import copy_context
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from gridlang import cli
from gridlang.compiler.language_server.analysis import summarise
from gridlang.compiler.language_server.documents import document_text
from gridlang.compiler.language_server.features.completion import completions
from gridlang.compiler.language_server.features.hovering import hover
from gridlang.compiler.language_server.features.outline import symbols
from gridlang.compiler.language_server.features.renaming import Refused, rename
from gridlang.compiler.language_server.project import Project
from gridlang.compiler.tensors.dfst import dfst_from_bytes, dfst_to_bytes, dfst_to_table, table_to_dfst
from gridlang.compiler.verifier.verify import verify
from gridlang.diagnostics import Diagnostic, GridError, render
from gridlang.files import read_source
from gridlang.loading import load_source, try_load
from gridlang.source import Source
from gridlang.syntax.formatter import format_source
from gridlang.table import Table
from gridlang.table_json import FORMAT, table_from_json, table_to_json
from gridlang.world import World, string_world
from tests.forgeries.genuine import copied, genuine
from tests.programs import PROGRAMS, ROOT
from tests.support.changed_files import Chance, Steps, certificates, folders, models, sources, traces
from tests.support.clocks import processor_seconds
from tests.support.pairs import first_difference, small_inputs, small_worlds
from tests.support.searches import LONG, searched, searching

SECONDS = 60.0  # of processor time for a step: a hang, not a benchmark
LARGEST = 60  # states of a table whose tensors are compared: beyond it they take megabytes
# An exception that was caught and told as if it were an answer.
SWALLOWED = re.compile(r"\b[A-Z]\w*(Error|Exception|Interrupt|Exit): ")
DEFECTS = ROOT / "tests" / "golden" / "defects"


def problem_of(step: Sequence[str]) -> str:
    """What is wrong with how a step ends in this folder; the empty string where nothing is."""
    begun = processor_seconds()
    defect = CHECKS[step[0]](*step[1:]) if step[0][0] == "=" else command_problem(step)
    return defect or (f"ran past {SECONDS} s" if processor_seconds() - begun > SECONDS else "")


def command_problem(arguments: Sequence[str]) -> str:
    """A traceback, an exit status that no command has, an exception told as an answer, or raw control characters."""
    result = CliRunner().invoke(cli.main, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return "".join(traceback.format_exception(result.exception))
    if result.exit_code not in (0, 1, 2):
        return f"exit status {result.exit_code}\n{result.output}"
    if "Traceback" in result.output or SWALLOWED.search(result.output):
        return f"an exception is told as an answer:\n{result.output}"
    if re.search(r"[\0-\x08\x0b-\x1f\x7f]", result.output):
        return f"a control character reaches the terminal:\n{result.output!r}"
    if "--json" in arguments and (result.stdout or result.exit_code != 2):
        json.loads(result.stdout)
    return "" if result.exit_code != 2 or result.output.strip() else "exit status 2 without a word"


def program_check(path: str) -> str:
    """What passes `check` keeps its meaning in every form that it is written in."""
    program = try_load(path).program
    if program is None:
        return ""
    table = program.table
    same = {
        "its JSON": table_from_json(table_to_json(table)) == table,
        "its flattened source": load_source(Source("<flat>", program.to_source())).table == table,
    }
    if not path.endswith(".json"):
        once = format_source(read_source(path))
        same["what fmt makes of it twice"] = format_source(Source(path, once)) == once
        same["what fmt makes of it"] = load_source(Source(path, once)).table == table
    if len(table.states) <= LARGEST:
        tensors = dfst_from_bytes(dfst_to_bytes(table_to_dfst(table)))
        same["its tensors"] = dfst_to_table(tensors).rows == table.rows
    return "".join(f"{name}: something else\n" for name, is_same in same.items() if not is_same)


def editor_check(path: str) -> str:
    """The language server answers wherever the cursor is."""
    text = document_text(Path(path).read_bytes().decode("utf-8", "replace"))
    project = Project([str(Path.cwd())])
    project.open[path] = text
    summary, names = summarise(path, project.open), project.names(path)
    if names:
        symbols(names)
    for offset in range(0, len(text) + 1, len(text) // 7 + 1):
        hover(project, path, offset, summary)
        completions(project, path, offset)
        with suppress(Refused):
            rename(project, path, offset, "fresh_name")
    return ""


def claim_check(path: str) -> str:
    """A certificate that is called valid tells the truth, as far as small worlds can tell."""
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    lie = lie_in(json.loads(text)) if verify(text).valid else ""
    return lie and f"a false certificate is called valid: {lie}"


def lie_in(certificate: dict[str, Any]) -> str:
    """What is false in a certificate, as far as small worlds show; a claim on all reads holds on them too.

    Tables and clauses that the language does not read cannot be run, and so nothing is known of them.
    """
    claim, evidence = certificate["claim"], certificate["evidence"]
    scope, stuck = claim["scope"], claim.get("stuck", "unasked")
    try:
        left, right = (_table(certificate[side]["table"], scope) for side in ("left", "right"))
        worlds = small_inputs(left) if scope == "inputs" else small_worlds(left)
        if not claim["equivalent"]:
            cells = {(x, y): symbol for x, y, symbol in evidence.get("cells", ())}
            shown = (
                string_world(evidence["input"])
                if scope == "inputs"
                else World(cells, tuple(evidence["start"]))
            )
            differ = first_difference(left, right, shown, 60, stuck) is not None
            return "" if differ or len(evidence["reads"]) > 60 else f"they do not differ on {shown}"
        for world in islice(worlds, 600):
            if scope != "observed" and first_difference(left, right, world, 60, stuck):
                return f"they differ on {world}"
    except GridError:
        pass
    return ""


def _table(data: dict[str, Any], scope: str) -> Table:
    """A table of a certificate; what it declares of its inputs counts only where the claim is about them."""
    declared = ", ".join(map(_spoken, data["input"])) if scope == "inputs" else None
    said = {"format": FORMAT, "classes": [], "input": declared, "output": None}
    return table_from_json(json.dumps({**data, **said}))


def _spoken(piece: Any) -> str:
    """A piece of an input clause in the words of the language."""
    if isinstance(piece, str):
        symbols = (re.sub(r"(['\\])", r"\\\1", symbol) for symbol in piece)
        return "(" + " | ".join(f"'{symbol}'" for symbol in symbols) + ")"
    kind, *inner = piece
    between = f" {kind} " if kind in (",", "|") else ""
    return "(" + between.join(map(_spoken, inner)) + ")" + (kind if not between else "")


CHECKS: dict[str, Callable[..., str]] = {
    "=program": program_check,
    "=editor": lambda path: copy_context().run(editor_check, path),  # It says what is unsaved.
    "=claim": claim_check,
}


@pytest.mark.parametrize(
    "kind",
    [
        sources,
        certificates,
        *(pytest.param(kind, marks=pytest.mark.long) for kind in (models, traces, folders)),
    ],
)
@given(chance=st.randoms(use_true_random=False))
@searched(75)
def test_no_file_makes_a_command_break(kind: Callable[[Chance], Steps], chance: Chance) -> None:
    with TemporaryDirectory() as folder, chdir(folder):
        for step in kind(chance):
            assert not (defect := problem_of(step)), f"{step}: {defect}"


@pytest.mark.parametrize("steps", sorted(DEFECTS.glob("*/steps.json")), ids=lambda path: path.parent.name)
def test_a_defect_that_was_found_stays_mended(steps: Path, tmp_path: Path) -> None:
    shutil.copytree(steps.parent, tmp_path, dirs_exist_ok=True)
    with chdir(tmp_path):
        for step in json.loads(steps.read_text()):
            assert not (defect := problem_of(step)), f"{step}: {defect}"


@pytest.mark.parametrize(
    ("does", "told"),
    [
        (lambda: 1 / 0, "Traceback"),
        (lambda: click.get_current_context().exit(3), "exit status 3"),
        (lambda: click.echo("unknown: ValueError: no"), "told as an answer"),
        (lambda: click.echo("\x1b]0;owned\x07"), "control character"),
        (lambda: click.get_current_context().exit(2), "without a word"),
    ],
)
def test_what_no_command_may_do_is_seen(monkeypatch: pytest.MonkeyPatch, does: Any, told: str) -> None:
    monkeypatch.setitem(cli.main.commands, "check", click.Command("check", callback=does))
    assert told in command_problem(["check"])


def test_a_false_certificate_is_seen_whatever_a_checker_says() -> None:
    for name in ("table", "windows", "inputs", "different worlds"):
        proof = copied(genuine(name))
        assert not lie_in(proof)
        if name == "different worlds":
            proof["right"] = proof["left"]
        else:
            proof["right"]["table"]["rules"][0][3] = (
                "L" if proof["right"]["table"]["rules"][0][3] != "L" else "R"
            )
        assert "differ" in lie_in(proof)


TIMES = 10 if LONG else 2  # the size of the largest files
HOSTILE = {
    "deep parentheses": "agent a\nstart b\nstate b\n  _ if " + "(" * 50_000 + "1\n",
    "a long chain": "agent a\nstart b\nstate b\n  _ if " + "1+" * (TIMES * 5_000) + "1 == 1 : halt\n",
    "many nots": "agent a\nstart b\nstate b\n  _ if " + "not " * 20_000 + "1 == 1 : halt\n",
    "many minus signs": "agent a\nstart b\nstate b\n  _ if " + "-" * 20_000 + "1 == 1 : halt\n",
    "a family of a billion": "agent a\nstart b(0)\nstate b(n in 0..999999999)\n  _ : R -> b(n+1)\n",
    "a product of families": "agent a\nstart b(0,0,0)\nstate b(x in 0..999, y in 0..999, z in 0..999)\n"
    "  _ if x < 999 : R -> b(x+1,y,z)\n  1 if y < 999 : R -> b(x,y+1,z)\n",
    "growing numbers": "agent a\nstart b(9)\nstate b(n in 0..9)\n  _ : R -> b(n*999999999*999999999*999999999)\n",
    "nested repetitions": "agent a\nalphabet\n  x = 0..1\ninput ((((x*)*)*)*)*\nstart b\nstate b\n  any : halt\n",
    "a huge symbol range": "agent a\nalphabet\n  x = '!'..'\U0010fffd'\nstart b\nstate b\n  any : halt\n",
    "a long line": "agent a\nstart b\nstate b\n  " + "0 | " * (TIMES * 3_000) + "0 : halt\n",
    "many states": "agent a\nstart s0\n"
    + "".join(f"state s{i}\n  _ : R -> s{i + 1}\n" for i in range(TIMES * 900)),
    "a chain of as": "agent a\nstart s0\n"
    + "".join(f"state s{i}\n  _ : as s{i + 1}\n" for i in range(1100))
    + "state s1100\n  _ : halt\n",
}


def survives(text: str) -> None:
    """Checks and formats a text; what comes back must be printable diagnostics."""
    found: list[Diagnostic] = []
    for reading in (load_source, format_source):
        try:
            reading(Source("hostile.grid", text))
        except GridError as error:
            found += error.diagnostics
    for diagnostic in found:
        assert render(diagnostic) and diagnostic.as_json()["code"].startswith("G")


@searching
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_files_are_answered_soon(text: str) -> None:
    begun = processor_seconds()
    survives(text)
    assert processor_seconds() - begun < 20  # generous: a hang, not a benchmark


def test_a_file_of_ten_megabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "big.grid"
    path.write_bytes(b"# " + b"x" * 10_000_000)
    (diagnostic,) = try_load(path).diagnostics
    assert diagnostic.code == "G001" and "larger" in diagnostic.message


def test_windows_line_ends_and_byte_order_marks_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "windows.grid"
    path.write_bytes(
        b"\xef\xbb\xbf" + PROGRAMS[0].path.read_text(encoding="utf-8").replace("\n", "\r\n").encode()
    )
    assert try_load(path).program is not None
