"""How much of a run, a view or a model is read, measured and shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    file_bytes: int = 500_000_000  # bytes: no run leaves a larger file
    line_points: int = 160  # A panel is about twice as many pixels wide.
    speed_points: int = 50  # of the line of speeds
    thin_lines: int = 200  # more lines would blur and slow the page; the band covers all seeds
    listed: int = 400  # seeds or rules in a list
    followed_length: int = 12  # of inputs on which a model must follow its extraction, as for `learn`
    named_states: int = 30  # names of more would overlap

    page_seconds: float = 2.0  # seconds between two versions of a page
    page_share: float = 0.1  # of the time that making pages takes, at most
    # A folder of a sweep holds folders of runs; that of `learn` also one of merging, which holds one.
    folder_depth: int = 3


LIMITS = Limits()
