"""Words: written symbol by symbol, given as parameters, looked up by place; and marked copies of classes."""

from __future__ import annotations

from pathlib import Path

import pytest

import gridlang as gl
from gridlang.loading import load_source
from gridlang.printer import table_to_source
from gridlang.source import Source

WRITER = """
agent writer(word = "cd")
alphabet
  letter = 'a'..'d'
start go
state go
  'a' : write "bcd", R -> home
  'b' : write "cd", R -> home
  'c' : write word, L -> home
  'd' : write "d", R
state home
  any : halt
"""


@pytest.mark.parametrize(
    "given, left", [("a", "bcd"), ("aaa", "bcd"), ("b_a", "cda"), ("c", "dc"), ("da", "dbcd")]
)
def test_a_word_is_written_symbol_by_symbol(given: str, left: str) -> None:
    assert gl.loads(WRITER).run(given).result == left


def test_states_that_write_the_same_rest_are_one_and_are_named_by_it() -> None:
    states = gl.loads(WRITER).table.states
    assert states == ("go", "write cd, R -> home", "write d, R -> home", "write d, L -> home", "home")


def test_a_written_word_survives_printing_flattening_and_another_argument() -> None:
    program = gl.loads(WRITER, word="ab")
    assert program.run("c").result == "ba"
    assert program.argument_texts() == {"word": "ab"}
    for text in (program.to_source(), table_to_source(program.table)):
        assert load_source(Source("again", text)).table == program.table


def test_the_rule_behind_the_rest_of_a_word_is_the_one_that_was_written() -> None:
    program = gl.loads(WRITER)
    state = program.table.states.index("write cd, R -> home")
    assert {program.rules[state, symbol].span.line for symbol in range(5)} == {7}


def test_a_state_that_is_called_like_the_rest_of_a_word_is_refused() -> None:
    text = WRITER + 'state "write d, R -> home"\n  any : L -> go\n'
    with pytest.raises(gl.GridError, match="would be called"):
        gl.loads(text)


LOOKED_UP = """
agent looked_up(rule = "LR", turn: move = R, count in 0..length(rule) = 2)
alphabet
  bit = 0..length(rule)-1
  seen = marked(bit)
start go
state go
  b in bit if rule[b] == L : write seen(b), turn
  b in bit if rule[b] == 'R' and rule[b] != rule[0] : write count mod 2, rule[b]
  s in seen : write bit(s), R
  _ : halt
"""


def test_letters_are_looked_up_as_moves_and_compared() -> None:
    program = gl.loads(LOOKED_UP)
    assert program.table.symbols == ("_", "0", "1", "A", "B")
    assert program.run("01AB").result == "A001"


def test_an_argument_may_have_any_length_and_is_written_out(tmp_path: Path) -> None:
    (tmp_path / "ant.grid").write_text((Path("examples") / "ant.grid").read_text())
    (tmp_path / "other.grid").write_text('agent other(turns = "LRR") = ant(rule = turns) from "ant.grid"\n')
    program = gl.load(tmp_path / "other.grid", turns="LRRL")
    assert program.table.symbols == ("_", "#", "2", "3")
    assert 'agent other(rule = "LRRL")' in program.to_source()
    assert load_source(Source("flat", program.to_source())).table == program.table


def test_words_may_stand_in_an_output() -> None:
    text = WRITER.replace("start go", "input a = 'c'\noutput reverse(word)\nstart go")
    assert gl.loads(text).table.output == 'reverse("cd")'
    assert gl.loads(text).test()


@pytest.mark.parametrize("digits, seen", [("0..3", "ABCD"), ("1..3", "BC"), ("3 | 1", "")])
def test_a_marked_copy_has_the_number_of_its_original(digits: str, seen: str) -> None:
    text = f"agent m\nalphabet\n  digit = {digits}\n  seen = marked(digit)\nstart go\nstate go\n"
    text += "  d in digit : write seen(d), R\n  s in seen : write digit(s), R\n  _ : halt\n"
    program = gl.loads(text)
    word = "".join(symbol for symbol in program.table.symbols if symbol.isdigit())
    once = program.run(word).result
    assert once == "".join(symbol for symbol in program.table.symbols if symbol.isalpha())
    assert program.run(once).result == word
