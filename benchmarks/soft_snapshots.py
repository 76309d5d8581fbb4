"""A relaxation of agents for gradients: what is learned of snapshots whose head is hidden.

    python benchmarks/soft_snapshots.py increment parity_check reverse_string --starts 8

State and head of a run are a distribution, and so is each cell by itself; a rule is a softmax over writes,
moves and next states, as in a DFST whose reads are hidden too. The loss is the cross entropy of the cells in
the grids that were seen. An agent is rounded to its likeliest rules, and counts if its runs show every grid.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import torch

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import gridlang as gl  # noqa: E402
from benchmarks.snapshots import AGENTS  # noqa: E402
from gridlang.compiler.synthesis.snapshots import Snapshots  # noqa: E402
from gridlang.learners.traces.recording import traces_to_snapshots  # noqa: E402

RUNS, LONGEST = 12, 16  # runs, and grids of a run: chains of products
MOVES = (-1, 1, 0)


def grids_of(seen: Snapshots) -> torch.Tensor:
    """Symbols, (runs, grids, cells); after its end a run shows its last grid."""
    runs = [run for run in seen.runs if len(run) <= LONGEST][:RUNS]
    wide, first = 2 * LONGEST, LONGEST // 2
    grids = torch.zeros(len(runs), max(map(len, runs)), wide, dtype=torch.long)
    for number, run in enumerate(runs):
        for at in range(grids.shape[1]):
            for (x, _), symbol in run[min(at, len(run) - 1)].cells.items():
                grids[number, at, first + x] = seen.symbols.index(symbol)
    return grids


def shown(rules: torch.Tensor, grids: torch.Tensor, symbols: int, every: int) -> torch.Tensor:
    """Distributions of cells, (grids, runs, cells, symbols); rules by state, symbol, next, write, move."""
    states = rules.shape[0]
    cells = torch.nn.functional.one_hot(grids[:, 0], symbols).float()
    where = torch.zeros(len(grids), states, grids.shape[2])
    where[:, 0, LONGEST // 2] = 1
    seen = [cells]
    for _ in range((grids.shape[1] - 1) * every):
        there = where.sum(1)  # whether the head is on a cell
        acts = torch.einsum("bqc,bca,qanwm->bcnwm", where, cells, rules)
        cells = cells * (1 - there)[..., None] + acts.sum((2, 4))
        moved = acts.sum(3)  # runs, cells, next, move
        where = sum(torch.roll(moved[..., m], step, 1) for m, step in enumerate(MOVES)).transpose(1, 2)
        seen.append(cells)
    return torch.stack(seen[::every])


def loss_of(rules: torch.Tensor, grids: torch.Tensor, symbols: int, every: int) -> torch.Tensor:
    found = shown(rules, grids, symbols, every).transpose(0, 1)
    return -found.gather(-1, grids[..., None]).clamp_min(1e-6).log().sum((1, 2)).mean()


def learned(grids: torch.Tensor, states: int, symbols: int, every: int, iterations: int, seed: int) -> bool:
    """Whether the likeliest rules show every grid."""
    torch.manual_seed(seed)
    size = (states, symbols, states, symbols, len(MOVES))
    logits = torch.randn(states, symbols, states * symbols * len(MOVES), requires_grad=True)
    optimiser = torch.optim.Adam([logits], 0.05)
    for at in range(iterations):
        rules = (logits * (1 + 3 * at / iterations)).softmax(-1).view(size)
        optimiser.zero_grad()
        loss_of(rules, grids, symbols, every).backward()
        optimiser.step()
    hard = torch.nn.functional.one_hot(logits.argmax(-1), logits.shape[-1]).float().view(size)
    return bool(loss_of(hard, grids, symbols, every) < 1e-3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agents", nargs="+", choices=AGENTS)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--starts", type=int, default=8)
    parser.add_argument("--iterations", type=int, default=600)
    options = parser.parse_args()
    torch.set_num_threads(1)
    for name in options.agents:
        expert = gl.load(str(ROOT / AGENTS[name]))
        seen = traces_to_snapshots(gl.trace(expert, rule="paper", count=100), options.every, True)
        grids, symbols, states = grids_of(seen), len(seen.symbols), len(expert.table.states)
        begun, right = time.process_time(), 0
        for seed in range(options.starts):
            right += learned(grids, states, symbols, options.every, options.iterations, seed)
        spent = time.process_time() - begun
        print(f"{name}: {right} of {options.starts} starts show all grids; {spent:.0f} CPU s", flush=True)


if __name__ == "__main__":
    main()
