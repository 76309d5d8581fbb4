"""Fixes: what a diagnostic says can be typed is typed by a machine, and mends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gridlang.diagnostics import Diagnostic, edited
from gridlang.fixes import Mended, mend_source
from gridlang.loading import try_load, try_load_source
from gridlang.source import Source
from tests.regenerate_golden import FOLDER
from tests.support.command_line import answer, invoke

CASES = sorted(FOLDER.glob("*.grid"))


def diagnostics(text: str, path: str = "<text>") -> tuple[Diagnostic, ...]:
    return try_load_source(Source(path, text), library=True).diagnostics


def mend(source: Source) -> Mended:
    return mend_source(source, lambda source: try_load_source(source, library=True).diagnostics)


def test_every_fix_of_a_broken_file_takes_away_what_it_mends() -> None:
    tried = 0
    for path in CASES:
        before = try_load(path, library=True).diagnostics
        for diagnostic in before:
            assert sum(fix.sure for fix in diagnostic.fixes) <= 1
            for fix in diagnostic.fixes:
                source = fix.edits[0].span.source
                after = diagnostics(edited(source.text, fix.edits), source.path)
                told = (diagnostic.code, diagnostic.message)
                left, were = ([(d.code, d.message) for d in found].count(told) for found in (after, before))
                assert left < were, (path.name, fix)
                tried += 1
    assert tried > 50


AGENT = "agent a\nalphabet\n  bit = 0..1\n  'x'\nstart go\nstate go\n"


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        ("  bit : R → go\n", "  bit : R -> go\n"),
        ("  bit => R\n", "  bit => R\n"),  # Nobody knows what was meant.
        ("  bit : R => go\n", "  bit : R -> go\n"),
        ("  bit R\n", "  bit : R\n"),
        ("  bit : R go\n", "  bit : R -> go\n"),
        ("  bit : right\n", "  bit : R\n"),
        ("  bit : write 1, halt\n", "  bit : write 1 -> halt\n"),
        ("  x : R\n", "  'x' : R\n"),
        ("  1, 0 : R\n", "  1 | 0 : R\n"),
        ("  b in bit if b=0&&b!=1 : R\n", "  b in bit if b==0 and b!=1 : R\n"),
        ("  b in bit : write b%2, R\n", "  b in bit : write b mod 2, R\n"),
        ("  bit : R -> Halt\n", "  bit : R -> halt\n"),
        ("  ‘x’ : R\n", "  'x' : R\n"),
        ("  1 : R)\n", "  1 : R\n"),
        ("  bit : R\ntest “01” reject\n", '  bit : R\ntest "01" stuck\n'),
        ("  b in bit : wirte b, R -> go\n", "  b in bit : write b, R -> go\n"),
        ("  b in bit : writte (b+1) mod 2, R\n", "  b in bit : write (b+1) mod 2, R\n"),
        ("  bit : put 1, R\n", "  bit : write 1, R\n"),
        ("  b in bit : write (b+1) md 2, R\n", "  b in bit : write (b+1) md 2, R\n"),
        ("  bit : write 1, L -> hatl\n", "  bit : write 1, L -> halt\n"),
        ("  bit : write 1 L -> go\n", "  bit : write 1, L -> go\n"),
        ("  bit : write 1 -> go, L\n", "  bit : write 1, L -> go\n"),
        ("  bit : -> go, L\n", "  bit : L -> go\n"),
        ("  bit : R goto go\n", "  bit : R -> go\n"),
        ("  esle : R\n", "  else : R\n"),
        ("  ｂit ： R\n", "  bit : R\n"),
    ],
)
def test_mistakes_that_leave_no_choice_are_mended(line: str, mended: str) -> None:
    assert mend(Source("<text>", AGENT + line)).source.text == AGENT + mended


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("state go", "sate go"),
        ("state go", "sttae go"),
        ("state go", "Staet go"),
        ("state go", "state gooo"),
        ("start go", "satrt go"),
        ("alphabet", "symbls"),
        ("  bit = 0..1", "  bti = 0..1"),
        ("output a", "outptu a"),
        ("input a = bit+", "inptu a = bit+"),
    ],
)
def test_a_misspelt_declaration_is_mended_where_it_stands(right: str, wrong: str) -> None:
    below = "  bit : R -> go\n  'x' : L -> go\n  _ : halt\ninput a = bit+\noutput a\n"
    text = AGENT + below
    broken = Source("<text>", text.replace(right, wrong, 1))
    assert len([d for d in diagnostics(broken.text) if d.is_error]) == 1
    assert mend(broken) == (Source(broken.path, text), 1)


def test_what_could_mean_two_things_is_left_alone() -> None:
    text = AGENT + "  bit : R -> walk\nstate walk1\n  any : halt\nstate walk2\n  any : halt\n"
    (unknown,) = [d for d in diagnostics(text) if d.code == "G020"]
    assert [fix.title for fix in unknown.fixes] == ["write `walk2`", "write `walk1`", "add `state walk`"]
    assert mend(Source("<text>", text)).fixes == 0


def test_fixes_that_do_not_help_come_to_an_end() -> None:
    text = 'agent b = a from "x\\\\ . y" .z\n'
    assert len(mend(Source("<text>", text)).source.text) <= 2 * len(text) + 120


def test_check_fixes_files_and_keeps_their_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.grid"
    path.write_bytes((AGENT + "  bit R go\n").replace("\n", "\r\n").encode())
    assert f"{path}: made 2 fixes" in invoke("check", "--fix", str(path)).stderr
    assert path.read_bytes() == (AGENT + "  bit : R -> go\n").replace("\n", "\r\n").encode()
    fixed = answer("check", "--fix", str(path))
    assert fixed["fixed"] == {str(path): 0} and not fixed["diagnostics"]


def test_dash_is_stdin() -> None:
    broken = AGENT + "  bit R\n"
    checked = invoke("check", "--json", "-", input=broken)
    assert checked.exit_code == 1 and '"file": "<stdin>"' in checked.stdout
    fixed = invoke("check", "--fix", "-", input=broken)
    assert fixed.exit_code == 0 and fixed.stdout == AGENT + "  bit : R\n"
    ragged = "agent a\nstart go\nstate go\n any:halt\n"
    laid_out = invoke("fmt", "-", input=ragged).stdout
    assert invoke("fmt", "--check", "-", input=ragged).exit_code == 1
    assert invoke("fmt", "--check", "-", input=laid_out).exit_code == 0
    assert invoke("check", "-", "more.grid", input=ragged).exit_code == 2
