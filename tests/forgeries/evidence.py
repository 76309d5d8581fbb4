"""Forged evidence: elements, labels, columns and traces that are missing, are none, or are others."""

from __future__ import annotations

from collections.abc import Iterator

from tests.forgeries.edits import Edit, Forged, both, claimed, drop, put
from tests.forgeries.genuine import DIFFERENT, PROVEN, Certificate, genuine


def forged() -> Iterator[Forged]:
    """All of them."""
    for group in (_proofs, _stuck, _columns, _strips, _traces):
        yield from group()


def _proofs() -> Iterator[Forged]:
    """Pairs and elements that are missing, stand twice, or are none."""
    for name, data in zip(PROVEN, map(genuine, PROVEN), strict=True):
        key = next(key for key in ("pairs", "controls", "elements") if key in data["evidence"])
        size = len(data["evidence"][key])
        for index in sorted({0, size // 2, size - 1}):
            yield Forged(f"element {index} is missing", name, drop("evidence", key, index))
        yield Forged("there is none", name, _emptied(key))
        yield Forged("an element stands twice", name, _repeated(key))
        element = data["evidence"][key][size - 1]
        for value in (-1, 10_000, True, "0", None):
            forged = put("evidence", key, size - 1, value=[value, *element[1:]])
            yield Forged(f"a state is {value!r}", name, forged)
        yield Forged("an element is cut short", name, put("evidence", key, 0, value=[0]))
        yield Forged("an element is null", name, put("evidence", key, 0, value=None))
        yield Forged("a number is in place of elements", name, put("evidence", key, value=7))
    for radius in (None, -1, True, "1", [1], 0):
        forged = put("evidence", "radius", value=radius)
        yield Forged(f"the radius is {radius!r}", "windows", forged)
    yield Forged("a cell stands twice", "windows", _repeated_cell)
    yield Forged("a cell holds nothing that exists", "windows", put("evidence", "elements", 1, -1, value=9))
    yield Forged("a cell holds the last symbol", "windows", put("evidence", "elements", 1, -1, value=-1))


def _emptied(key: str) -> Edit:
    return both(put("evidence", key, value=[]), put("claim", "product_states", value=0))


def _repeated(key: str) -> Edit:
    def edit(data: Certificate) -> None:
        data["evidence"][key].append(data["evidence"][key][-1])
        data["claim"]["product_states"] += 1

    return edit


def _repeated_cell(data: Certificate) -> None:
    element = next(element for element in data["evidence"]["elements"] if len(element) > 2)
    element += element[2:5]


def _stuck() -> Iterator[Forged]:
    """Claims about stuck runs that the evidence does not give."""
    yield Forged("everything is called strict", "acceptor", claimed("worlds", "same"))
    yield Forged("a stuck agent never is", "acceptor", claimed("worlds", "never"))
    yield Forged("a stuck agent never is", "strict windows", claimed("worlds", "never"))
    yield Forged("a stuck agent never is", "strict table", claimed("table", "never"))
    everything = put("right", "table", value=genuine("acceptor")["right"]["table"])
    for name in ("strict windows", "strict table"):
        yield Forged("RIGHT accepts everything", name, everything)


def _columns() -> Iterator[Forged]:
    """Columns that are missing or are none."""
    for name in ("inputs", "strict strips"):
        columns = genuine(name)["evidence"]["columns"]
        at, symbol = next(
            (at, x) for at, row in enumerate(columns["steps"]) for x, to in enumerate(row) if to
        )
        step = ("evidence", "columns", "steps", at, symbol)
        for value in ([], [-1], [999], [True], ["0"], None):
            yield Forged(f"a column leads to {value!r}", name, put(*step, value=value))
        for value in ([], [-1], [999], None):
            starts = put("evidence", "columns", "starts", value=value)
            yield Forged(f"columns start at {value!r}", name, starts)
        yield Forged("a column knows too few symbols", name, drop(*step), "evidence, columns")
        yield Forged("columns say more", name, put("evidence", "columns", "all", value=True))
        yield Forged("columns are missing", name, put("evidence", "columns", value=None))


def _strips() -> Iterator[Forged]:
    """Rows, labels, grams and descents that are missing or are none."""
    for name in ("inputs", "descents", "anywhere", "strict strips", "never strips"):
        evidence = genuine(name)["evidence"]
        low, high = evidence["rows"]
        for key, value in (
            ("rows", [1, 1]),
            ("rows", [low, high + 1]),
            ("rows", [low, None]),
            ("rows", [0]),
            ("depth", 0),
            ("depth", evidence["depth"] + 1),
            ("dim", 1),
            ("dim", None),
            ("classes", []),
            ("classes", [-1] * len(evidence["classes"])),
            ("marks", []),
            ("marks", [-1] * len(evidence["marks"])),
            ("marks", [-1 - len(evidence["marks"]), *evidence["marks"][1:]]),
            ("elements", [[*evidence["elements"][0], 0], *evidence["elements"][1:]]),
            ("elements", [evidence["elements"][0][:3], *evidence["elements"]]),
            ("kinds", [99] * len(evidence["kinds"])),
            ("labels", []),
            ("coarse", []),
            ("coarse", [None] * len(evidence["coarse"])),
            ("left", []),
            ("right", [[]] * len(evidence["right"])),
        ):
            yield Forged(f"{key} is {str(value)[:20]}", name, put("evidence", key, value=value))
        yield Forged("a label has a symbol too many", name, put("evidence", "labels", 0, 0, value=99))
        yield Forged("a label has no class", name, put("evidence", "labels", 0, 0, value=-99))
        yield Forged("a label stands twice", name, _repeated_strip_label)
        for side in ("left", "right"):
            kind = max(kind for kind, grams in enumerate(evidence[side]) if grams)
            for number in (0, len(evidence[side][kind]) - 1):
                forged = drop("evidence", side, kind, number)
                yield Forged(f"gram {number} on the {side} is missing", name, forged)
            forged = put("evidence", side, kind, 0, 0, value=-1)
            yield Forged(f"a gram on the {side} has no label", name, forged)
            yield Forged(f"a gram on the {side} is cut short", name, drop("evidence", side, kind, 0, 0))
        yield Forged("a descent has no side", name, put("evidence", "descents", value=[[0, 0, 0, 1]]))
    yield Forged("a strip of all worlds has columns", "anywhere", _borrowed_columns)
    yield Forged("no descent is there", "descents", put("evidence", "descents", value=[]))
    for steps in (-1, 0, 1, 2, 20_000, True, None):
        forged = put("evidence", "descents", 0, 3, value=steps)
        yield Forged(f"a descent takes {steps} steps", "descents", forged)


def _borrowed_columns(data: Certificate) -> None:
    data["evidence"]["columns"] = genuine("inputs")["evidence"]["columns"]


def _repeated_strip_label(data: Certificate) -> None:
    evidence = data["evidence"]
    evidence["labels"].append(evidence["labels"][0])
    evidence["coarse"].append(evidence["coarse"][0])


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
