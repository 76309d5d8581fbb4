"""Every example in the documentation is run."""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from click import Context

from gridlang.cli import main
from gridlang.compiler.playground.build import blocks as play_blocks
from gridlang.compiler.playground.build import changed
from gridlang.compiler.proven import gridcheck
from gridlang.compiler.testing.report import test_report as report_of
from gridlang.learners.runtime import hardware
from gridlang.learners.train.recipes import Recipe, load_recipe
from gridlang.loading import load, load_source
from gridlang.source import Source
from tests.programs import EXAMPLES, ROOT
from tests.regenerate_golden import stable
from tests.support.command_line import invoke

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(name: str, language: str) -> list[tuple[str, str]]:
    """(words behind the language, text) of the fenced blocks of a page."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return [(m[2].strip(), m[3]) for m in BLOCK.finditer(text) if m[1] == language]


PAGES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))
REFERENCE = [text for _, text in blocks("docs/reference/language.md", "grid")]


@pytest.mark.parametrize("text", REFERENCE, ids=[re.findall(r"agent (\w+)", text)[0] for text in REFERENCE])
def test_every_example_of_the_reference_does_what_it_says(text: str) -> None:
    program = load_source(Source("docs", text))
    assert program.warnings == ()
    assert program.tests
    data = report_of(program, 40, 10_000, 0, "auto", lambda _: None)
    assert data["failed"] == 0, data


LESSON = "tidy"  # the tutorial's first file, whose mistake it explains
WITH_GRID = [page for page in PAGES if blocks(page, "grid")]


@pytest.mark.parametrize("page", WITH_GRID)
def test_what_a_page_opens_in_the_playground_is_a_whole_agent(page: str) -> None:
    opened = list(play_blocks((ROOT / page).read_text(encoding="utf-8"), (ROOT / page).parent))
    assert len(opened) == len([words for words, _ in blocks(page, "grid") if words != "part-of=learned.grid"])
    for at, block in enumerate(opened):
        if (at, block.name) != (0, LESSON):
            load_source(Source(block.name, block.source))


def console(page: str, folder: Path) -> None:
    """Writes the files that a page names and runs its commands here; output and files must be as shown."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        language, words, body = match[1], match[2].strip(), match[3]
        if language == "grid" and words.startswith("file="):
            (folder / words.removeprefix("file=")).write_text(body, encoding="utf-8")
        elif language == "grid" and words.startswith("change="):
            path = folder / words.removeprefix("change=")
            path.write_text(changed(path.read_text(encoding="utf-8"), body), encoding="utf-8")
        elif language == "grid" and words.startswith("part-of="):
            assert body in (folder / words.removeprefix("part-of=")).read_text(encoding="utf-8")
        elif language == "console":
            for command, expected in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", body, re.MULTILINE):
                arguments = shlex.split(command)
                assert arguments[0] == "gridlang", command
                shown = [line.rstrip() for line in expected.strip("\n").splitlines()]
                got = [line.rstrip() for line in invoke(*arguments[1:]).output.strip("\n").splitlines()]
                assert list(map(stable, got)) == list(map(stable, shown)), f"{page}: {command}\n" + "\n".join(
                    got
                )


def test_the_recipe_of_the_page_on_training_is_ours_with_every_setting(tmp_path: Path) -> None:
    ((_, text),) = blocks("docs/guide/training.md", "toml")
    shown = tmp_path / "proof.toml"
    shown.write_text(text, encoding="utf-8")
    assert load_recipe(str(shown)) == load_recipe("proof")
    assert load_recipe(str(shown), "mult10").iterations == 200_000
    assert {*tomllib.loads(text)} - {"task"} == {each.name for each in fields(Recipe)} - {"name"}


PATH = re.compile(
    r"(?<![\w/.-])(?:\.\./)*((?:gridlang|compiler|learners|tests|benchmarks|docs|examples|editors)/[\w./-]*\w)"
)
NO_PATHS = {"examples/NAME.grid", "gridlang/panel", "compiler/proven/build/gridcheck"}  # the last is built


def test_every_path_that_documentation_names_exists() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *map(ROOT.joinpath, PAGES)]
    named = {(page.name, path) for page in pages for path in PATH.findall(page.read_text(encoding="utf-8"))}
    assert [each for each in sorted(named) if each[1] not in NO_PATHS and not (ROOT / each[1]).exists()] == []


WITH_PYTHON = [page for page in ("README.md", *PAGES) if blocks(page, "python")]
LEARNING = ("learning", "tutorial", "python")  # pages that learn for seconds


def quick_or_long(*pages: str) -> list[Any]:
    return [pytest.param(p, marks=pytest.mark.long if Path(p).stem in LEARNING else ()) for p in pages]


SHOWING = (
    "README.md",
    "docs/how-it-works.md",
    "docs/guide/python.md",
)  # pages whose comments say what a line gives


@pytest.mark.parametrize(
    "page",
    quick_or_long(*WITH_PYTHON),
)
def test_the_python_of_a_page_runs_and_gives_what_its_comments_say(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in (*EXAMPLES.glob("*.grid"), *(EXAMPLES / "models").glob("*.safetensors")):
        shutil.copy(file, tmp_path)
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for words, text in blocks(page, "grid"):
        if words.startswith("file="):
            Path(words.removeprefix("file=")).write_text(text, encoding="utf-8")
    for _, text in blocks(page, "python"):
        lines = text.splitlines()
        for node in ast.parse(text).body:
            shown = lines[(node.end_lineno or 1) - 1].partition("  # ")[2]
            got = given(node, names, capsys)
            if page in SHOWING and shown:
                assert got == shown, f"{page}: {ast.unparse(node)}"


def given(node: ast.stmt, names: dict[str, object], capsys: pytest.CaptureFixture[str]) -> str:
    """What a statement gives: the value of an expression, or what it prints; of `try`, what its handler does."""
    if isinstance(node, ast.Try):
        for handler in node.handlers:
            handler.body = [ast.copy_location(_told(statement), statement) for statement in handler.body]
    if not isinstance(node, ast.Expr):
        exec(compile(ast.fix_missing_locations(ast.Module([node], [])), "docs", "exec"), names)
        return capsys.readouterr().out.rstrip("\n")
    value = eval(compile(ast.Expression(node.value), "docs", "eval"), names)
    printed = capsys.readouterr().out.rstrip("\n")
    return printed if value is None else repr(value)


def _told(statement: ast.stmt) -> ast.stmt:
    """An expression that prints its value."""
    if not isinstance(statement, ast.Expr):
        return statement
    return ast.parse(f"print(repr({ast.unparse(statement)}))").body[0]


def test_pages_and_the_notebook_import_gridlang_alone() -> None:
    """One way in: whoever reads the documentation never needs to know where a thing is kept."""
    deep = re.compile(
        r"^[\s\"]*(?:from (?:gridlang|compiler|learners)\b|import (?:compiler|learners)\b|import gridlang\.)",
        re.M,
    )
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *EXAMPLES.glob("*.ipynb")]
    found = [str(page.relative_to(ROOT)) for page in pages if deep.search(page.read_text(encoding="utf-8"))]
    assert found == ["docs/guide/training.md"]


@pytest.mark.parametrize(
    "page",
    quick_or_long(
        "docs/guide/tutorial.md",
        "docs/guide/training.md",
        "docs/guide/learners.md",
        "docs/guide/proofs.md",
        "docs/reference/language.md",
        "README.md",
    ),
)
def test_the_commands_of_a_page_print_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware, "gpu_count", lambda: 0)  # A GPU gives other weights than those shown.
    monkeypatch.setattr(gridcheck, "program", lambda: None)  # Most readers have not built it.
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    console(page, tmp_path)


def test_every_command_is_on_the_page_of_commands() -> None:
    shown = set(
        re.findall(r"^(\w+)  ", (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8"), re.M)
    )
    assert shown >= set(main.list_commands(Context(main)))


def test_the_page_of_examples_lists_them_all_with_their_states() -> None:
    rows = re.findall(
        r"^\| (\[.*?) \| ([^|]*) \|", (ROOT / "docs/guide/examples.md").read_text(encoding="utf-8"), re.M
    )
    files = [(re.findall(r"\(\.\./\.\./examples/([\w.]+)\)", links), states) for links, states in rows]
    assert {name for names, _ in files for name in names} == {path.name for path in EXAMPLES.glob("*.grid")}
    for names, states in files:
        counted = re.fullmatch(r"\d+(, \d+)*", states)
        if counted:
            assert states == ", ".join(str(len(load(EXAMPLES / name).table.states)) for name in names)
