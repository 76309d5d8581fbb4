"""Forged evidence: grains and radii that are none, or are others, and traces."""

from __future__ import annotations

from collections.abc import Iterator

from tests.forgeries.edits import SHOWN, Edit, Forged, claimed, drop, put
from tests.forgeries.genuine import DIFFERENT, PROVEN, RESULTS, Certificate, genuine


def forged() -> Iterator[Forged]:
    """All of them."""
    for group in (_proofs, _stuck, _grains, _traces):
        yield from group()


def _proofs() -> Iterator[Forged]:
    """Parts of each kind that are missing, or more; and counts that are others."""
    for name, data in zip(PROVEN, map(genuine, PROVEN), strict=True):
        for key in data["evidence"]:
            yield Forged(f"{key} is missing", name, drop("evidence", key))
        yield Forged("it says more", name, put("evidence", "elements", value=[[0, 0]]))
        more = put("claim", "product_states", value=data["claim"]["product_states"] + 1)
        yield Forged("one more is counted", name, more, "claim")
        yield Forged("the kind is none", name, put("evidence", "kind", value="pairs"))
    for name in ("windows", "strict windows", "never windows"):
        for radius in (None, -1, True, "1", [1]):
            yield Forged(f"the radius is {radius!r}", name, put("evidence", "radius", value=radius))
    yield Forged("too little is known", "windows", put("evidence", "radius", value=0))
    for name in ("table", "observed", "strict table"):
        yield Forged("cells are known", name, put("evidence", "radius", value=0))


def _stuck() -> Iterator[Forged]:
    """Claims about stuck runs that the evidence does not give."""
    yield Forged("everything is called strict", "acceptor", claimed("worlds", "same"))
    yield Forged("a stuck agent never is", "acceptor", claimed("worlds", "never"))
    yield Forged("a stuck agent never is", "strict windows", claimed("worlds", "never"))
    yield Forged("a stuck agent never is", "strict table", claimed("table", "never"))
    everything = put("right", "table", value=genuine("acceptor")["right"]["table"])
    for name in ("strict windows", "strict table"):
        yield Forged("RIGHT accepts everything", name, everything)


def _grains() -> Iterator[Forged]:
    """Grains of strips that are none."""
    for name in ("inputs", "descents", "anywhere", "strict strips", "never strips", "number", "verdict"):
        alone = name in RESULTS
        evidence = genuine(name)["claims"][0]["evidence"] if alone else genuine(name)["evidence"]
        low, high = evidence["rows"]
        states, symbols = len(evidence["marks"]), len(evidence["classes"])
        for key, values in {
            "rows": ([1, 1], [low, None], [0], [low, True], [-(10**9), 10**9], [high + 1, low - 1], None),
            "depth": (0, -1, 99, None, True, "1"),
            "ahead": (-1, 99, None, True),
            **dict.fromkeys(("dim", "remembers", "met"), (1, None, "")),
            "classes": ([], [-1] * symbols, [1] * symbols, [99] * symbols, [0] * (symbols + 1), None),
            **dict.fromkeys(("marks", "kinds"), ([], [-1] * states, [True] * states, [[]] * states, None)),
        }.items():
            for value in values:
                forged = put(*(SHOWN if alone else ("evidence",)), key, value=value)
                where = "claims" if alone else "evidence"
                yield Forged(f"{key} is {str(value)[:20]}", name, forged, where)
    yield Forged("nothing is told apart", "inputs", _blunt)


def _blunt(data: Certificate) -> None:
    evidence = data["evidence"]
    for key in ("marks", "kinds"):
        evidence[key] = [0] * len(evidence[key])
    evidence.update(dim=True, ahead=0, depth=1, remembers=False)
    evidence["classes"] = [int(symbol > 0) for symbol in range(len(evidence["classes"]))]


def _traces() -> Iterator[Forged]:
    """Differences that are none."""
    for name, data in zip(DIFFERENT, map(genuine, DIFFERENT), strict=True):
        steps = len(data["evidence"]["reads"])
        last = steps - 1
        yield Forged("there is no step", name, _first_steps(0))
        if last:
            yield Forged("the last step is missing", name, _first_steps(last))
        yield Forged("RIGHT does the same", name, _same_last)
        yield Forged("reads are one too few", name, drop("evidence", "reads", -1))
        yield Forged("another symbol is read", name, put("evidence", "reads", 0, value="?"))
        yield Forged("LEFT does something else", name, put("evidence", "left", 0, value=["_", "U"]))
        yield Forged("the last step is done twice", name, _last_twice)
        reads = "".join(data["evidence"]["reads"])
        yield Forged("reads are a text", name, put("evidence", "reads", value=reads))
        if data["evidence"]["cells"] is not None:
            yield Forged("the world is missing", name, _without_world)
            yield Forged("the head starts elsewhere", name, put("evidence", "start", value=[0, 77]))
            yield Forged("the head starts between", name, put("evidence", "start", value=["0", 0]))
            yield Forged("a cell holds nothing that exists", name, _strange_cell)
            yield Forged("a cell stands twice", name, _cell_twice)
    inputs = "different inputs"
    yield Forged("the input is none", inputs, put("evidence", "input", value=None))
    yield Forged("the input is another", inputs, put("evidence", "input", value="1+1"))
    yield Forged("it is no declared input", inputs, _undeclared)
    yield Forged("a world is called an input", "different worlds", put("evidence", "input", value="1"))
    yield Forged("an empty world is an object", "different never", _world_object)
    yield Forged("nothing is asked there", "different strict", _unasked)
    yield Forged("nothing is asked there", "different never", _unasked)
    yield Forged("both are stuck", "different never", _only_same)


def _first_steps(count: int) -> Edit:
    def edit(data: Certificate) -> None:
        for key in ("reads", "left", "right"):
            data["evidence"][key] = data["evidence"][key][:count]

    return edit


def _same_last(data: Certificate) -> None:
    evidence = data["evidence"]
    evidence["right"][-1] = ["_", "U"] if evidence["right"][-1] is None else evidence["left"][-1]


def _last_twice(data: Certificate) -> None:
    for key in ("reads", "left", "right"):
        data["evidence"][key].append(data["evidence"][key][-1])


def _without_world(data: Certificate) -> None:
    data["evidence"]["cells"] = None


def _strange_cell(data: Certificate) -> None:
    data["evidence"]["cells"].append([50, 50, "?"])


def _cell_twice(data: Certificate) -> None:
    data["evidence"]["cells"] += [[60, 60, data["evidence"]["reads"][0]]] * 2


def _world_object(data: Certificate) -> None:
    data["evidence"]["cells"] = {}


def _undeclared(data: Certificate) -> None:
    data["evidence"]["input"] = "+"
    data["evidence"]["cells"] = [[0, 0, "+"]]


def _unasked(data: Certificate) -> None:
    data["claim"]["stuck"] = "unasked"
    data["claim"]["says"] = data["claim"]["says"].split(", or ")[0]


def _only_same(data: Certificate) -> None:
    data["claim"]["stuck"] = "same"
    data["claim"]["says"] = data["claim"]["says"].split(", or ")[0] + ", or is not stuck where LEFT is"
