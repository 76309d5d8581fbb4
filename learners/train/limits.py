"""Budgets of training, and how a recipe is fitted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Budgets of a run, of what is measured beside it, and of what fits a model."""

    # A run
    piece_seconds: float = 1.0  # training between two looks at what else there is to do; no bit depends on it
    lines: int = 1_000  # of metrics in a run, about
    checkpoint_seconds: float = 5.0  # between two checkpoints, at least
    checkpoint_share: float = 0.01  # of the time, at most
    longest_name: int = 100  # bytes of a recipe's name: a job's folder also names its data and seeds
    # What is measured beside training
    early_points: int = 10  # evenly on a logarithmic axis of three decades
    even_points: int = 16  # evenly on a linear axis
    measuring_share: float = 0.015  # of the steps of training, done to measure RLG
    step_cost: int = 2  # steps of a run that one step of training costs, there and back
    least_steps: int = 2_000  # for RLG at each point of a short training: tenths of a millisecond
    margin_steps: int = 2_000  # of the traces, about, over which the margin is taken
    # What fits a model
    highest_rate: float = 1e-2
    quiet: float = 500_000 / 32  # weights times steps for each trace of a batch up to which that rate is fine
    effort: int = 200  # iterations for each step of a trace, and each unit of the root of the weights
    passes: int = 4  # times that each trace is shown at least
    grain: int = 1_000  # Iterations are a multiple of it.
    long_share: int = 95  # percent of the traces; the few longer ones do not count
    strongest_decay: float = 3e-2
    tiny: int = 1_000  # weights up to which decay is that strong
    long: int = 200  # steps over which the bias of any decay would add up
    # Refitting
    # parts of the iterations after which it is tried: most models are there at a twentieth
    refits: tuple[float, ...] = (0.03, 0.05, 0.08, 0.13, 0.2, 0.33, 0.5, 0.75, 1.0)
    likely: float = 0.1  # loss below which refitting may succeed
    refit_rank: float = 1e-4  # directions in which centres differ less, in parts of the most, are left alone
    sure: float = 0.5  # least lead of what is right in a converged model; 1 is perfect
    # CUDA
    room: int = 5_000  # iterations in a piece
    most_slots: int = 32  # traces in a group
    fewest_slots: int = 8  # for which groups are made smaller, so that histories fit into shared memory
    private: int = 10_000  # weights up to which each block updates all, rather than wait for the others


LIMITS = Limits()
