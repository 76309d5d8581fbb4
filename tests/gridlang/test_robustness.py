"""Any bytes end in diagnostics or success, soon, and never in a traceback."""

import random
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from gridlang.cli import main
from gridlang.diagnostics import Diagnostic, GridError, render
from gridlang.loading import load_source, try_load
from gridlang.source import Source
from gridlang.syntax.formatter import format_source
from tests.fuzz.mutations import changed_bytes, changed_text
from tests.programs import PROGRAMS
from tests.support.clocks import processor_seconds
from tests.support.searches import LONG, searched, searching

TEXTS = [example.path.read_text(encoding="utf-8") for example in PROGRAMS]
PIECES = [
    "state", "alphabet", "agent", "input", "output", "test", "start", "if", "else", "any", "except", "write",
    "halt", "as", "in", "->", ":", "(", ")", "..", "|", "+", "*", "'", '"', '"""', "\\", "#", "\n", "  ", "_",
    "0", "9999999999", "base", "digit", "U", "\0", "\t", "é", "\u202e", "=", "==", "from", "move", "state(", ",",
]  # fmt: skip


def survives(text: str) -> None:
    """Checks and formats a text; what comes back must be printable diagnostics."""
    found: list[Diagnostic] = []
    try:
        load_source(Source("fuzz.grid", text))
    except GridError as error:
        found += error.diagnostics
    try:
        format_source(Source("fuzz.grid", text))
    except GridError as error:
        found += error.diagnostics
    for diagnostic in found:
        assert render(diagnostic) and diagnostic.as_json()["code"].startswith("G")


@given(st.lists(st.sampled_from(PIECES), max_size=40))
@searched(100)
def test_any_mix_of_the_languages_words_is_answered(pieces: list[str]) -> None:
    survives(" ".join(pieces))


@given(st.sampled_from(TEXTS), st.randoms(use_true_random=False))
@searched(100)
def test_any_mutation_of_an_example_is_answered(text: str, chance: random.Random) -> None:
    changed = changed_text(text, " ".join(PIECES), chance)
    survives(changed_bytes(changed.encode(), chance).decode(errors="replace"))


@given(st.binary(max_size=300))
@searched(34)
def test_any_bytes_given_to_the_commands_are_answered(data: bytes) -> None:
    runner = CliRunner()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzz.grid"
        path.write_bytes(data)
        for arguments in (["check", str(path)], ["fmt", str(path)], ["run", str(path), "1"]):
            result = runner.invoke(main, arguments)
            assert result.exit_code in (0, 1, 2), result.output
            assert result.exception is None or isinstance(result.exception, SystemExit)


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
    path.write_bytes(b"\xef\xbb\xbf" + TEXTS[0].replace("\n", "\r\n").encode())
    assert try_load(path).program is not None
