"""How long an editor waits, and how much it is shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Budgets of the language server; times are in seconds."""

    pause: float = 0.15  # without a change before a text is checked
    longest_check: float = 10.0  # larger agents are checked on the command line
    longest_answer: float = 10.0  # an editor that waits longer for a name seems dead
    longest_drawing: float = 20.0  # a graph is drawn beside the text, which can be edited meanwhile
    jobs_at_once: int = 2  # one check and one drawing: more would slow down typing
    most_files: int = 2_000  # of a workspace, searched for names
    most_kept: int = 200  # files that are read and not open
    largest: int = 1_000_000  # characters: parsing more takes many seconds, so such a file is only checked
    most_shown: int = 12  # steps of a rule, or states of a family: more would fill the screen
    most_symbols: int = 60  # of a class, in a hover
    most_items: int = 1_000  # an editor shows a few, and asks again when more is typed
    longest_name: int = 200  # letters behind the cursor that are searched for a parenthesis


LIMITS = Limits()
