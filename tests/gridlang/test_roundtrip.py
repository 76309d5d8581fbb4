"""Text, syntax and tables go back and forth without loss."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.automata.merging import graph_to_rows, table_to_graph
from gridlang.compiler.tensors.dfst import dfst_from_bytes, dfst_to_bytes, dfst_to_table, table_to_dfst
from gridlang.loading import load_source
from gridlang.printer import table_to_source
from gridlang.source import Source
from gridlang.syntax import unparse
from gridlang.syntax.formatter import format_source, line_pieces, meaning
from gridlang.syntax.parser import parse, parse_line
from gridlang.table import Table
from gridlang.table_json import table_from_json, table_to_json
from tests.programs import PROGRAMS, Example
from tests.strategies import canonical_tables
from tests.support.command_line import invoke
from tests.support.searches import searched
from tests.syntax_strategies import LINES


def round_trips(table: Table) -> None:
    """A table comes back from every form that it is written in; its source is laid out as `fmt` does."""
    source = table_to_source(table)
    assert load_source(Source("printed", source)).table == table
    assert format_source(Source("printed", source)) == source
    for again in (pickle.loads(pickle.dumps(table)), table_from_json(table_to_json(table))):
        assert again == table and again.flat == table.flat
    assert replace(table, rows=graph_to_rows(table_to_graph(table))) == table
    model = dfst_from_bytes(dfst_to_bytes(table_to_dfst(table, source)))
    unlisted = replace(model, metadata={**model.metadata, "families": "[]"})
    for again in (dfst_to_table(model), dfst_to_table(unlisted)):  # by its source
        assert (again.symbols, again.states, again.rows) == (table.symbols, table.states, table.rows)
        assert again.classes == table.classes
    assert dfst_to_table(model).families == table.families


@given(canonical_tables)
@searched(50)
def test_a_table_survives_every_form(table: Table) -> None:
    round_trips(table)


@pytest.mark.parametrize("example", PROGRAMS, ids=lambda e: e.name)
def test_an_example_survives_every_form_and_is_flattened_into_one_file(example: Example) -> None:
    program = example.load()
    round_trips(program.table)
    assert load_source(Source("flat", program.to_source())).table == program.table


@pytest.mark.parametrize("kind", LINES)
@given(st.data())
@searched(30)
def test_every_line_of_the_grammar_means_the_same_after_printing(kind: str, data: st.DataObject) -> None:
    node = data.draw(LINES[kind])
    text = "".join(line_pieces(node))
    assert meaning(parse_line(kind, Source("printed", text))) == meaning(node), text


def test_a_conditional_move_keeps_its_parentheses() -> None:
    text = "agent a\n\nstart s(0)\n\nstate s(x in 0..3)\n  any : (L if x == 2 else R)\n"
    assert format_source(Source("move", text)) == text


@pytest.mark.parametrize("broken", ["any : L if x == 2 else R", "any : L", "", "any : (R if x == 2 else L)"])
def test_a_layout_that_would_change_the_program_is_never_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    path = tmp_path / "move.grid"
    text = "agent a\nstart s(0)\nstate s(x in 0..3)\n  any : (L if x == 2 else R)  # turn\n"
    path.write_text(text)
    monkeypatch.setattr(unparse, "action", lambda _: broken.partition(": ")[2])
    result = invoke("fmt", str(path))
    assert result.exit_code == 2 and path.read_text() == text
    assert "[G088]" in result.output and "move.grid:4" in result.output


@pytest.mark.parametrize("example", PROGRAMS, ids=lambda e: e.name)
def test_examples_are_formatted_and_open_with_a_two_line_story(example: Example) -> None:
    text = example.path.read_text(encoding="utf-8")
    assert format_source(Source(example.name, text)) == text
    lines = text.splitlines()
    assert lines[0].startswith("# ") and lines[1].startswith("# ") and lines[2].startswith("agent ")


@given(st.data())
@searched(25)
def test_layout_never_changes_what_a_file_means(data: st.DataObject) -> None:
    """Blank lines, indentation, spaces and comments are strewn over an example."""
    example = data.draw(st.sampled_from(PROGRAMS))
    lines = []
    for line in example.path.read_text(encoding="utf-8").splitlines():
        noise = data.draw(st.sampled_from(["", "\n", " # note", "   ", "\t"]))
        inside = line.startswith("  ") and '"' not in line and line.strip()[:1] not in "#[_o"
        if noise.strip("\n").startswith(" #") and ('"""' in line or not inside):
            noise = ""
        indent = data.draw(st.sampled_from(["", "    "])) if inside else ""
        blank = noise == "\n" and '"' not in line and inside
        lines.append(indent + line + ("" if noise == "\n" else noise if inside else ""))
        if blank:
            lines.append("")
    source = Source(str(example.path), "\n".join(lines) + "\n")
    once = format_source(source)
    assert format_source(Source(str(example.path), once)) == once
    assert load_source(Source(str(example.path), once)).table == example.load().table
    notes = sum(len(line.comments) for line in parse(source).lines)
    assert sum(len(line.comments) for line in parse(Source("once", once)).lines) == notes
