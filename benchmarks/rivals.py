"""Rivals of the DFST: networks of PyTorch, each trained by a plain loop, then judged through `gl.wrap`.

    python benchmarks/rivals.py add2                  all of them
    python benchmarks/rivals.py add2 gated --seed 1
    python benchmarks/rivals.py add2 gru --rules inputs:500 reads:2000 --iterations 3000

Each is evaluated, followed along the expert's runs to a table, and that is compared with the expert.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import gridlang as gl  # noqa: E402
from benchmarks.timing import ends_with  # noqa: E402

MOVES, FRESH = 5, 1_000
Kept: TypeAlias = Any  # tensors (1, d) that a network keeps from step to step


class Recurrent(nn.Module):
    """`nn.GRU` or `nn.LSTM`; a linear layer reads what it keeps after a symbol."""

    def __init__(self, cell: type[nn.GRU] | type[nn.LSTM], symbols: int, d: int) -> None:
        super().__init__()
        self.cell, self.out = cell(symbols, d, batch_first=True), nn.Linear(d, symbols + MOVES)

    def start(self) -> Kept:
        zeros = torch.zeros(1, 1, self.cell.hidden_size)
        return (zeros, zeros) if isinstance(self.cell, nn.LSTM) else zeros

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.cell(x)[0])

    def step(self, kept: Kept, x: Tensor) -> tuple[Tensor, Kept]:
        h, kept = self.cell(x, kept)
        return self.out(h), kept


class Looped(nn.Module):
    """A network by what it keeps `after` a symbol, and what it `says` at each step from what it kept."""

    h0: nn.Parameter
    after: Callable[[Tensor, Tensor], Tensor]  # (N, d), (N, symbols)
    says: Callable[[Tensor, Tensor], Tensor]  # (N, T, d), (N, T, symbols)

    def start(self) -> Kept:
        return self.h0[None]

    def forward(self, x: Tensor) -> Tensor:
        h = [self.h0.expand(len(x), -1)]
        for symbol in x.unbind(1)[:-1]:
            h.append(self.after(h[-1], symbol))
        return self.says(torch.stack(h, 1), x)

    def step(self, h: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.says(h[:, None], x), self.after(h, x[:, 0])


class Diagonal(Looped):
    """A selective state space: every number fades and is added to by itself, as the symbol says."""

    def __init__(self, symbols: int, d: int) -> None:
        super().__init__()
        self.h0 = nn.Parameter(torch.zeros(d))
        self.fade, self.add, self.read = (nn.Linear(symbols, d) for _ in range(3))
        self.out = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, symbols + MOVES))

    def after(self, h: Tensor, x: Tensor) -> Tensor:
        return torch.sigmoid(self.fade(x) + 2) * h + self.add(x)

    def says(self, h: Tensor, x: Tensor) -> Tensor:
        return self.out(h + self.read(x))


class Gated(Looped):
    """A gated linear network: the symbol says how much of each number its matrix replaces."""

    def __init__(self, symbols: int, d: int) -> None:
        super().__init__()
        self.h0 = nn.Parameter(functional.normalize(torch.rand(d), dim=0))
        self.A = nn.Parameter(torch.eye(d).repeat(symbols, 1, 1))
        self.gate = nn.Parameter(torch.full((symbols, d), 2.0))
        self.out = nn.Parameter(torch.zeros(symbols, symbols + MOVES, d))

    def after(self, h: Tensor, x: Tensor) -> Tensor:
        made = functional.linear(h, self.A.flatten(0, 1)).unflatten(-1, self.A.shape[:2])
        return h.lerp(torch.bmm(x[:, None], made)[:, 0], x @ torch.sigmoid(self.gate))

    def says(self, h: Tensor, x: Tensor) -> Tensor:
        return torch.einsum("ntk,koi,nti->nto", x, self.out, h)


RIVALS: dict[str, Callable[[int, int], nn.Module]] = {
    "gru": partial(Recurrent, nn.GRU),
    "lstm": partial(Recurrent, nn.LSTM),
    "ssm": Diagonal,
    "gated": Gated,
}
ITERATIONS, WIDTH, RATE, BATCH = 1_000, 32, 2e-2, 64
DECAY, CLIP = 3e-2, 1.0


def trained(
    name: str, traces: gl.Traces, seed: int = 0, iterations: int = ITERATIONS, width: int = WIDTH
) -> nn.Module:
    """The loop that anybody would write: Adam down a cosine, on what was done as one-hot numbers."""
    torch.manual_seed(seed)
    symbols = len(traces.symbols)
    network = RIVALS[name](symbols, width)
    x, s, m = (torch.tensor(np.int64(part)) for part in (traces.x, traces.s, traces.m))
    read = functional.one_hot(x.clamp(min=0), symbols).float()
    done = torch.cat([i[..., None] == torch.arange(n) for i, n in ((s, symbols), (m, MOVES))], 2).float()
    adam = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
    cosine = torch.optim.lr_scheduler.OneCycleLR(adam, RATE, iterations, pct_start=0.1)
    for _ in range(iterations):
        rows = torch.randint(len(x), (BATCH,))
        steps = int(traces.length[rows.numpy()].max())
        lasts = x[rows, :steps] >= 0
        loss = ((network(read[rows, :steps]) - done[rows, :steps])[lasts] ** 2).sum(1).mean()
        adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), CLIP)
        adam.step()
        cosine.step()
    return network.requires_grad_(False)


def wrapped(network: nn.Module, traces: gl.Traces, agent: gl.Program) -> gl.Wrapped:
    """The network as what `gl` takes: it is given what it keeps and the number of a symbol."""
    one_hot = torch.eye(len(traces.symbols))[:, None, None]

    def step(kept: Kept, x: int) -> tuple[Tensor, Kept]:
        return network.step(kept, one_hot[x])

    return gl.wrap(step, network.start(), traces.symbols, agent=agent)


def told(name: str, agent: gl.Program, traces: gl.Traces, options: argparse.Namespace) -> Iterator[str]:
    """What is known of a rival, a line at a time."""
    begun = time.process_time()
    network = trained(name, traces, options.seed, options.iterations)
    weights = sum(part.numel() for part in network.parameters())
    yield f"{name}: {weights:,} weights, trained for {time.process_time() - begun:.0f} s of a core"
    model = wrapped(network, traces, agent)
    fresh = gl.trace(agent, f"inputs:{FRESH}", long=5, seed=1)
    yield f"  predicts     {gl.predict(model, fresh)}"
    for digits in (5, 20, 100):
        yield f"  by itself    {gl.evaluate(model, agent, digits=digits)}"
    found = gl.extract(model, agent, scope="inputs")
    yield f"  its table    {found}"
    if found.table is not None:
        yield f"  compared     {gl.equiv(agent, found.table, scope='inputs')}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("agent", help="one of the examples")
    parser.add_argument("rivals", nargs="*", metavar="RIVAL", help=f"of {' '.join(RIVALS)}; all unless given")
    parser.add_argument("--rules", nargs="+", default=["inputs:200"], help="of traces, as for gl.trace")
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)  # several would wait for each other: the matrices are small
    agent = gl.load(str(ROOT / "examples" / f"{options.agent}.grid"))
    traces = gl.trace(agent, options.rules)
    print(traces)
    for name in options.rivals or RIVALS:
        for line in told(name, agent, traces, options):
            print(line, flush=True)


if __name__ == "__main__":
    ends_with(main)
