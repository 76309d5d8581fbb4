"""Budgets of merging states."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How hard fewer states are searched for."""

    large_tables: int = 300  # pairs of state and symbol: Python takes as long for fewer as loading C
    pairs_at_once: int = 1 << 18  # of states that disagree: some 20 MB
    most_orders: int = 50  # random ones; models need none, hard random tables gain a state or two
    most_pairs: int = 400_000  # in all random orders, about a second
    clique_starts: int = 200  # states to grow cliques from: three seconds where 300 mostly disagree


LIMITS = Limits()
