"""The Pygments lexer: every source keeps its text, and only what the scanner refuses is an error."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.source import Source
from gridlang.syntax.scanner import scan
from gridlang.vocabulary import RESERVED, TEST_WORDS
from tests.programs import EXAMPLES, ROOT

pygments = pytest.importorskip("pygments", reason="pygments is not installed")
from pygments.token import Error, Keyword, Name, Operator, String  # noqa: E402

from gridlang.pygments_lexer import GridLexer  # noqa: E402

PAGE = (ROOT / "docs" / "reference" / "language.md").read_text(encoding="utf-8")
SOURCES = {
    **{path.name: path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*.grid"))},
    **{f"language.md {n}": text for n, text in enumerate(re.findall(r"```grid\n(.*?)```", PAGE, re.S))},
}


def lexed(text: str) -> list[tuple[object, str]]:
    return [(kind, part) for _, kind, part in GridLexer().get_tokens_unprocessed(text)]


def kind_of(word: str, text: str) -> object:
    return next(kind for kind, part in lexed(text) if part == word)


@pytest.mark.parametrize("name", SOURCES)
def test_sources_are_coloured_without_errors_and_keep_their_text(name: str) -> None:
    tokens = lexed(SOURCES[name])
    assert "".join(part for _, part in tokens) == SOURCES[name]
    assert [part for kind, part in tokens if kind is Error] == []


PIECES = st.sampled_from([*sorted(RESERVED), *TEST_WORDS, *"()[]{}\"'#\\:,_=+-*^|?<>!→é\n\n \tx1", '"""', "->", "..", "'a'", "name", "R"])  # fmt: skip


@pytest.mark.long
@given(st.one_of(st.text(), st.lists(PIECES).map("".join), st.lists(PIECES).map(" ".join)))
def test_hostile_text_keeps_every_character_and_errors_are_those_of_the_scanner(text: str) -> None:
    tokens = lexed(text)
    assert "".join(part for _, part in tokens) == text
    if not scan(Source("x.grid", text))[1]:
        assert all(kind is not Error for kind, _ in tokens)


def test_every_reserved_word_is_coloured_and_words_of_one_line_are_names_elsewhere() -> None:
    for word in RESERVED:
        assert kind_of(word, f"{word} \n") in (Keyword, Keyword.Declaration, Keyword.Constant, Operator.Word)
    assert kind_of("from", 'use a from "b.grid"') is Keyword is kind_of("where", "input a where a > 1")
    assert (
        kind_of("stuck", 'test "1" stuck') is Keyword
        and kind_of("stuck", "  1 : R -> stuck") is Name.Function
    )
    assert kind_of("class", "state s(c: class)") is Keyword.Type and kind_of("class", "  class : R") is Name
    assert kind_of("D", "  1 : R -> D") is Name.Function and kind_of("D", "  1 : D") is Name.Builtin.Pseudo
    assert kind_of("[x]", 'test """\n[x]\n""" halts') is String.Interpol
    assert kind_of("state", "start go(\n\nstate b") is Keyword.Declaration


def test_pygments_finds_it_by_its_entry_point() -> None:
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"][
        "pygments.lexers"
    ]
    module, _, name = entries["grid"].partition(":")
    assert getattr(import_module(module), name) is GridLexer
    assert "grid" in GridLexer.aliases and "*.grid" in GridLexer.filenames
