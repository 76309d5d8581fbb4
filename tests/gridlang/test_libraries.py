"""States used from other files: found, brought along, kept apart, flattened, and shown in their own file."""

from __future__ import annotations

from pathlib import Path

import pytest

import gridlang as gl
from gridlang.loading import load_source, try_load
from gridlang.source import Source
from gridlang.syntax.formatter import format_source
from tests.support.command_line import answer, invoke

WALKS = """library walks

# Along a class.
state walk(way: move, over: class, next: state)
  over : way
  else : as next  # which decides

state there_and_back(over: class, next: state)
  any : R -> walk(R, over, turn(over, next))

state turn(over: class, next: state)
  x in any : L -> walk(L, over, next)
"""
AGENT = """agent walker

use there_and_back from "walks.grid"

alphabet
  next   = 0..9
  turned = 'x'

start there_and_back(next, x)

state x
  _ : R -> done

state done
  any : halt

test "123" = "123"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "walks.grid").write_text(WALKS)
    (tmp_path / "walker.grid").write_text(AGENT)
    return tmp_path


def test_a_used_state_brings_what_it_leads_to(folder: Path) -> None:
    program = gl.load(folder / "walker.grid")
    assert program.test()
    assert [family.name for family in program.table.families] == ["there_and_back", "walk"]


def test_names_of_the_library_are_kept_apart_from_those_of_the_agent(folder: Path) -> None:
    flat = gl.load(folder / "walker.grid").to_source()
    assert "state walk(way: move, over: class, next_: state)" in flat
    assert "x_ in any : L -> walk(L, over, next_)" in flat


def test_the_flattened_file_is_one_file_that_means_the_same(folder: Path) -> None:
    program = gl.load(folder / "walker.grid")
    flat = program.to_source()
    assert "use " not in flat and "# Along a class." in flat
    again = load_source(Source("flat", flat))
    assert again.table == program.table and again.to_source() == flat
    assert format_source(Source("flat", flat)) == flat


def test_an_agent_taken_from_a_file_takes_what_that_file_uses(folder: Path) -> None:
    (folder / "other.grid").write_text('agent other = walker from "walker.grid"\n\ntest "9" = "9"\n')
    assert gl.load(folder / "other.grid").test()


def test_two_libraries_may_use_a_third(folder: Path) -> None:
    state = "state {0}(over: class, next: state)\n  any : as walk({1}, over, next)\n"
    for name, way in (("one", "L"), ("two", "R")):
        text = f'library {name}\n\nuse walk from "walks.grid"\n\n' + state.format(name, way)
        (folder / f"{name}.grid").write_text(text)
    uses = 'use one from "one.grid"\nuse two, walk from "two.grid"\nuse walk from "walks.grid"\n'
    rules = "start one(d, two(d, x))\nstate x\n  _ : L -> walk(L, d, y)\nstate y\n  any : halt\n"
    (folder / "both.grid").write_text(f"agent both\n{uses}alphabet\n  d = 0..1\n{rules}")
    program = gl.load(folder / "both.grid")
    assert load_source(Source("flat", program.to_source())).table == program.table
    assert program.to_source().count("state walk(") == 1


def test_a_library_is_checked_but_is_no_agent(folder: Path) -> None:
    file = str(folder / "walks.grid")
    assert invoke("check", file).exit_code == 0
    for command in (["run", file], ["compile", file], ["test", file], ["view", file], ["equiv", file, file]):
        result = invoke(*command)
        assert result.exit_code != 0 and "[G055]" in result.output, command
    assert try_load(file).diagnostics[0].code == "G055"
    (folder / "walks.grid").write_text(WALKS.replace("as next", "as nxt"))
    result = invoke("check", file)
    assert result.exit_code == 1 and "did you mean `next`?" in result.output


def test_an_error_in_a_library_is_shown_in_its_file(folder: Path) -> None:
    (folder / "walks.grid").write_text(WALKS.replace("over : way", "over : way\n  'q' : L"))
    told = answer("check", str(folder / "walker.grid"), code=1)["diagnostics"]
    assert {(d["code"], Path(d["file"]).name, d["line"]) for d in told} == {("G031", "walks.grid", 6)}


def test_a_warning_about_a_library_is_its_own_matter(folder: Path) -> None:
    (folder / "walks.grid").write_text(WALKS + "\nstate idle(n in 0..1)\n")
    assert not gl.load(folder / "walker.grid").warnings
    assert "[G064]" in invoke("check", str(folder / "walks.grid")).output


def test_steps_tell_the_file_of_their_rule(folder: Path) -> None:
    lines = invoke("run", str(folder / "walker.grid"), "12", "--trace").stdout.splitlines()
    assert lines[0].endswith(f"line 9 of {folder / 'walks.grid'}: any : R -> walk(R, over, turn(over, next))")
    assert any(line.endswith("line 12: _ : R -> done") for line in lines)
