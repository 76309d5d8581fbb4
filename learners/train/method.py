"""`Method`: a way to learn an agent; there are three: by gradients, by questions, by merging states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gridlang.options import one_of

AUTO = "auto"  # `learn` queries, or trains if an option of training is given
DFST, ASK, MERGE = "dfst", "ask", "merge"
# the settings of each method, and their choices, the default first
METHODS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    DFST: {},
    ASK: {"scope": ("worlds", "inputs", "table")},  # where the prover looks for differences
    MERGE: {"order": ("evidence", "breadth")},  # in which states are merged
}


@dataclass(frozen=True, slots=True)
class Method:
    """A way to learn: it trains models by seeds and recipes, or finds one table, without chance."""

    name: str = DFST
    settings: Mapping[str, str] = field(default_factory=dict)  # those that change its result

    @property
    def trained(self) -> bool:
        return self.name == DFST

    @property
    def asks(self) -> bool:
        """Whether it queries the expert, and gets no traces."""
        return self.name == ASK

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, **self.settings}


BY_DFST = Method()


def method_named(name: str, **settings: str | None) -> Method:
    """The method with settings, None for a default; ValueError for a name or a setting that there is not."""
    known = METHODS[one_of("method", name, METHODS)]
    given = {setting: value for setting, value in settings.items() if value is not None}
    for setting in given:
        if setting not in known:
            raise ValueError(f"{name} does not read {setting}")
    return Method(name, {each: one_of(each, given.get(each, own[0]), own) for each, own in known.items()})


def refuse_training(method: str, seeds: int | None) -> None:
    """ValueError if a method that trains nothing is given several seeds."""
    if method != AUTO and not method_named(method).trained and seeds not in (None, 1):
        raise ValueError(f"{method} draws nothing at random: it has one answer, not {seeds}")
