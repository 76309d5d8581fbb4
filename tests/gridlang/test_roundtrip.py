"""Text, syntax and tables go back and forth without loss."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.loading import load_source
from gridlang.printer import table_to_source
from gridlang.source import Source, Span
from gridlang.syntax import tree as s
from gridlang.syntax import unparse
from gridlang.syntax.formatter import format_source
from gridlang.syntax.parser import parse, parse_line
from gridlang.table import Table
from gridlang.table_json import table_from_json, table_to_json
from tests.programs import PROGRAMS, Example
from tests.strategies import canonical_tables, expressions
from tests.support.searches import searched


def bare(node: object) -> object:
    """A node without its spans."""
    if isinstance(node, Span):
        return None
    if isinstance(node, tuple):
        return (type(node).__name__, *(bare(child) for child in node))
    return node


@given(canonical_tables)
@searched(50, 300)
def test_a_printed_table_parses_to_the_same_table(table: Table) -> None:
    assert load_source(Source("printed", table_to_source(table))).table == table


@given(canonical_tables)
def test_a_table_survives_json(table: Table) -> None:
    assert table_from_json(table_to_json(table)) == table


@given(canonical_tables)
@searched(17, 100)
def test_printed_source_is_already_formatted(table: Table) -> None:
    text = table_to_source(table)
    assert format_source(Source("printed", text)) == text


@given(expressions())
@searched(100, 600)
def test_an_expression_means_the_same_after_printing(node: s.Expr) -> None:
    text = unparse.expression(node)
    parsed: s.OutputClause = parse_line("output_line", Source("expression", f"output {text}"))
    assert bare(parsed.value) == bare(node), text


@pytest.mark.parametrize("example", PROGRAMS, ids=lambda e: e.name)
def test_examples_are_formatted_and_open_with_a_two_line_story(example: Example) -> None:
    text = example.path.read_text(encoding="utf-8")
    assert format_source(Source(example.name, text)) == text
    lines = text.splitlines()
    assert lines[0].startswith("# ") and lines[1].startswith("# ") and lines[2].startswith("agent ")


@pytest.mark.parametrize("example", PROGRAMS, ids=lambda e: e.name)
def test_the_flattened_source_means_the_same_program(example: Example) -> None:
    program = example.load()
    assert load_source(Source("flat", program.to_source())).table == program.table


@given(st.data())
@searched(25, 250)
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
