"""What editors know of the language: every word of its vocabulary, and in Vim also colours and indentation."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gridlang.compiler.playground.build import vocabulary
from gridlang.vocabulary import HEADERS
from tests.programs import EXAMPLES, ROOT

VSCODE = ROOT / "editors" / "vscode"
VIM = ROOT / "editors" / "vim"
VOCABULARY = {word for words in vocabulary().values() for word in words}


def words_of(pattern: str, separator: str = "|") -> set[str]:
    """The words among which a pattern chooses."""
    return {
        word for group in re.findall(r"\((?:\?:)?([a-z|]+)\)", pattern) for word in group.split(separator)
    }


def test_the_grammar_of_vs_code_has_every_word_and_no_other() -> None:
    text = (VSCODE / "syntaxes" / "grid.tmLanguage.json").read_text(encoding="utf-8")
    patterns: list[str] = []
    json.loads(text, object_hook=lambda item: patterns.extend(v for v in item.values() if isinstance(v, str)))
    assert set().union(*map(words_of, patterns)) == VOCABULARY
    rules = json.loads((VSCODE / "language-configuration.json").read_text())["indentationRules"]
    assert set(HEADERS) <= set(re.findall(r"[a-z]+", rules["decreaseIndentPattern"]))


def test_the_syntax_of_vim_has_every_word_and_no_other() -> None:
    text = (VIM / "syntax" / "grid.vim").read_text(encoding="utf-8")
    keywords = re.findall(r"^syntax keyword (?!gridTodo)\w+ (?:contained )?(.*)$", text, re.M)
    groups = re.findall(r"\\%\(([a-z\\|]+)\\\)", text)
    words = {word for line in keywords for word in line.split()}
    words |= {word for group in groups for word in group.split("\\|")} - {""}
    assert words == VOCABULARY
    assert set(HEADERS) <= set(re.findall(r"[a-z]+", (VIM / "indent" / "grid.vim").read_text()))


SAMPLE = """\
agent turmite(way: move except S = U) # why
use walk from "walks.grid"
alphabet
  digit = 0..9 | '\\''
input a = digit+ where length(a) > 1
output accept if a mod 2 == 0 else stuck
start go
state walk(way: move,
    next: state)
  d in digit if not (d in odd) : write 1, R -> D
  else : as next
  stuck : halt
test corner: "1" halts in state go
test \"\"\"
  [x]#
\"\"\" after 4 steps = "1"
"""
COLOURED = {  # row, text, name of the syntax group
    (1, "agent", "gridDeclaration"), (1, "move", "gridKind"), (1, "except", "gridOperatorWord"),
    (1, "S =", "gridMove"), (1, "why", "gridComment"), (2, "use", "gridDeclaration"), (2, "from", "gridImport"),
    (2, "walks", "gridString"), (3, "alphabet", "gridDeclarationWord"), (4, "digit", "gridClass"),
    (4, "9", "gridNumber"), (4, "..", "gridOperator"), (4, "\\'", "gridEscape"), (5, "input", "gridDeclaration"),
    (5, "where", "gridWhere"), (5, "length", "gridFunction"), (6, "accept", "gridAcceptance"),
    (6, "stuck", "gridAcceptance"), (6, "mod", "gridOperatorWord"), (7, "start", "gridDeclarationWord"),
    (8, "state", "gridDeclaration"), (8, "walk", "gridStateName"), (8, "move", "gridKind"), (9, "state", "gridKind"),
    (10, "R", "gridMove"), (10, "D", "gridState"), (10, "write", "gridStatement"), (11, "next", "gridState"),
    (12, "stuck", ""), (12, "halt", "gridStatement"), (13, "test", "gridTest"),
    (13, "halts", "gridTestWord"), (13, "state", "gridTestWord"), (15, "[x]", "gridHead"), (15, "#", "gridPicture"),
    (16, "after", "gridTestWord"), (16, "4", "gridNumber"), (16, "1", "gridString"),
}  # fmt: skip


@pytest.fixture(scope="module")
def vim() -> str:
    program = shutil.which("vim") or shutil.which("nvim")
    if program is None:
        pytest.skip("there is no Vim here")
    if "-syntax" in subprocess.run([program, "--version"], capture_output=True, text=True).stdout:
        pytest.skip("this Vim has no syntax files")
    return program


def scripted(vim: str, file: Path, *commands: str) -> None:
    """Does things to a file in Vim as somebody has it who copied the folder; nothing may complain."""
    script = file.with_suffix(".vim")
    plugin = [
        f"set nocompatible runtimepath^={VIM}",
        "filetype plugin indent on",
        "syntax on",
        f"edit {file}",
    ]
    script.write_text("\n".join([*plugin, *commands, "qall!"]) + "\n")
    done = subprocess.run(
        [vim, "-u", "NONE", "-i", "NONE", "-n", "-es", "-S", str(script)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_vim_colours_words_by_their_place(vim: str, tmp_path: Path) -> None:
    file = tmp_path / "sample.grid"
    file.write_text(SAMPLE)
    rows = SAMPLE.splitlines()
    asked = sorted((row, rows[row - 1].index(text) + 1, text, name) for row, text, name in COLOURED)
    commands = [
        f"call add(g:names, synIDattr(synID({row}, {column}, 1), 'name'))" for row, column, *_ in asked
    ]
    names = tmp_path / "names.txt"
    scripted(
        vim,
        file,
        "let g:names = [&filetype, &commentstring]",
        *commands,
        f"call writefile(g:names, '{names}')",
    )
    kind, comment, *seen = names.read_text().splitlines()
    assert (kind, comment) == ("grid", "# %s")
    assert {(row, text, name) for (row, _, text, _), name in zip(asked, seen, strict=True)} == COLOURED


def test_vim_indents_every_example_as_it_is(vim: str, tmp_path: Path) -> None:
    file, wanted = tmp_path / "all.grid", "\n".join(p.read_text() for p in sorted(EXAMPLES.glob("*.grid")))
    file.write_text(wanted)
    scripted(vim, file, "normal! gg=G", "write")
    assert file.read_text() == wanted
