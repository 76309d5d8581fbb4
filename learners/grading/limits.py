"""How much grading takes and shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    most_files: int = 10_000  # more are a folder that was named by mistake
    page_name: int = 40  # characters of a page's name taken from the submission's
    # Bytes beyond what a process has at first. A world takes 64 MB, a proof some hundred; but a model is read
    # into room for the largest one, 2 GB, most of which is never touched.
    memory: int = 3_000_000_000
    drawing_seconds: int = 20  # for a page, beyond the time limit; most take one
    grace_seconds: int = 10  # for a process to start, and to stop by itself when its time is over
    expert_cases: int = 200  # drawn inputs on which the expert itself is checked, before the class
    suspected_pairs: int = 200  # that an input is looked for, one by one; most take a tenth of a second
    sample_steps: int = 3_000  # of the expert on a random world: what halts there does so soon
    shown_symbols: int = 300  # of a result: a picture of some rows is still read
    source_lines: int = 2_000  # shown beside errors


LIMITS = Limits()
