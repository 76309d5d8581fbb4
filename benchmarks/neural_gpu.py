"""The Neural GPU (Kaiser and Sutskever, 2015) on pairs of inputs and outputs: binary sums and products.

    python benchmarks/neural_gpu.py add mult                       20,000 iterations of eight seeds each
    python benchmarks/neural_gpu.py mult --seconds 540             a piece of a long run; call again to go on
    python benchmarks/neural_gpu.py add --seeds 1 --maps 8 --iterations 300 --device cpu

The paper compares DFSTs with it. Here: a state of width 4, 24 maps, two convolutional gated units of 3 x 3
kernels, applied as often as the input has symbols; gates with cut-off, dropout, noise on gradients, and a
curriculum up to 20 digits, which all seeds share. Left out: six sets of weights pulled together, and the grid
search over hundreds of runs, which the published lengths were the best of.

Numbers are written with their lowest digit first. PLG(m) are random inputs of m digits, RLG(m) also all whose
every number repeats one digit, as for DFSTs. Records go to --results, as neural_gpu-TASK.json, checkpoints to
--work.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
from torch import Tensor  # noqa: E402
from torch.nn.functional import conv2d, cross_entropy, dropout  # noqa: E402

from benchmarks.timing import ends_with  # noqa: E402
from gridlang.files import write_whole  # noqa: E402

ZERO, ONE, OPERATOR = range(3)
SYMBOLS = 3
WIDTH, LAYERS, KERNEL = 4, 2, 3  # as in the paper
CUT = 0.1  # A gate is stretched by this on either side and cut off, so that it can be open or shut entirely.
FIRST_DIGITS = 1  # The curriculum begins here,
GOOD = 0.01  # and goes on by a digit when half of the seeds have at most this share of outputs wrong,
WINDOW = 50  # iterations of the longest inputs that are averaged.
REVIEWED = 0.2  # Such a share of iterations is of any shorter length, so that nothing is forgotten.
TESTED = (5, 10, 20, 40, 60, 100, 200, 400, 1000, 2000)  # digits of numbers, up to the paper's
RANDOM_CASES = 10  # as PLG has
CHECKPOINT_SECONDS = 30.0


@dataclass(frozen=True)
class Settings:
    """What a run must agree with to be gone on with."""

    task: str
    seeds: int = 8
    iterations: int = 20_000
    maps: int = 24
    digits: int = 20  # The curriculum ends here.
    batch: int = 32
    lr: float = 3e-3
    clip: float = 1.0
    dropped: float = 0.08  # This share of the state is dropped, over all steps of a run together.
    noise: float = 0.01  # Gradients get noise of this deviation times the share of outputs that are wrong.


def piece_sizes(maps: int) -> dict[str, tuple[int, ...]]:
    """The tensors of one Neural GPU: three convolutions a layer, an embedding, and what reads the result."""
    layer = {
        f"{gate}{i}": (maps, maps, KERNEL, KERNEL)
        for i in range(LAYERS)
        for gate in ("fresh", "keep", "reset")
    }
    biases = {f"{name}_bias": (maps,) for name in layer}
    return {**layer, **biases, "embedding": (SYMBOLS, maps), "out": (maps, 2), "out_bias": (2,)}


def parameters(maps: int) -> int:
    return sum(int(np.prod(size)) for size in piece_sizes(maps).values())


class NeuralGpus:
    """Several Neural GPUs at once, a seed each: their convolutions are the groups of one."""

    def __init__(self, settings: Settings, device: str) -> None:
        self.settings, self.device = settings, device
        self.weights = {name: self._initial(name, size) for name, size in piece_sizes(settings.maps).items()}

    def _initial(self, name: str, size: tuple[int, ...]) -> Tensor:
        """(seeds, ...): kernels by the number of their inputs; a unit keeps its state at first."""
        if name.endswith("bias"):
            value = 1.0 if name.startswith(("keep", "reset")) else 0.0
            stacked = torch.full((self.settings.seeds, *size), value)
        else:
            fan_in = self.settings.maps * (KERNEL**2 if len(size) == 4 else 1)
            parts = []
            for seed in range(self.settings.seeds):
                random = np.random.default_rng([seed, *name.encode()])
                parts.append(random.uniform(-1, 1, size) * (3 / fan_in) ** 0.5)
            stacked = torch.as_tensor(np.stack(parts), dtype=torch.float32)
        return stacked.to(self.device).requires_grad_(True)

    def logits(self, x: Tensor, dropped: float = 0.0) -> Tensor:
        """What each puts out for the inputs x (seeds, batch, n): (seeds, batch, n, 2)."""
        seeds, batch, n = x.shape
        maps = self.settings.maps
        rows = torch.arange(seeds, device=x.device)[:, None, None]
        state = x.new_zeros(batch, seeds * maps, n, WIDTH, dtype=torch.float32)
        first = self.weights["embedding"][rows, x]  # (seeds, batch, n, maps)
        state[..., 0] = first.permute(1, 0, 3, 2).reshape(batch, seeds * maps, n)
        for _ in range(n):
            for layer in range(LAYERS):
                state = self._unit(state, layer)
            if dropped:
                state = dropout(state, dropped / n)
        last = state[..., 0].reshape(batch, seeds, maps, n)
        return (
            torch.einsum("bsmn,smo->sbno", last, self.weights["out"])
            + self.weights["out_bias"][:, None, None]
        )

    def _unit(self, state: Tensor, layer: int) -> Tensor:
        """A convolutional gated unit."""
        keep = _gate(self._convolved(state, f"keep{layer}"))
        reset = _gate(self._convolved(state, f"reset{layer}"))
        fresh = torch.tanh(self._convolved(reset * state, f"fresh{layer}"))
        return fresh + keep * (state - fresh)

    def _convolved(self, state: Tensor, name: str) -> Tensor:
        kernel, bias = self.weights[name], self.weights[f"{name}_bias"]
        return conv2d(
            state, kernel.flatten(0, 1), bias.flatten(), padding=KERNEL // 2, groups=self.settings.seeds
        )


def _gate(x: Tensor) -> Tensor:
    return ((1 + 2 * CUT) * torch.sigmoid(x) - CUT).clamp(0, 1)


def encoded(task: str, left: int, right: int, digits: int) -> tuple[list[int], list[int]]:
    """An input and its output, both of 2 * digits + 1 symbols, lowest digits first."""

    def bits(number: int, count: int) -> list[int]:
        return [number >> i & 1 for i in range(count)]

    result = left + right if task == "add" else left * right
    return [*bits(left, digits), OPERATOR, *bits(right, digits)], bits(result, 2 * digits + 1)


def drawn(task: str, digits: int, count: int, random: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Random pairs of numbers of at most `digits` digits, as tensors (count, 2 * digits + 1)."""
    bits = random.integers(0, 2, (count, 2, digits))
    numbers = [[int("".join(map(str, row)), 2) for row in pair] for pair in bits.tolist()]
    pairs = [encoded(task, left, right, digits) for left, right in numbers]
    x, y = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    return torch.as_tensor(x), torch.as_tensor(y)


class Run:
    """A training run of one task, which goes on from its checkpoint."""

    def __init__(self, settings: Settings, work: Path, device: str) -> None:
        self.settings, self.device, self.path = settings, device, work / f"neural_gpu-{settings.task}.pt"
        self.models = NeuralGpus(settings, device)
        weights = list(self.models.weights.values())
        self.moments = [[torch.zeros_like(each) for each in weights] for _ in range(2)]
        self.iteration, self.digits, self.seconds, self.samples = 0, FIRST_DIGITS, 0.0, 0
        self.wrong: list[list[float]] = []  # Shares of wrong outputs by seed, on the longest inputs so far.
        self.progress: list[list[float]] = []  # When each length was begun, for the record.
        if self.path.exists():
            self._read()

    def _read(self) -> None:
        kept = torch.load(self.path, map_location=self.device, weights_only=True)
        if kept["settings"] != asdict(self.settings):
            raise SystemExit(f"{self.path} is a run with other settings; give --work another folder")
        with torch.no_grad():
            for name, value in kept["weights"].items():
                self.models.weights[name].copy_(value)
        self.moments = kept["moments"]
        self.iteration, self.digits, self.seconds, self.samples = kept["at"]
        self.wrong, self.progress = kept["wrong"], kept["progress"]

    def keep(self) -> None:
        """Writes a checkpoint, whole."""
        kept = {
            "settings": asdict(self.settings),
            "weights": {name: value.detach() for name, value in self.models.weights.items()},
            "moments": self.moments,
            "at": [self.iteration, self.digits, self.seconds, self.samples],
            "wrong": self.wrong,
            "progress": self.progress,
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(".new")
        torch.save(kept, beside)
        os.replace(beside, self.path)

    def train(self, deadline: float) -> bool:
        """Trains until all iterations are done, which it answers, or the time is up."""
        begun = kept = told = time.monotonic()
        while self.iteration < self.settings.iterations and time.monotonic() < deadline:
            self._iterate()
            now = time.monotonic()
            self.seconds, begun = self.seconds + now - begun, now
            if now - told > 5:
                told = now
                self._tell()
            if now - kept > CHECKPOINT_SECONDS:
                kept = now
                self.keep()
        self.keep()
        return self.iteration == self.settings.iterations

    def _tell(self) -> None:
        shares = " ".join(f"{share:.3f}" for share in (self.wrong[-1] if self.wrong else []))
        print(
            f"{self.settings.task}: iteration {self.iteration:,} of {self.settings.iterations:,}, "
            f"{self.digits} digits, wrong {shares}",
            file=sys.stderr,
            flush=True,
        )

    def _iterate(self) -> None:
        settings, models = self.settings, self.models
        random = np.random.default_rng([2015, self.iteration])
        torch.manual_seed(self.iteration)
        reviewed = self.digits > 1 and random.random() < REVIEWED
        digits = int(random.integers(1, self.digits)) if reviewed else self.digits
        pairs = [drawn(settings.task, digits, settings.batch, random) for _ in range(settings.seeds)]
        x, y = (torch.stack(parts).to(self.device) for parts in zip(*pairs, strict=True))
        logits = models.logits(x, settings.dropped)
        loss = cross_entropy(logits.flatten(0, 2), y.flatten(), reduction="sum") / y[0].numel()
        gradients = torch.autograd.grad(loss, list(models.weights.values()))
        wrong = (logits.detach().argmax(-1) != y).float().mean((1, 2))  # (seeds,)
        self._adam(list(gradients), wrong)
        self.iteration += 1
        self.samples += settings.batch
        if not reviewed:
            self.wrong = [*self.wrong, wrong.tolist()][-WINDOW:]
            self._lengthen()

    def _lengthen(self) -> None:
        if len(self.wrong) < WINDOW or self.digits == self.settings.digits:
            return
        if np.median(np.mean(self.wrong, 0)) <= GOOD:
            self.digits, self.wrong = self.digits + 1, []
            self.progress.append([self.digits, self.iteration, round(self.seconds, 1)])

    def _adam(self, gradients: list[Tensor], wrong: Tensor) -> None:
        """Adam for each seed on its own, with the gradient clipped by the norm of that seed's."""
        with torch.no_grad():
            noisy = [
                g + self.settings.noise * wrong.reshape(-1, *[1] * (g.dim() - 1)) * torch.randn_like(g)
                for g in gradients
            ]
            norm = torch.stack([g.flatten(1).square().sum(1) for g in noisy]).sum(0).sqrt()
            scale = (self.settings.clip / (norm + 1e-6)).clamp(max=1.0)
            t = self.iteration + 1
            for weight, g, mean, variance in zip(
                self.models.weights.values(), noisy, *self.moments, strict=True
            ):
                g = g * scale.reshape(-1, *[1] * (g.dim() - 1))
                mean.lerp_(g, 0.1)
                variance.lerp_(g.square(), 0.001)
                step = mean / (1 - 0.9**t) / ((variance / (1 - 0.999**t)).sqrt() + 1e-8)
                weight.sub_(self.settings.lr * step)


def right(models: NeuralGpus, x: Tensor, y: Tensor) -> list[list[bool]]:
    """Of each seed which outputs are right in all their digits; every seed is given the same inputs."""
    with torch.no_grad():
        given = x.to(models.device)[None].expand(models.settings.seeds, -1, -1)
        answers = models.logits(given).argmax(-1).cpu()
    return (answers == y).all(-1).tolist()


def tests(models: NeuralGpus, most: int, deadline: float) -> list[dict[str, Any]]:
    """PLG and RLG of each seed at growing lengths, without what the time does not allow."""
    task, measured = models.settings.task, []
    for digits in (each for each in TESTED if each <= most):
        if time.monotonic() > deadline:
            break
        x, y = drawn(task, digits, RANDOM_CASES, np.random.default_rng([7, digits]))
        random = [sum(row) for row in right(models, x, y)]
        ones = 2**digits - 1
        pairs = [encoded(task, a, b, digits) for a, b in product((0, ones), repeat=2)]
        x, y = (torch.as_tensor(np.array(part)) for part in zip(*pairs, strict=True))
        repeated = [sum(row) for row in right(models, x, y)]
        measured.append({"digits": digits, "random": random, "repeated": repeated})
        share = sum(random) / (RANDOM_CASES * len(random))
        print(f"{task}: {digits:,} digits: {share:.0%} of random inputs right", file=sys.stderr, flush=True)
    return measured


def largest(measured: list[dict[str, Any]], seed: int, parts: dict[str, int]) -> int:
    """The largest tested length up to which a seed makes no error in these parts of the tests."""
    passed = 0
    for each in measured:
        if any(each[part][seed] < count for part, count in parts.items()):
            break
        passed = each["digits"]
    return passed


def record(run: Run, measured: list[dict[str, Any]]) -> dict[str, Any]:
    """What is kept of a run: how it was made, and how far each seed goes."""
    settings = run.settings
    random, both = {"random": RANDOM_CASES}, {"random": RANDOM_CASES, "repeated": 4}
    return {
        "benchmark": "neural_gpu",
        **asdict(settings),
        "parameters": parameters(settings.maps),
        "done": run.iteration,
        "samples_a_seed": run.samples,
        "seconds": round(run.seconds, 1),
        "device": torch.cuda.get_device_name() if run.device == "cuda" else "cpu",
        "torch": str(torch.__version__),
        "curriculum": {"digits": run.digits, "begun": run.progress},
        "wrong": [round(float(share), 5) for share in np.mean(run.wrong, 0)] if run.wrong else None,
        "plg": [largest(measured, seed, random) for seed in range(settings.seeds)],
        "rlg": [largest(measured, seed, both) for seed in range(settings.seeds)],
        "tests": measured,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", nargs="*", choices=[[], "add", "mult"], help="add, mult; both unless given")
    defaults = Settings("")
    for name, kind in (("seeds", int), ("iterations", int), ("maps", int), ("digits", int), ("batch", int)):
        parser.add_argument(f"--{name}", type=kind, default=getattr(defaults, name))
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="stop after this time; go on later"
    )
    parser.add_argument("--test-digits", type=int, default=TESTED[-1], help="the longest that are tested")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "neural_gpu")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results")
    given = parser.parse_args()
    device = given.device if given.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    deadline = time.monotonic() + given.seconds
    for task in given.tasks or ["add", "mult"]:
        sizes = {name: getattr(given, name) for name in ("seeds", "iterations", "maps", "digits", "batch")}
        run = Run(replace(defaults, task=task, **sizes), given.work, device)
        ended = run.train(deadline)
        # What is there is tested and recorded, which may take half a minute more than the time given.
        measured = tests(run.models, given.test_digits, max(deadline, time.monotonic() + 30))
        kept = record(run, measured)
        given.results.mkdir(parents=True, exist_ok=True)
        write_whole(str(given.results / f"neural_gpu-{task}.json"), json.dumps(kept, indent=1) + "\n")
        plg, rlg = max(kept["plg"]), max(kept["rlg"])
        size = f"{kept['parameters']:,} weights, {kept['samples_a_seed']:,} samples"
        print(f"{task}: {size}; trained up to {run.digits} digits; best seed PLG {plg:,}, RLG {rlg:,}")
        if not ended:
            print(f"{task}: out of time at iteration {run.iteration:,}; call again to go on")
            return 0
    return 0


if __name__ == "__main__":
    ends_with(main)
