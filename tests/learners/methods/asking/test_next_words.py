"""What to log next: words whose answers settle a machine, in a file that its system can be given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import gridlang as gl
from benchmarks.log_rounds import answered, drawn, machine, right
from benchmarks.mealy import Rules, Words, _traces, exact, random_machine, rules_of
from gridlang.cli import main
from gridlang.learners.methods.asking.next_words import NextWords, next_words
from gridlang.learners.methods.merging.merge import merged
from gridlang.learners.traces.logs.log_to_traces import halting_behind_words
from tests.programs import EXAMPLES

TCP = str(EXAMPLES / "logs" / "tcp.dot")


def learned(log: list[list[tuple[str, str]]]) -> tuple[Rules, NextWords]:
    traces = _traces(log)
    table = halting_behind_words(merged(traces).table)
    more = next_words(table, traces)
    assert more is not None
    return rules_of(table), more


@given(st.integers(2, 8), st.integers(0, 10_000), st.integers(20, 200))
def test_a_log_that_leaves_nothing_open_has_one_machine_of_its_size(
    states: int, seed: int, count: int
) -> None:
    """The hidden machine is no larger than what was learned, so it is that."""
    hidden = random_machine(states, seed)
    log = drawn(hidden, count, (1, 6), f"{seed}")
    for _ in range(20):
        rules, more = learned(log)
        if more.settled and more.states >= states:
            break
        log += [answered(hidden, word) for word in more.words]
    assert exact(hidden, rules)


def test_the_words_of_two_rounds_make_a_protocol_exact_that_three_thousand_random_words_do_not() -> None:
    hidden = machine("vending", 0)
    log = drawn(hidden, 3000, (1, 10), "vending 0 log")
    rules, more = learned(log)
    assert not exact(hidden, rules)
    for _ in range(2):
        log += [answered(hidden, word) for word in more.words]
        rules, more = learned(log)
    assert exact(hidden, rules) and more.settled and more.states == 30


def test_a_protocol_whose_states_random_words_never_reach_is_exact_when_all_words_of_a_round_are_predicted() -> (
    None
):
    """Also where the log looks settled: words of a deeper letter alone found ten of its twelve states."""
    hidden = machine("ssh", 0)
    log = drawn(hidden, 300, (1, 8), "ssh 0 log")
    answers, before = Words(), Rules()
    for _ in range(20):
        rules, more = learned(log)
        assert more.words
        if answers and more.settled and right(before, answers) == 1:
            break
        answers, before = [answered(hidden, word) for word in more.words], rules
        log += answers
    assert exact(hidden, rules) and more.states == 12


def test_nothing_that_is_said_of_a_settled_log_calls_it_finished() -> None:
    told = NextWords(9, 90, (), 0, 36, ("a b",), 2, settled=True)
    first, second, third = told.lines("tcp.ask.txt")
    assert "fewest that explain this log" in first and "may have more states" in second
    assert third == "wrote tcp.ask.txt: 1 word of up to 2 letters to log next"


def test_no_word_is_asked_that_the_log_has_and_none_that_another_begins_with() -> None:
    hidden = random_machine(6, 1)
    log = drawn(hidden, 40, (1, 5), "log")
    _, more = learned(log)
    known = {"".join(letter for letter, _ in word) for word in log}
    assert more.words and not any(any(each.startswith(word) for each in known) for word in more.words)
    assert not any(a != b and b.startswith(a) for a in more.words for b in more.words)


def test_asked_words_are_inputs_of_the_machine_and_their_answers_join_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    gl_trace = ["trace", TCP, "--rule", "inputs:300", "--long", "6", "-o", "tcp.jsonl"]
    assert runner.invoke(main, gl_trace).exit_code == 0
    train = ["train", "tcp.jsonl", "--method", "merge", "--ask", "--restart"]
    said = runner.invoke(main, train)
    assert (
        said.exit_code == 0 and "transitions were seen" in said.output and "wrote tcp.ask.txt" in said.output
    )
    assert "held-out" not in said.output
    assert runner.invoke(main, ["trace", TCP, "--inputs", "tcp.ask.txt", "-o", "more.jsonl"]).exit_code == 0
    with open("tcp.jsonl", "a") as log:
        log.write(Path("more.jsonl").read_text())
    told = json.loads(runner.invoke(main, [*train, "--json"]).stdout)["next_words"]
    assert told["transitions"] and not set(told["words"]) & set(Path("more.jsonl").read_text().splitlines())


def test_labelled_words_are_asked_for_without_their_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["", "a", "b", "ab", "ba", "aba", "bb"]  # an even number of a
    log = [{"word": word, "label": word.count("a") % 2 == 0} for word in words]
    Path("even.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in log))
    models = gl.train("even.jsonl", method="merge", held_out=0)
    told = models.next_words
    assert told is not None and told.states == 2 and told.words
    assert all(set(word) <= {"a", "b"} for word in told.words)
    log += [{"word": word, "label": word.count("a") % 2 == 0} for word in told.words]
    Path("even.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in log))
    again = gl.train("even.jsonl", method="merge", held_out=0).next_words
    assert again is not None and again.settled and again.states == 2


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("grid.csv", "trace,read,write,move\n1,0,1,R\n1,_,_,S\n", "on a grid"),
        ("agent.grid", (EXAMPLES / "increment.grid").read_text(), "--method ask"),
    ],
)
def test_only_logs_of_words_are_asked_for_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    said = CliRunner().invoke(main, ["train", name, "--method", "merge", "--ask"])
    assert said.exit_code == 2 and why in said.output


def test_longer_words_than_a_model_learned_from_are_counted_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for length, count, file in ((4, 200, "short.jsonl"), (40, 50, "long.jsonl")):
        rule = ["--rule", f"inputs:{count}", "--long", f"{length}"]
        assert CliRunner().invoke(main, ["trace", TCP, *rule, "-o", file]).exit_code == 0
    trained = CliRunner().invoke(main, ["train", "short.jsonl", "--method", "merge"])
    assert "none is longer than the 5 it learned from" in trained.output
    said = CliRunner().invoke(main, ["eval", "short.safetensors", "--traces", "long.jsonl"])
    assert "longer than any it learned from, up to 41 steps: " in said.output
