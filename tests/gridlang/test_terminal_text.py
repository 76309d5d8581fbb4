"""Text from files never reaches a terminal raw: nothing in it moves the cursor or begins a line."""

import json
import shutil
import unicodedata
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from gridlang.diagnostics import Diagnostic, fail, render
from gridlang.printable import printable
from gridlang.source import Source, Span
from gridlang.terminal import console
from tests.programs import EXAMPLES, ROOT
from tests.support.command_line import invoke, process

# They clear the screen, go back to the start of the line, begin another, and turn the text around.
HOSTILE = "\x1b[2J\x9b2K\r\x7f\u202e\u2028\udcff\nvalid: RIGHT does what LEFT does"
NAME = HOSTILE.replace("\udcff", "")  # JSON and UTF-8 cannot hold half a surrogate pair.
TABLE = {
    "format": "gridlang-table/1", "name": "a", "symbols": ["_"], "blank": "_", "moves": list("UDLRS"),
    "states": ["s"], "start": "s", "classes": [], "input": None, "output": None, "rules": [],
}  # fmt: skip


def harmless(result: Result) -> str:
    """What was printed, after a look that nothing of it commands a terminal."""
    shown: str = result.output
    assert all(line.isprintable() for line in shown.split("\n")), repr(shown)
    assert not any(line.startswith("valid: RIGHT does what") for line in shown.split("\n")), shown
    return shown


@given(st.text(st.characters(codec=None)))
def test_printable_text_is_one_line_and_commands_nothing(text: str) -> None:
    shown = printable(text)
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in shown)
    assert shown.encode() or not text
    assert not text.isprintable() or shown == text


def test_every_part_of_a_diagnostic_is_printable() -> None:
    span = Span(Source(HOSTILE, f"state {HOSTILE}"), 0, 5)
    for diagnostic in (
        Diagnostic("G001", HOSTILE, span, HOSTILE, HOSTILE),
        fail("G001", HOSTILE, HOSTILE, HOSTILE).diagnostics[0],
    ):
        assert all(line.isprintable() for line in render(diagnostic).split("\n"))
        assert "\nvalid" not in render(diagnostic)


def test_a_diagnostic_still_has_its_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "plain_output", lambda _: False)
    error = Diagnostic("G001", HOSTILE, None)
    text = console._coloured(render(error), error)
    assert text.startswith("\x1b[31m\x1b[1merror[G001]") and text.count("\x1b[2J") == 0


@pytest.mark.parametrize(
    "text",
    [
        f'agent a\nstart "{NAME}"\nstate b\n  _ : halt\n',
        'agent a\nstart "\x1b[2J"\nstate "\x1b[2J"\n  _ : halt\n',
        "agent a\nalphabet\n  '\x9b'\nstart b\nstate b\n  _ : halt\n",
        'agent a\nstart b\nstate b\n  _ : halt\ntest "\x1b\u202e" = "1"\n',
        'agent a = b from "\x1b[2J\u202e.grid"\n',
        "agent a(\x1b[2J)\nstart b\nstate b\n  _ : R # \x1b[2J\n",
        json.dumps({**TABLE, "format": NAME}),
        json.dumps({**TABLE, "name": NAME}),
        json.dumps({**TABLE, "states": [NAME], "start": NAME}),
        json.dumps({**TABLE, "symbols": ["_", "\x1b"]}),
        json.dumps({**TABLE, "rules": [[NAME, "_", "_", "S", "s"]]}),
        json.dumps({**TABLE, "classes": [[NAME, "_"]]}),
        json.dumps({**TABLE, "input": NAME}),
        json.dumps({**TABLE, "input": "any", "output": NAME}),
        *(
            json.dumps({**TABLE, "input": clause})
            for clause in ("any..any", "1..0", "5", "\ud800", "\0", "'!'..'\U0010fffd'")
        ),
        *(
            json.dumps({**TABLE, "input": "a = any+", "output": value})
            for value in ("c", "unknown(a)", "length(a, a)")
        ),
        *(json.dumps({**TABLE, "states": [name], "start": name}) for name in ("\0", "\ud800")),
    ],
)
def test_names_of_states_symbols_imports_and_classes(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.grid"
    path.write_text(text, encoding="utf-8")
    for command in (["check"], ["check", "--json"], ["run"], ["run", "--json"], ["test"]):
        harmless(invoke(*command, str(path)))


def test_a_certificate_cannot_print_itself_as_a_proof(tmp_path: Path) -> None:
    """The files of a difference, and whatever else a certificate says of them, stay on their lines."""
    left, right = tmp_path / f"left{NAME}.grid", tmp_path / f"right{NAME}.grid"
    shutil.copy(EXAMPLES / "increment.grid", left)
    right.write_text(left.read_text().replace("write 1", "write 0"))
    proof = tmp_path / "proof.json"
    said = harmless(invoke("equiv", str(left), str(right), "--scope", "inputs", "--certificate", str(proof)))
    assert said.startswith("different")
    harmless(invoke("verify", str(proof)))
    for forged in (_forged(json.loads(proof.read_text()), NAME), {"format": NAME}, {NAME: 1}, [NAME]):
        proof.write_text(json.dumps(forged))
        harmless(invoke("verify", str(proof)))
        harmless(invoke("verify", str(proof), "--json"))


def _forged(part: object, text: str) -> object:
    """With another text in the place of all that no digest protects, or every text in turn."""
    if isinstance(part, dict):
        return {
            key: text if key in ("file", "says", "scope") else _forged(value, text)
            for key, value in part.items()
        }
    return part


def test_a_source_is_printed_as_it_is_into_a_pipe_only(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# \x1b[2J\nagent a\n\nstart b\n\nstate b\n  _ : halt\n"
    assert invoke("fmt", "-", input=text).stdout == text
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True, raising=False)
    assert invoke("fmt", "-", input=text).stdout == text.replace("\x1b", "\\x1b")


def test_nothing_prints_but_the_console() -> None:
    """`say` is the one way to a terminal; a raw one would have to be argued for here."""
    allowed = {"gridlang/terminal/console.py", "gridlang/terminal/notes.py", "learners/train/dfst.py"}
    for package in ("gridlang", "compiler", "learners"):
        for path in (ROOT / package).rglob("*.py"):
            code = [
                line
                for line in path.read_text("utf-8").splitlines()
                if not line.lstrip().startswith((">>>", "..."))
            ]
            raw = [line for line in code if "click.echo" in line or line.lstrip().startswith("print(")]
            assert not raw or str(path.relative_to(ROOT)) in allowed, (path, raw)


def test_output_in_another_encoding_is_escaped_and_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "é.grid"
    shutil.copy(EXAMPLES / "increment.grid", path)
    done = process("-m", "gridlang", "check", str(path), PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and "Traceback" not in done.stderr
