"""The fuzzer itself: defects that were found stay mended, and what it looks for it would see."""

from __future__ import annotations

import itertools
import json
import time
from pathlib import Path

import click
import pytest

from gridlang import cli
from tests.fuzz.__main__ import STEPS
from tests.fuzz.checks import CHECKS
from tests.fuzz.process import Case, command_problem, ended, start
from tests.fuzz.truth import lie_in
from tests.programs import EXAMPLES
from tests.support.command_line import invoke, process

CORPUS = sorted(steps.parent for steps in (Path(__file__).parent / "corpus").glob(f"*/{STEPS}"))


@pytest.mark.long
def test_every_defect_that_was_found_stays_mended() -> None:
    done = process("-m", "tests.fuzz", "--replay", *map(str, CORPUS))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(CORPUS)} cases" in done.stdout


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (lambda: 1 / 0, "Traceback"),
        (lambda: click.get_current_context().exit(3), "exit status 3"),
        (lambda: click.echo("unknown: ValueError: no"), "told as an answer"),
        (lambda: click.echo("\x1b]0;owned\x07"), "control character"),
        (lambda: click.get_current_context().exit(2), "without a word"),
    ],
)
def test_what_no_command_may_do_is_seen(monkeypatch: pytest.MonkeyPatch, what: object, told: str) -> None:
    monkeypatch.setitem(cli.main.commands, "check", click.Command("check", callback=what))  # type: ignore[arg-type]
    assert told in command_problem(["check"])


def test_a_case_that_never_ends_is_told_by_its_processor_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CHECKS, "endless", lambda: all(True for _ in itertools.count()))
    (folder := tmp_path / "case").mkdir()
    running = start(Case("", folder, [["=endless"]], 1))
    while (told := ended(running)) is None:
        time.sleep(0.05)
    assert told == "gridlang =endless\nran past 1 s"


def test_a_false_certificate_is_seen_whatever_a_checker_says(tmp_path: Path) -> None:
    path, agent = tmp_path / "proof.json", str(EXAMPLES / "increment.grid")
    for scope in ("worlds", "inputs", "table"):
        invoke("equiv", agent, agent, "--scope", scope, "--certificate", str(path))
        proof = json.loads(path.read_text(encoding="utf-8"))
        assert not lie_in(proof)
        proof["right"]["table"]["rules"][5][2] = "1"
        assert "differ" in lie_in(proof)
