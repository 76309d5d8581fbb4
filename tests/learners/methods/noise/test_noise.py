"""Noise is put in as stated, and taken out without anything that is clean."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import gridlang as gl
from benchmarks.noise import compared
from gridlang.cli import main
from gridlang.compiler.program_files import load_program
from gridlang.compiler.simulation.native.c_library import CLibrary
from gridlang.compiler.traces.dataset import Traces
from gridlang.compiler.traces.one_trace import chosen
from gridlang.diagnostics import GridError
from gridlang.learners.learning.noisy_rounds import anonymous, learn_noisy, run_folder, verdicts_of
from gridlang.learners.methods.noise.cleaning import Belief, CleaningPlan, RoundOfCleaning, cleaned
from gridlang.learners.methods.noise.corruption import BURSTS, Rates, corrupted, kinds_of, rate_of
from gridlang.learners.methods.noise.decoding import Accounts, Costs, decode, decode_rows, judgement
from gridlang.learners.methods.noise.search import Candidate, estimated, improved, smallest, weighed
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.logs.reading import traces_to_file
from gridlang.learners.training.recipes import changed, load_recipe
from gridlang.table import MOVES, Entry, Table
from tests.programs import ROOT
from tests.support import plain_decoder

RATE = 0.05
RATES = Rates(0.1, 0.1, 0.1)


def expert(name: str = "increment") -> Table:
    return load_program(str(ROOT / "examples" / f"{name}.grid"), {}).table


def traces_of(name: str, worlds: int) -> Traces:
    program = load_program(str(ROOT / "examples" / f"{name}.grid"), {})
    return make_traces(program, [sampling_plan(program.table, f"worlds:{worlds}")], 3)


@pytest.fixture(scope="module")
def clean() -> Traces:
    return traces_of("increment", 200)


@pytest.fixture(scope="module")
def noisy(clean: Traces) -> Traces:
    return corrupted(clean, RATE, seed=5)


@pytest.fixture(scope="module")
def few(noisy: Traces) -> Traces:
    """As many as make the agent certain, since learning from them takes long."""
    return chosen(noisy, np.arange(60))


def test_each_kind_is_corrupted_at_its_rate_by_the_seed_and_nothing_clean_stays(clean: Traces) -> None:
    noisy = gl.corrupt(clean, 0.2, ("reads", "moves"), seed=1)
    valid = clean.x >= 0
    shares = [(getattr(noisy, row) != getattr(clean, row))[valid].mean() for row in "xsm"]
    assert shares[1] == 0
    assert all(abs(share - 0.2) < 0.02 for share in (shares[0], shares[2]))
    assert (noisy.x[~valid] == -1).all()
    assert noisy.data["noise"] == {"rate": 0.2, "in": ["reads", "moves"], "seed": 1}
    assert not noisy.source
    assert not any(noisy.inputs)
    again = corrupted(clean, 0.2, ("reads",), seed=1)
    assert np.array_equal(again.x, noisy.x)  # The noise in reads does not hang on what else is chosen.
    assert not np.array_equal(corrupted(clean, 0.2, seed=2).x, noisy.x)
    with pytest.raises(GridError, match="corrupted already") as refused:
        corrupted(noisy, 0.1)
    assert refused.value.diagnostics[0].code == "G220"
    with pytest.raises(ValueError, match="below 1"):
        gl.corrupt(clean, 1.5)
    with pytest.raises(ValueError, match="kind"):
        gl.corrupt(clean, 0.1, "looks")


def test_noise_in_bursts_is_as_much_and_lies_together(clean: Traces) -> None:
    wrong = gl.corrupt(clean, 0.05, shape="bursts", seed=3).x != clean.x
    valid = clean.x >= 0
    assert abs(wrong[valid].mean() - 0.05) < 0.02
    pairs = valid[:, 1:] & wrong[:, :-1]
    assert wrong[:, 1:][pairs].mean() > 0.3  # Alone it would be 0.05.


def test_confused_symbols_and_moves_are_taken_for_one_other_each(clean: Traces) -> None:
    noisy = gl.corrupt(clean, 0.1, shape="confused", seed=3)
    for row in "xsm":
        before, after = getattr(clean, row), getattr(noisy, row)
        taken = set(zip(before[before != after].tolist(), after[before != after].tolist(), strict=True))
        assert taken and len(taken) == len({one for one, _ in taken})
    with pytest.raises(ValueError, match="shape"):
        gl.corrupt(clean, 0.1, shape="odd")


def test_rates_and_kinds_are_read_as_they_are_written() -> None:
    assert rate_of("5%") == rate_of("0.05") == 0.05
    assert kinds_of("moves, reads") == ("reads", "moves")
    for wrong in ("120%", "-0.1", "nan", "many"):
        with pytest.raises(ValueError):
            rate_of(wrong)
    with pytest.raises(ValueError, match="looks"):
        kinds_of("looks")


@pytest.mark.parametrize("rate", [0.01, 0.2])
def test_decoding_in_c_is_decoding_as_defined(rate: float) -> None:
    seen, table = corrupted(traces_of("add2", 8), 0.1), expert("add2")
    rows = (*table.rows[:5], (None,) * len(table.symbols), *table.rows[6:])  # Some of it is not known.
    costs = Costs.of(replace(table, rows=rows), Rates(rate, rate, rate), decode(table, seen, RATES).read)
    native, plain = Accounts.empty(seen, len(table.states)), Accounts.empty(seen, len(table.states))
    decode_rows(costs, seen, native)
    plain_decoder.decode_rows(costs, seen, plain)
    for name in Accounts._fields:
        assert np.allclose(getattr(native, name), getattr(plain, name), atol=1e-9), name
    assert native.wrote.sum() == pytest.approx(seen.steps)


def test_given_the_agent_the_wrong_steps_are_found_and_the_rates_are_right(
    clean: Traces, noisy: Traces
) -> None:
    told = decode(expert(), noisy, RATES)
    judged, measured = judgement(noisy, told), compared(noisy, told, clean)
    assert measured.precision > 0.97
    assert measured.recall > 0.97
    assert all(abs(rate - RATE) < 0.015 for rate in judged.rates.by_kind.values())
    for kind, (low, high) in judged.bounds.items():
        assert low < getattr(judged.rates, kind) < high


def test_noise_in_bursts_is_estimated_as_well_as_noise_that_is_even(clean: Traces) -> None:
    noisy = corrupted(clean, RATE, seed=5, shape=BURSTS)
    best = estimated(expert(), noisy, RATES)
    true = [((getattr(noisy, row) != getattr(clean, row)) & (clean.x >= 0)).sum() for row in "xsm"]
    told = best.accounts.rates
    for rate, wrong in zip(told.by_kind.values(), true, strict=True):
        assert abs(rate - wrong / noisy.steps) < 0.01
    after_right, after_wrong = np.reshape(told.together, (2, 8))
    assert after_wrong[1:].sum() / after_wrong.sum() > 5 * after_right[1:].sum() / after_right.sum()


@pytest.mark.long
def test_a_table_at_rest_with_too_few_states_is_split_until_it_is_the_agents() -> None:
    # Without the states that carry, the sum of two ones is called noise: a third of the records too many.
    table = expert("add2")
    other = {table.states.index("shift(1)"): "shift(0)", table.states.index("ripple(1)"): "ripple(0)"}
    place = [table.states.index(other.get(at, name)) for at, name in enumerate(table.states)]
    rows = tuple(
        tuple(entry and entry._replace(next=place[entry.next]) for entry in row) for row in table.rows
    )
    seen = anonymous(corrupted(traces_of("add2", 200), 0.01, seed=1))
    rest = estimated(smallest(replace(table, rows=rows)), seen, RATES)
    assert len(rest.table.states) == 10
    assert verdicts_of(rest.table, table)["worlds"] == "refuted"
    steps: list[Candidate] = []
    best = improved(rest, seen, steps.append)
    assert verdicts_of(best.table, table) == {"inputs": "proven", "worlds": "proven"}
    costs = [each.cost for each in steps]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.long
def test_a_rule_that_leads_elsewhere_is_mended() -> None:
    table = expert("add2")
    places = {name: at for at, name in enumerate(table.states)}
    rows = [list(row) for row in table.rows]
    one = table.symbols.index("1")
    carried = rows[places["ripple(1)"]][one]
    assert carried is not None
    rows[places["ripple(1)"]][one] = carried._replace(next=places["home"])
    seen = anonymous(corrupted(traces_of("add2", 200), RATE, seed=1))
    spoiled = estimated(smallest(replace(table, rows=tuple(map(tuple, rows)))), seen, RATES)
    assert verdicts_of(spoiled.table, table)["worlds"] == "refuted"
    best = improved(spoiled, seen, lambda _: None)
    assert verdicts_of(best.table, table) == {"inputs": "proven", "worlds": "proven"}


def test_the_learner_uses_nothing_but_what_was_recorded(clean: Traces, noisy: Traces) -> None:
    # Inputs, source and metadata tell the truth, or lie: what is learned from is the same.
    telling = replace(noisy, inputs=clean.inputs, source=clean.source)
    for name in ("x", "s", "m", "length", "inputs", "source", "data"):
        one, other = getattr(anonymous(telling), name), getattr(anonymous(noisy), name)
        assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other
    bare = replace(noisy, data={}, classes=(), input="")
    assert np.array_equal(decode(expert(), bare, RATES).x, decode(expert(), telling, RATES).x)


@pytest.mark.long
def test_increment_is_recovered_from_noisy_traces_alone_and_an_interrupted_run_goes_on_the_same(
    few: Traces, tmp_path: Path
) -> None:
    plan = CleaningPlan(changed(load_recipe("proof"), iterations=10_000), rounds=2, device="cpu")
    whole = learn_noisy(few, plan, (), expert())
    assert whole.verdicts == {"inputs": "proven", "worlds": "proven"}
    assert all(abs(rate - RATE) < 0.015 for rate in whole.cleaned.judgement.rates.by_kind.values())
    folder = str(tmp_path / "run")

    def stop(event: object) -> None:
        if isinstance(event, RoundOfCleaning):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), run_folder(folder, few, plan, True, False) as kept:
        learn_noisy(few, plan, (), expert(), kept, on_event=stop)
    with pytest.raises(GridError, match="already"), run_folder(folder, few, plan, True, False):
        pass
    with (
        pytest.raises(GridError, match="another traces"),
        run_folder(folder, clean_of(few), plan, True, True),
    ):
        pass
    with run_folder(folder, few, plan, True, True) as kept:
        resumed = learn_noisy(few, plan, (), expert(), kept)
    assert resumed.table == whole.table
    assert resumed.cleaned.judgement == whole.cleaned.judgement
    assert np.array_equal(gl.load_traces(Path(folder, "cleaned.npz")).x, whole.traces.x)
    Path(folder, "cleaning.json").write_text('{"rounds": 1}')
    with pytest.raises(GridError) as damaged, run_folder(folder, few, plan, True, True) as kept:
        learn_noisy(few, plan, (), expert(), kept)
    assert damaged.value.diagnostics[0].code == "G161"


@pytest.mark.long
def test_the_command_says_what_it_judges_and_estimates_and_goes_on_only_when_asked(
    few: Traces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    replace(few, states=None).save("noisy.npz")  # Nobody says how many states there are.
    words = ["learn", "noisy.npz", "--until-proven", "--noisy", "--rounds", "1", "--seeds", "1"]
    words += ["--iterations", "6000", "--device", "cpu", "--run", "kept"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    for said in ("round 1: 3 states;", "steps judged wrong", "% of moves", "held out, consistent with"):
        assert said in done.output
    again = CliRunner().invoke(main, words)
    assert again.exit_code == 2 and "G160" in again.output
    resumed = CliRunner().invoke(main, [*words, "--resume", "--json"])
    told = json.loads(resumed.stdout)
    assert told["states"] == 3 and told["proven"] is None and told["cleaned"] == "kept/cleaned.npz"
    assert f"{told['judged_wrong']:,} of {told['steps']:,} steps judged wrong" in done.output


@pytest.mark.long
def test_a_noisy_log_is_learned_from_as_it_is_and_the_run_is_not_taken_for_damage(
    few: Traces, tmp_path: Path
) -> None:
    log, folder = str(tmp_path / "noisy.csv"), str(tmp_path / "run")
    Path(log).write_bytes(traces_to_file(few, log))
    with pytest.raises(GridError, match="halt"):
        gl.load_traces(log)
    learned = gl.learn_noisy(
        log, seeds=0, rounds=1, run=folder, against=str(ROOT / "examples/increment.grid")
    )
    assert learned.verdicts == {"inputs": "proven", "worlds": "proven"}
    assert len(learned.traces) == len(few) and learned.traces.steps == few.steps
    reported = CliRunner().invoke(main, ["report", folder])
    assert reported.exit_code == 2 and "cleaned noisy traces" in reported.stderr


def test_a_mealy_machine_is_recovered_from_a_log_with_wrong_inputs_and_outputs(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    after, output = random.integers(0, 5, (5, 2)), random.integers(0, 3, (5, 2))
    rules = "".join(
        f"state s{at}\n  _ : halt\n"
        + "".join(f"  '{'ab'[i]}' : write '{'xyz'[output[at, i]]}', R -> s{after[at, i]}\n" for i in (0, 1))
        for at in range(5)
    )
    head = "agent m\nalphabet\n  letter = 'a' | 'b'\n  'x' | 'y' | 'z'\ninput word = letter*\nstart s0\n"
    lines = ["trace,input,output"]
    for run in range(300):
        state = 0
        for given in random.integers(0, 2, 15).tolist():
            said, seen = int(output[state, given]), given
            said = (said + int(random.integers(1, 3))) % 3 if random.random() < RATE else said
            seen = 1 - given if random.random() < RATE else given
            lines.append(f"{run},{'ab'[seen]},{'xyz'[said]}")
            state = int(after[state, given])
    log = tmp_path / "m.csv"
    log.write_text("\n".join(lines) + "\n")
    learned = gl.learn_noisy(str(log), seeds=0, rounds=1, against=gl.loads(head + rules))
    assert learned.verdicts["inputs"] == "proven"


def clean_of(noisy: Traces) -> Traces:
    return chosen(noisy, np.arange(len(noisy) - 1))


def test_traces_that_show_where_an_agent_is_stuck_are_refused(noisy: Traces) -> None:
    s, m = noisy.s.copy(), noisy.m.copy()
    s[0, noisy.length[0] - 1] = m[0, noisy.length[0] - 1] = -1
    strict = replace(noisy, s=s, m=m, ending=("stuck", *noisy.ending[1:]))
    with pytest.raises(GridError, match="stuck") as refused:
        cleaned(strict, CleaningPlan(load_recipe("proof")))
    assert refused.value.diagnostics[0].code == "G221"


def test_traces_that_the_likeliest_table_calls_noise_are_refused(noisy: Traces) -> None:
    table = expert()
    away = tuple(Entry(symbol, MOVES.index("U"), 0) for symbol in range(len(table.symbols)))
    wrong = replace(table, states=("q0",), rows=(away,))
    at_rest = Belief(8, weighed(wrong, noisy, Rates(0.6, 0.6, 0.6)), 1, 2)
    with pytest.raises(GridError, match="calls most of what was recorded noise") as refused:
        cleaned(noisy, CleaningPlan(load_recipe("proof")), at_rest)
    assert refused.value.diagnostics[0].code == "G222"


def test_without_a_compiler_noise_is_refused_at_once(monkeypatch: pytest.MonkeyPatch, noisy: Traces) -> None:
    monkeypatch.setattr(CLibrary, "builds", lambda _: False)
    with pytest.raises(GridError, match="there is no C compiler") as refused:
        decode(expert(), noisy, RATES)
    assert refused.value.diagnostics[0].code == "G122"
