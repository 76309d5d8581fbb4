"""`gridlang test` on the command line: what it finds, and how that is replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gridlang import load
from gridlang.compiler.testing.report import report_lines
from tests.programs import EXAMPLES
from tests.support.command_line import ADD10, answer, invoke


def test_test_reports_a_counterexample_and_how_to_replay_it(tmp_path: Path) -> None:
    path = tmp_path / "bug.grid"
    text = (EXAMPLES / "add.grid").read_text(encoding="utf-8")
    path.write_text(text.replace("(d+v) div base", "0"), encoding="utf-8")
    data = answer("test", str(path), code=1)
    wrong = data["counterexample"]
    assert data["failed"] >= 1 and wrong["got"] != wrong["expected"]
    assert wrong["replay"] == f"gridlang run {path} {wrong['input']} --watch"
    assert invoke("run", str(path), wrong["input"]).stdout.strip() == wrong["got"]
    shown = "\n".join(report_lines(load(path), data["files"][0]))
    assert f'input     "{wrong["input"]}"' in shown and "expected" in shown and "replay" in shown


def test_test_passes_on_good_files() -> None:
    data = answer("test", ADD10, str(EXAMPLES / "ant.grid"), "--cases", "20")
    assert data["failed"] == 0 and data["passed"] == 5 and data["counterexample"] is None


def test_a_slow_agent_is_reported_soon_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "slow.grid"
    path.write_text(
        "agent slow\nalphabet\n  bit = 0..1\ninput a = bit+\noutput a\nstart s\n"
        "state s\n  0 : halt\n  1 : R -> t\n  _ : halt\nstate t\n  any : L -> s\n",
        encoding="utf-8",
    )
    shown = invoke("test", str(path)).stdout
    assert 'input     "1"' in shown and "it goes round in circles, seen after" in shown
    path.write_text(
        path.read_text().replace("any : L -> s", "any : write 0, R -> u") + "state u\n  _ : R -> t\n"
    )
    shown = invoke("test", str(path), "--steps", "300000").stdout
    assert 'input     "1"' in shown
    assert "it was still running after 300,000 steps (--steps allows more)" in shown


def test_unused_rules_are_named_and_finite_languages_are_tried_whole(tmp_path: Path) -> None:
    path = tmp_path / "finite.grid"
    path.write_text(
        "agent finite\nalphabet\n  bit = 0..1\ninput a = (bit, bit?)\noutput a\nstart s\n"
        "state s\n  bit : R\n  _ : halt\n  \n",
        encoding="utf-8",
    )
    (data,) = answer("test", str(path))["files"]
    search = data["search"]
    assert search["complete"] is True and search["cases"] == 6 and search["unused"] == []
    assert "  tried all 6 inputs that there are" in report_lines(load(path), data)
    unused = answer("test", str(EXAMPLES / "brackets.grid"), "--cases", "10")["files"][0]["search"]
    assert len(unused["unused"]) == unused["reachable"] - unused["covered"] > 0


def test_a_definition_is_for_each_file_that_has_the_parameter() -> None:
    files = [str(EXAMPLES / f"{name}.grid") for name in ("increment", "ant", "sort")]
    data = answer("test", *files, "-D", "base=3", "--cases", "5")
    assert [report["skipped"] for report in data["files"]] == [3, 0, 3]
    assert answer("check", *files, "-D", "base=3", code=0)["diagnostics"] == []
    unknown = answer("test", *files, "-D", "bass=3", code=2)["diagnostics"][0]
    assert unknown["code"] == "G026" and "did you mean `base`" in unknown["hint"]


def test_a_library_among_the_files_has_nothing_to_test_by_itself() -> None:
    walks, twice = (str(EXAMPLES / f"{name}.grid") for name in ("walks", "twice"))
    shown = invoke("test", walks, twice, "--cases", "5")
    assert shown.exit_code == 0 and "walks.grid is a library" in shown.stderr
    assert invoke("test", walks).exit_code == 2


@pytest.mark.usefixtures("full_list")
def test_what_was_tried_is_told_and_its_length_can_be_set() -> None:
    (data,) = answer("test", ADD10, "--longest", "60", "--cases", "90")["files"]
    search = data["search"]
    assert (
        search["longest"] <= 60 and search["random"] == 90 and search["cases"] == search["checked"] == 6_090
    )
    shown = "\n".join(report_lines(load(ADD10), data))
    assert "add10: output a + b held on 6,090 inputs" in shown
    tried = "all 2,100 inputs of up to 4 symbols, the first 3,900 of 5 symbols, then 90 random ones of up to"
    assert f"tried {tried} {search['longest']} symbols" in shown


@pytest.mark.long
def test_where_nothing_was_checked_nothing_has_passed(tmp_path: Path) -> None:
    path = tmp_path / "vacuous.grid"
    header = "agent vacuous\nalphabet\n  bit = 0..1\n"
    rest = "start s\nstate s\n  any : halt\n"
    path.write_text(f"{header}input a = bit+\noutput a div 0\n{rest}", encoding="utf-8")
    shown = invoke("test", str(path))
    assert shown.exit_code == 1 and "nothing was checked" in shown.stdout
    assert "inputs without a value" in shown.stdout and "held" not in shown.stdout
    path.write_text(f"{header}{rest}", encoding="utf-8")
    shown = invoke("test", str(path))
    assert shown.exit_code == 1 and "nothing to test" in shown.stdout
    assert invoke("test", str(path), str(EXAMPLES / "beaver.grid")).exit_code == 0


WORD = """agent spell
alphabet
  bit = 0..1
input a = bit
output "111"
start s
state s
  bit : write "111", R -> halt
"""


def test_rules_that_write_the_rest_of_a_word_are_not_counted(tmp_path: Path) -> None:
    (tmp_path / "spell.grid").write_text(WORD)
    search = answer("test", str(tmp_path / "spell.grid"))["files"][0]["search"]
    assert (search["covered"], search["reachable"], search["unused"]) == (2, 2, [])
    shown = invoke("trace", str(tmp_path / "spell.grid"), "-o", str(tmp_path / "spell.npz")).stdout
    assert "2 of 2 exercised" in shown


def test_a_folder_is_all_its_sources(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / ".hidden").mkdir()
    for place in ("spell.grid", "below/again.grid", ".hidden/not.grid"):
        (tmp_path / place).write_text(WORD)
    (tmp_path / "notes.md").write_text("no source")
    files = [data["file"] for data in answer("test", str(tmp_path))["files"]]
    assert files == [str(tmp_path / "spell.grid"), str(tmp_path / "below" / "again.grid")]
    assert answer("check", str(tmp_path))["diagnostics"] == []
    assert answer("fmt", str(tmp_path))["changed"] == files
    (tmp_path / "empty").mkdir()
    for command in ("check", "fmt", "test"):
        assert "no `.grid` file in this folder" in invoke(command, str(tmp_path / "empty")).stderr
