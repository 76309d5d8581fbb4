"""`halt` as a target: what it lowers to, what is printed, and where its name may stand."""

from __future__ import annotations

import pytest

import gridlang as gl
from gridlang.compiler.drawing.graphs import state_graph
from gridlang.compiler.drawing.views import graph_to_dot
from gridlang.compiler.testing.report import test_report as report_of
from gridlang.loading import loads
from gridlang.printer import table_to_source
from gridlang.source import Source
from gridlang.syntax.formatter import format_source
from gridlang.table import Entry, Table

HEAD = "agent t\nalphabet\n  bit = 0..1\nstart a\nstate a\n  0 : R\n"
LONG = HEAD + "  _ : write 1, R -> halted\n  1 : L -> halted\nstate halted\n  any : halt\n"
SHORT = HEAD + "  _ : write 1, R -> halt\n  1 : L -> halt\n"


def test_the_target_is_the_state_that_one_would_write_for_it() -> None:
    long, short = loads(LONG).table, loads(SHORT).table
    assert short.states == ("a", "halt") and short.rows == long.rows
    assert not loads(SHORT).warnings


@pytest.mark.parametrize("action", ["-> halt", "S -> halt", "as halt", "write 1 -> halt", "-> halt()"])
def test_a_rule_that_does_nothing_before_is_simply_halt(action: str) -> None:
    assert loads(HEAD + f"  1 : {action}\n").table == loads(HEAD + "  1 : halt\n").table


def test_the_target_may_be_an_argument_and_the_start() -> None:
    walk = "state walk(next: state)\n  0 : R\n  _ : L -> next\n"
    agent = loads(HEAD + "  _ : L -> walk(halt)\n" + walk).table
    assert agent.states == ("a", "walk(halt)", "halt")
    assert loads("agent t\nstart halt\n").run("").steps == 1


@pytest.mark.parametrize("text", [SHORT, "agent t\nalphabet\n  1\nstart halt\n"])
def test_a_table_prints_the_target_and_no_state_for_it(text: str) -> None:
    table = loads(text).table
    printed = table_to_source(table)
    assert "state halt" not in printed and '"halt"' not in printed
    assert loads(printed).table == table and format_source(Source("t", printed)) == printed


def test_a_state_of_that_name_that_does_more_is_printed_in_quotes() -> None:
    rows = ((Entry(1, 3, 1), None), (Entry(0, 4, 1), Entry(1, 3, 0)))
    table = Table("t", ("_", "1"), ("a", "halt"), rows)
    assert 'state "halt"' in table_to_source(table) and loads(table_to_source(table)).table == table


def test_its_rules_are_neither_dead_nor_missed() -> None:
    text = SHORT.replace("start a", "input x = 0+\noutput join(x, 1)\nstart a").replace(
        "  1 : L -> halt\n", ""
    )
    report = report_of(loads(text), 20, 1_000, 0, "auto", lambda _: None)
    assert report["search"]["unused"] == [] and report["search"]["reachable"] == 2
    assert report["dead"] == [] and report["dead_on_inputs"] == []


def test_a_drawing_shows_the_halt_itself() -> None:
    graph = state_graph(loads(SHORT))
    assert [node.is_halt for node in graph.nodes] == [False, True]
    assert "■ halt " in graph_to_dot(graph) and "halt on" not in graph_to_dot(graph)


@pytest.mark.parametrize("letter", "UDLRS")
def test_a_state_may_have_the_letter_of_a_move(letter: str) -> None:
    text = (
        f"agent t\n\nalphabet\n  bit = 0..1\n\nstart {letter}\n\nstate {letter}\n  0 : R -> go({letter})\n\n"
        f"state go(next: state)\n  0 : write 1, {letter} -> next\n  _ : as {letter}\n"
    )
    program = loads(text)
    assert program.table.states == (letter, f"go({letter})")
    assert format_source(Source("t", text)) == text
    assert loads(table_to_source(program.table)).table == program.table
    family = loads(
        f"agent t\nstart {letter}(0)\nstate {letter}(n in 0..1)\n  _ if n < 1 : R -> {letter}(n+1)\n"
    )
    assert family.table.states == (f"{letter}(0)", f"{letter}(1)")


def test_a_run_ends_in_the_target() -> None:
    done = gl.run(loads(SHORT), "00")
    assert (done.outcome, done.state, done.result, done.steps) == ("halted", "halt", "001", 4)
