"""Networks: the same equations in PyTorch and C; trained, resumed and judged as DFSTs are."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import gridlang as gl
from gridlang.compiler.extraction.explorer import ExplorerConfig, PlainExplorer
from gridlang.compiler.extraction.extract import extract
from gridlang.compiler.lockstep.lockstep import PlainRun, Until, matched, nobody
from gridlang.compiler.native.build import compiler
from gridlang.compiler.tensors.dfst import read_dfst
from gridlang.compiler.tensors.model import Follower, read_model
from gridlang.diagnostics import GridError
from gridlang.learners.evaluation.evaluate import RLG, suite_of
from gridlang.learners.methods.networks.lockstep import batches
from gridlang.learners.methods.networks.network import Network, network_from_bytes, network_to_bytes
from gridlang.learners.methods.networks.shapes import ARCHITECTURES, NetworkShape, network_shape
from gridlang.learners.methods.registry import METHODS
from gridlang.learners.traces.choosing.sampling import SamplingPlan, make_traces
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.training.recipes import Recipe
from gridlang.learners.training.train import Trained, TrainingPlan, train
from gridlang.loading import load
from gridlang.outcomes import Outcome
from gridlang.program import Program
from tests.programs import ROOT

torch = pytest.importorskip("torch")
from gridlang.learners.methods.networks.sequences import TorchFollower  # noqa: E402

SYMBOLS = ("_", "0", "1", "+")
RECIPE = Recipe("network", lr=1e-2, warmup=20, clip=1.0, iterations=250)


@lru_cache
def program() -> Program:
    return load(str(ROOT / "examples" / "increment.grid"))


@lru_cache
def traces() -> Traces:
    return make_traces(program(), [SamplingPlan("inputs", 24, long=4)], 0)


def plan(method: str, seeds: int = 1, **changes: float) -> TrainingPlan:
    recipe = replace(RECIPE, dim=16, **changes)
    return TrainingPlan(traces(), recipe, tuple(range(seeds)), "cpu", method=METHODS[method].choice())


@lru_cache
def learned(method: str, iterations: int = 10) -> Trained:
    """A network that was trained a little; a GRU makes no error on its traces after 250 iterations."""
    (one,) = train(plan(method, iterations=iterations))
    return one


def networks() -> list[Network]:
    """One of each architecture, and one of two layers; their weights are far from what a start gives."""
    shapes = [NetworkShape(a, 4, 16, 2, 7 if a == "transformer" else 0) for a in ARCHITECTURES]
    shapes.append(NetworkShape("gru", 4, 24))
    return [Network(shape, 2 * shape.initial(3), SYMBOLS) for shape in shapes]


def closed_loop(network: Network, reads: list[int]) -> np.ndarray:
    stepper = network.stepper()
    state, said = stepper.start(), []
    for symbol in reads:
        outputs, state = stepper.step(state, symbol)
        said.append(outputs)
    return np.array(said)


def followers(network: Network) -> list[Follower]:
    """In PyTorch, and in C where it can be."""
    native = [network.follower()] if network.shape.state and compiler() is not None else []
    return [TorchFollower(network.shape, network.weights), *native]


@pytest.mark.parametrize("network", networks(), ids=repr)
def test_whole_sequences_are_single_steps_also_beyond_the_context(network: Network) -> None:
    reads = np.random.default_rng(0).integers(0, 4, (3, 23))
    one_by_one = np.stack([closed_loop(network, row.tolist()) for row in reads])
    assert np.allclose(one_by_one[..., :4].sum(-1), 1) and np.allclose(one_by_one[..., 4:].sum(-1), 1)
    for follower in followers(network):
        first, state = follower.follow(reads[:, :9])
        rest, _ = follower.follow(reads[[0, 2], 9:], follower.chosen(state, [0, 2]))
        assert np.abs(first - one_by_one[:, :9]).max() < 1e-5
        assert np.abs(rest - one_by_one[[0, 2], 9:]).max() < 1e-5


@pytest.mark.long
def test_a_gru_learns_increment_without_an_error_on_its_traces() -> None:
    network = learned("gru", 250).model
    assert isinstance(network, Network) and network.training["method"] == {"name": "gru"}
    for row, length in enumerate(traces().length):
        said = closed_loop(network, traces().x[row, :length].tolist())
        assert (said[:, :3].argmax(1) == traces().s[row, :length]).all()
        assert (said[:, 3:].argmax(1) == traces().m[row, :length]).all()
    assert network.run("1011").result == "1100"


@pytest.mark.parametrize("method", ARCHITECTURES)
def test_a_run_that_was_interrupted_ends_with_the_same_weights(method: str, tmp_path: Path) -> None:
    whole = train(plan(method, 2, iterations=6))

    def interrupt(at: object) -> None:
        if getattr(at, "iteration", 0) >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(plan(method, 2, iterations=6), str(tmp_path), progress=interrupt)
    resumed = train(plan(method, 2, iterations=6), str(tmp_path), resume=True)
    for one, other in zip(whole, resumed, strict=True):
        assert isinstance(one.model, Network) and isinstance(other.model, Network)
        assert (one.model.weights == other.model.weights).all() and one.loss == other.loss
    assert all(margin is not None for margin in json.loads(_last_line(tmp_path / "measures.jsonl"))["margin"])
    with pytest.raises(GridError, match="method: "):
        other = next(each for each in ARCHITECTURES if each != method)
        train(plan(other, 2, iterations=6), str(tmp_path), resume=True)


def _last_line(path: Path) -> str:
    return path.read_text().splitlines()[-1]


@pytest.mark.parametrize("method", ARCHITECTURES)
def test_evaluation_in_batches_is_closed_loop_step_by_step(method: str) -> None:
    network = learned(method).model
    assert isinstance(network, Network)
    match = matched(network, program().table)
    cases = list(suite_of(program().table, 2, RLG, 0).cases())
    followed = [batches(match, follower)(cases, Until(), nobody) for follower in followers(network)]
    for case, *others in zip(cases, *followed, strict=True):
        run = PlainRun(match, case)
        expected = run.outcome(run.go(10_000))
        for outcome in others:
            assert outcome is not None and outcome.margin is not None and expected.margin is not None
            assert outcome.ending == expected.ending and outcome.steps == expected.steps
            assert outcome.mistake == expected.mistake
            assert abs(outcome.margin.value - expected.margin.value) < 1e-4


def test_a_file_holds_all_of_a_network_and_no_program_takes_it_for_a_dfst(tmp_path: Path) -> None:
    network = learned("gru").model
    assert isinstance(network, Network)
    path = str(tmp_path / "model.safetensors")
    network.save(path)
    again = read_model(path)
    assert isinstance(again, Network) and again.shape == network.shape and again.metadata == network.metadata
    assert (again.weights == network.weights).all() and network_to_bytes(again) == network_to_bytes(network)
    with pytest.raises(GridError) as refused:
        read_dfst(path)
    assert "gridlang extract" in refused.value.diagnostics[0].hint


HOSTILE = {
    "architecture": "perceptron",
    "layers": "9",
    "dim": "17",
    "context": "5",
    "symbols": '["_", "_", "1", "+"]',
    "moves": '["R"]',
    "name": "a\nb",
}


@pytest.mark.parametrize("key", HOSTILE)
def test_hostile_metadata_are_refused(key: str) -> None:
    network = networks()[1]
    data = network_to_bytes(network)
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header["__metadata__"][key] = HOSTILE[key]
    text = json.dumps(header).encode()
    with pytest.raises(GridError) as refused:
        network_from_bytes(len(text).to_bytes(8, "little") + text + data[8 + size :])
    assert refused.value.diagnostics[0].code == "G081"


def test_damaged_weights_are_refused() -> None:
    network = networks()[1]
    broken = replace(network, weights=np.full_like(network.weights, np.nan))
    for data in (network_to_bytes(broken), network_to_bytes(network)[:-4], b"", b"\xff" * 64):
        with pytest.raises(GridError) as refused:
            network_from_bytes(data)
        assert refused.value.diagnostics[0].code == "G081"


def test_strict_traces_are_refused_with_a_reason() -> None:
    known = traces()
    s, m = known.s.copy(), known.m.copy()
    s[0, known.length[0] - 1] = m[0, known.length[0] - 1] = -1
    strict = replace(known, s=s, m=m, ending=(Outcome.STUCK, *known.ending[1:]))
    with pytest.raises(GridError) as refused:
        network_shape("gru", strict)
    assert refused.value.diagnostics[0].code == "G208"


def test_extraction_refuses_a_transformer_and_explores_a_gru_the_same_in_c_and_python() -> None:
    transformer, gru = learned("transformer").model, learned("gru").model
    refused = extract(transformer, expert=program().table).refusal
    assert refused is not None and refused.code == "G210"
    with pytest.raises(GridError) as no_dfst:
        gl.snap(gru)
    assert no_dfst.value.diagnostics[0].code == "G209"
    config = ExplorerConfig((0.02, 0.1), 256)
    explorers = [PlainExplorer(gru, config)]
    if compiler() is not None:
        from gridlang.compiler.extraction.explorer_native import NativeExplorer

        explorers.append(NativeExplorer(gru, config))
    seen = []
    for explorer in explorers:
        endings = [explorer.run(text, 40) for text in ("0", "1", "101", "111")]
        books = explorer.codebooks()
        seen.append((endings, explorer.steps, [(len(b.centres), len(b.edges)) for b in books]))
        assert all(np.linalg.norm(b.centres, axis=1).max() <= 1 for b in books)
    assert all(each == seen[0] for each in seen)
