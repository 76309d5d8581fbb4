"""`view --watch`: the page follows its files, keeps what the reader chose, and says what is wrong."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from gridlang.compiler.api.viewed import View, view_of, viewed
from gridlang.compiler.api.watched_view import WatchedView
from gridlang.files import files_looked_at
from gridlang.loading import try_load
from gridlang.terminal.console import progress_line
from tests.programs import ROOT
from tests.support.browser import PATIENCE, Opened
from tests.support.command_line import invoke

AGENT = """
agent flip
use walk from "walks.grid"
alphabet
  bit = 0..1
input bit+
start go
state go
  b in bit : write 1 - b, R
  _        : L -> walk(L, bit, done)
state done
  _ : R -> halt
test "1011" = "0100"
"""
WALKS = """
library walks
state walk(way: move, over: class, next: state)
  over : way
  else : as next
"""
HOSTILE = '<img src=x onerror="alert(1)">'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "walks.grid").write_text(WALKS)
    (tmp_path / "flip.grid").write_text(AGENT)
    return tmp_path / "flip.grid"


def saved_by_rename(file: Path, text: str) -> None:
    beside = file.with_suffix(".new")
    beside.write_text(text)
    beside.replace(file)


@contextmanager
def watching(file: Path, *options: str) -> Iterator[str]:
    """The address of a page that `view --watch` serves; it ends quietly at Ctrl-C."""
    command = [sys.executable, "-m", "gridlang", "view", str(file), "--watch", "--no-browser", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr
        while not (address := re.search(r"http://\S+", process.stderr.readline())):
            assert process.poll() is None
        try:
            yield address[0]
        finally:
            process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(10) == 0 and "Traceback" not in rest and "interrupted" not in rest


def became(shown: Opened, condition: str) -> None:
    """Waits for what is true of the page or, after it was loaded anew, of the next one."""
    until = time.monotonic() + PATIENCE
    while True:
        with suppress(Exception):  # The page was just being left, or is not complete.
            if shown.page.evaluate(condition):
                return
        assert time.monotonic() < until, condition
        shown.page.wait_for_timeout(20)


def test_a_save_shows_what_is_wrong_or_the_new_drawing_where_the_reader_was(file: Path, browser: Any) -> None:
    with watching(file) as address:
        shown = Opened(browser, address)
        page = shown.page
        page.fill("#replay .input", "110011")
        page.press("#replay .input", "Enter")
        page.fill("#replay .step", "4")
        page.press("#replay .step", "Enter")
        page.evaluate("graph.zoom(1.5); replay.part.speed.value = 20; pick([1])")
        zoom = page.evaluate("JSON.stringify(graph.places)")

        file.write_text(AGENT.replace("-> walk(L, bit, done)", f"-> dnoe #{HOSTILE}"))
        became(shown, "document.body.classList.contains('failed')")
        problems = page.text_content("#problems pre")
        assert (
            "error[G020]: there is no state named `dnoe`" in problems and "did you mean `done`?" in problems
        )
        assert re.search(r"\| +\^\^\^\^ not a state", problems) and HOSTILE in problems
        assert page.locator(".node").count() and page.text_content("#replay .state") == "go"

        saved_by_rename(file, AGENT.replace("state done", "state home\n  any : halt\nstate done"))
        became(
            shown,
            "!document.body.classList.contains('failed') && data.headers.length && replay.step === 4",
        )
        assert page.input_value("#replay .input") == "110011" and page.input_value("#replay .speed") == "20"
        assert (
            page.text_content("#details h2") == "walk(L,bit,done)"
            and page.evaluate("JSON.stringify(graph.places)") == zoom
        )
        assert page.text_content("#problems summary") == "1 warning" and "home" in page.text_content(
            "#problems pre"
        )

        used = file.parent / "walks.grid"
        saved_by_rename(used, WALKS.replace("over : way", "over : wya"))
        became(shown, "document.body.classList.contains('failed')")
        assert "walks.grid:4:10" in page.text_content("#problems")
        used.write_text(WALKS + "# the end\n")
        became(shown, "!document.body.classList.contains('failed') && data.source.includes('# the end')")
        assert page.evaluate("replay.step") == 4 and page.input_value("#replay .input") == "110011"

        file.write_text(
            AGENT.replace("0..1", "5..6")
            .replace("1 - b", "b")
            .replace('test "1011" = "0100"', 'test "56" = "56"')
        )
        became(shown, "table.symbols.includes('5')")
        assert (
            "not in the alphabet" in page.text_content("#replay .complaint")
            and page.input_value("#replay .input") == "110011"
        )
        assert shown.said == [] and {url for url in shown.asked if not url.startswith("data:")} == {
            address,
            f"{address}events",
        }
    became(shown, "document.getElementById('live').textContent.includes('ended')")
    page.close()


def test_a_file_that_is_wrong_at_first_is_drawn_once_it_is_right(file: Path, browser: Any) -> None:
    expert = file.rename(file.with_name("expert.grid"))
    file.write_text(AGENT.replace("walks.grid", "later.grid").replace("1 - b", "b"))
    with watching(file, "--against", str(expert)) as address:
        shown = Opened(browser, address)
        became(shown, "document.body.classList.contains('failed')")
        assert 'there is no file "later.grid"' in shown.page.text_content("#problems")
        (file.parent / "later.grid").write_text(WALKS)
        became(shown, "typeof replay !== 'undefined' && replay.differs === 0")
        expert.write_text(AGENT.replace("1 - b", "b"))
        became(shown, "data.against.rules.length === 0")
        assert shown.said == []
    shown.page.close()


def test_a_change_counts_once_it_is_at_rest_and_whatever_was_read_is_watched(file: Path) -> None:
    def draw() -> View:
        return view_of(viewed(str(file), None, None, progress_line), None, None, None, 1000)

    watched = WatchedView(str(file), draw)
    watched.draw_again()
    version = watched.version
    assert watched.changed() is False is watched.changed()
    file.write_text("agent")
    assert watched.changed() is False
    file.write_text("agent half")
    assert watched.changed() is False and watched.changed() is True
    watched.draw_again()
    assert watched.failed and watched.version == version and b"flip" in watched.page
    file.unlink()
    assert [watched.changed(), watched.changed()] == [False, True]
    watched.draw_again()
    assert watched.problems[0].code == "G001"
    with files_looked_at() as looked_at:
        try_load(file)
    assert looked_at == {str(file): None}


def test_what_cannot_be_watched_is_refused(file: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for arguments, reason in (
        ((str(pipe),), "cannot be watched"),
        ((str(tmp_path),), "cannot be watched"),
        ((str(file), "--world", "-"), "cannot be watched"),
        ((str(file), "-o", "x.svg"), "leave out -o"),
        ((str(file), "--json"), "leave out --json"),
        ((str(tmp_path / "none.grid"),), "there is no such file"),
        ((str(file), "--input", "1", "--world", "w.txt"), "not both"),
    ):
        done = invoke("view", *arguments, "--watch", "--no-browser")
        assert done.exit_code == 2 and reason in done.output
    assert "go with --watch" in invoke("view", str(file), "--port", "8000").output
