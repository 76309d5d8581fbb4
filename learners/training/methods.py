"""How an agent is learned from traces: the methods by name, and what can be set about them."""

from __future__ import annotations

from typing import Any, NamedTuple

DFST, MERGE, SAT = "dfst", "merge", "sat"
NETWORKS = ("lstm", "gru", "transformer")  # They are trained by gradients, as DFSTs are.
TABLES = (MERGE, SAT)  # They give a table at once, and nothing is drawn at random.
METHODS = (DFST, *TABLES, *NETWORKS)
AUTO = "auto"  # `learn` merges states, and trains a DFST where what comes of that is not proven.
NETWORK_RECIPE = "network"
ORDERS = ("evidence", "breadth")
MOST_STATES = 40  # A smallest machine beyond it is hardly ever found in time.
SECONDS = 60.0


class Method(NamedTuple):
    """A way to learn, and its settings; each method reads its own of them alone."""

    name: str = DFST
    order: str = ORDERS[0]  # It is that in which states are merged.
    most_states: int = MOST_STATES  # A smallest machine has at most so many.
    seconds: float = SECONDS  # A smallest machine is looked for so long.

    def as_json(self) -> dict[str, Any]:
        """What changes the result."""
        own = {MERGE: ("order",), SAT: ("most_states", "seconds")}.get(self.name, ())
        return {"name": self.name, **{key: getattr(self, key) for key in own}}


def usual_recipe(method: str, usual: str) -> str:
    """The recipe that a method takes where none is named: networks have one of their own."""
    return NETWORK_RECIPE if method in NETWORKS else usual


BY_DFST, BY_MERGING = Method(), Method(MERGE)


def method_of(name: str, **settings: Any) -> Method:
    """The method of a name that is one of METHODS; None leaves a setting as it is."""
    return Method(name, **{key: value for key, value in settings.items() if value is not None})
