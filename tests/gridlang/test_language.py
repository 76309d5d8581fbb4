"""What each construct of the language means, seen through the tables it makes."""

from __future__ import annotations

import pytest

from gridlang.diagnostics import GridError
from gridlang.loading import load, load_source
from gridlang.source import Source
from gridlang.table import MOVES, Table


def table(text: str, **definitions: str) -> Table:
    return load_source(Source("test.grid", text), definitions).table


def rule(agent: Table, state: str, symbol: str) -> tuple[str, str, str] | None:
    """(write, move, next) of a pair, by name."""
    entry = agent.rows[agent.states.index(state)][agent.symbols.index(symbol)]
    return entry and (agent.symbols[entry.write], MOVES[entry.move], agent.states[entry.next])


def codes(text: str) -> list[str]:
    with pytest.raises(GridError) as caught:
        load_source(Source("test.grid", text))
    return [d.code for d in caught.value.diagnostics]


HEAD = "agent t\nalphabet\n  digit = 0..3\n  sign = '+' | '-'\n"


def test_the_blank_comes_first_then_symbols_as_declared() -> None:
    assert table(HEAD + "start a\nstate a\n  any : halt\n").symbols == ("_", "0", "1", "2", "3", "+", "-")


def test_states_come_breadth_first_from_the_start() -> None:
    text = (
        HEAD + "start a\nstate c\n  any : halt\nstate b\n  _ : R -> c\nstate a\n  _ : R -> b\n  0 : R -> c\n"
    )
    assert table(text).states == ("a", "b", "c")


def test_what_is_left_out_keeps_the_symbol_and_the_state() -> None:
    agent = table(
        HEAD
        + "start a\nstate a\n  0 : R\n  1 : write 2, S\n  2 : write 3\n  3 : L -> b\nstate b\n  _ : halt\n"
    )
    assert rule(agent, "a", "0") == ("0", "R", "a")
    assert rule(agent, "a", "1") == ("2", "S", "a")
    assert rule(agent, "a", "2") == ("3", "S", "a")
    assert rule(agent, "a", "3") == ("3", "L", "b")
    assert rule(agent, "a", "+") is None
    assert agent.is_halt(1, 0)


def test_else_takes_what_other_rules_leave_after_their_guards() -> None:
    agent = table(HEAD + "start a\nstate a\n  d in digit if d > 1 : R\n  '+' : L\n  else : halt\n")
    assert rule(agent, "a", "2") == ("2", "R", "a")
    assert all(rule(agent, "a", x) == (x, "S", "a") for x in "_01-")


def test_classes_are_united_and_narrowed() -> None:
    agent = table(HEAD + "start a\nstate a\n  digit | '+' except 0 | 3 : R\n  any except digit | sign : L\n")
    assert [x for x in agent.symbols if rule(agent, "a", x) == (x, "R", "a")] == ["1", "2", "+"]
    assert rule(agent, "a", "_") == ("_", "L", "a")


def test_a_computed_number_is_a_symbol_of_its_class() -> None:
    text = "agent t\nalphabet\n  letter = 'a'..'c'\nstart a\nstate a\n  x in letter : write (x+1) mod 3, R\n"
    agent = table(text)
    assert [rule(agent, "a", x) for x in "abc"] == [("b", "R", "a"), ("c", "R", "a"), ("a", "R", "a")]


def test_a_class_name_turns_a_number_into_its_symbol() -> None:
    agent = table(
        HEAD + "start a\nstate a\n  s in sign : write digit(s+2), R\n  d in digit : write sign(d mod 2), L\n"
    )
    assert rule(agent, "a", "-") == ("3", "R", "a")
    assert rule(agent, "a", "3") == ("-", "L", "a")


def test_families_are_instantiated_only_where_reached_and_keep_their_names() -> None:
    text = (
        HEAD
        + "start a\nstate a\n  d in digit if d > 1 : R -> bring(d)\nstate bring(v in digit)\n  _ : write v, R -> a\n"
    )
    agent = table(text)
    assert agent.states == ("a", "bring(2)", "bring(3)")
    assert rule(agent, "bring(3)", "_") == ("3", "R", "a")


@pytest.mark.parametrize("param", ["c in 0..m-1", "c < m", "c <= m-1"])
def test_ranges_may_depend_on_earlier_parameters(param: str) -> None:
    text = (
        HEAD
        + f"start f(2, 0)\nstate f(m in digit, {param})\n  _ if c + 1 < m : R -> f(m, c+1)\n  0 : write m, R\n"
    )
    assert table(text).states == ("f(2,0)", "f(2,1)")
    assert codes(text.replace("f(2, 0)", "f(2, 2)")) == ["G030"]


def test_templates_take_moves_classes_and_states() -> None:
    text = HEAD + (
        "start walk(R, digit, found)\n"
        "state walk(way: move except S, over: class, next: state)\n  over : way\n  else : as next\n"
        "state found\n  sign : L -> walk(left(U), digit | '+', found)\n  _ : halt\n"
    )
    agent = table(text)
    assert agent.states[0] == "walk(R,digit,found)"
    assert rule(agent, agent.states[0], "2") == ("2", "R", agent.states[0])
    assert rule(agent, agent.states[0], "_") == ("_", "S", agent.states[0])
    assert rule(agent, agent.states[0], "+") == ("+", "L", "walk(L,0|1|2|3|'+',found)")


def test_as_goes_where_the_other_state_would_go() -> None:
    agent = table(
        HEAD
        + "start a\nstate a\n  any : as b\nstate b\n  0 : R\n  1 : L -> c\n  2 : halt\nstate c\n  any : as b\n"
    )
    assert rule(agent, "a", "0") == ("0", "R", "b")
    assert rule(agent, "a", "1") == ("1", "L", "c")
    assert rule(agent, "a", "2") == ("2", "S", "a")
    assert rule(agent, "a", "_") is None


def test_moves_turn_and_compare() -> None:
    text = "agent t\nalphabet\n  x = 1\nstart f(U)\nstate f(d: move except S)\n"
    agent = table(
        text
        + "  _ if d != L : right(d) -> f(right(d))\n  1 if d == U or d == back(U) : back(d) -> f(left(d))\n"
    )
    assert rule(agent, "f(U)", "_") == ("_", "R", "f(R)")
    assert rule(agent, "f(L)", "_") is None
    assert rule(agent, "f(D)", "1") == ("1", "U", "f(R)")
    assert rule(agent, "f(R)", "1") is None


def test_one_state_may_have_two_names() -> None:
    agent = table(
        HEAD + "start a\nstate a\n  0 : R -> strip\n  1 : L -> init\nstate strip, init\n  any : halt\n"
    )
    assert agent.states == ("a", "strip")
    assert rule(agent, "a", "1") == ("1", "L", "strip")


def test_parameters_have_ranges_and_defaults() -> None:
    text = "agent t(base in 2..4 = 3)\nalphabet\n  digit = 0..base-1\nstart a\nstate a\n  any : halt\n"
    assert len(table(text).symbols) == 4
    assert len(table(text, base="2").symbols) == 3
    for wrong in ("5", "x", "-1", "99999999999", ""):
        with pytest.raises(GridError):
            table(text, base=wrong)
    with pytest.raises(GridError, match="no parameter `bas`"):
        table(text, bas="2")


def test_lines_go_on_inside_parentheses() -> None:
    text = (
        HEAD
        + "start a(\n  1, # one\n  2\n)\nstate a(x in digit,\n        y in digit)\n  _ : write x, R -> a(y,\n  x)\n"
    )
    assert table(text).states == ("a(1,2)", "a(2,1)")


def test_words_are_keywords_only_where_they_can_be() -> None:
    text = "agent t\nstart left\nstate left\n  _ : R -> after\nstate after\n  _ : L -> steps\nstate steps, from, move\n  any : halt\n"
    assert table(text).states == ("left", "after", "steps")


def test_imports_take_arguments_and_keep_their_own_name(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "count.grid").write_text(
        "agent count(base in 2..10 = 10, way: move = R)\nalphabet\n  digit = 0..base-1\n"
        "start a\nstate a\n  digit : way\n  _ : halt\n"
    )
    (tmp_path / "mid.grid").write_text(
        'agent mid(n in 1..4 = 2) = count(n*2, way = L) from "lib/count.grid"\n'
    )
    (tmp_path / "top.grid").write_text('agent top = mid(n = 3) from "mid.grid"\ntest "12" halts\n')
    program = load(tmp_path / "top.grid")
    assert program.name == "top" and len(program.table.symbols) == 7
    assert rule(program.table, "a", "5") == ("5", "L", "a")
    assert program.arguments == {} and program.bound == {"base": 6, "way": "L"}
    assert len(load(tmp_path / "mid.grid", {"n": "1"}).table.symbols) == 3


def test_import_cycles_over_two_files_are_named(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.grid").write_text('agent a = b from "b.grid"\n')
    (tmp_path / "b.grid").write_text('agent b = a from "a.grid"\n')
    with pytest.raises(GridError, match=r"a\.grid -> b\.grid -> a\.grid"):
        load(tmp_path / "a.grid")


def test_imports_cannot_leave_the_folder_even_by_a_link(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret.grid").write_text("agent s\nstart a\nstate a\n  any : halt\n")
    (tmp_path / "inside" / "link.grid").symlink_to(tmp_path / "secret.grid")
    (tmp_path / "inside" / "t.grid").write_text('agent t = s from "link.grid"\n')
    with pytest.raises(GridError) as caught:
        load(tmp_path / "inside" / "t.grid")
    assert caught.value.diagnostics[0].code == "G052"


def test_a_rule_that_another_parameter_needs_is_no_warning() -> None:
    text = "agent t(n in 1..3 = 1)\nstart a\nstate a\n  _ if n == 2 : R\n  _ if n != 2 : halt\n"
    assert load_source(Source("t", text)).warnings == ()
