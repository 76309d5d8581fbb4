"""`Dfst`: exact tensors of a table, as in the emulation theorem.

One-hot states make `h' = A[x] h`, `s = B[x] h`, `m = C[x] h` follow the table step for step. An
undefined pair has all-zero columns, so outputs that are all exactly zero mean stuck.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from gridlang.compiler.simulation.simulate import Run
from gridlang.compiler.tensors.model import (
    DFST_FORMAT,
    MOST_BYTES,
    MOST_WEIGHTS,
    NEGATIVE,
    STUCK,
    BadModel,
    Model,
    StoredTensors,
    check_names,
    classes_of,
    read_stored,
    source_table,
    tensors_to_bytes,
    training_of,
)
from gridlang.compiler.tensors.model import Floats as Floats
from gridlang.diagnostics import GridError, counted, fail
from gridlang.display import Shown
from gridlang.file_kinds import refuse_other_kinds
from gridlang.files import checked_ending, read_bytes, write_whole
from gridlang.table import BLANK, MOVES, Entry, Family, Table, canonical, families_for
from gridlang.table_json import families_from_data, families_to_data
from gridlang.world import World


class DfstStepper(NamedTuple):
    """A DFST by the paper's equations; its state is the hidden vector."""

    A: Floats  # (k, d, d)
    outputs: Floats  # (k, k + moves, d), B above C: one product a step
    h0: Floats  # (d,)

    def start(self) -> Floats:
        return self.h0

    def step(self, state: Floats, symbol: int) -> tuple[Floats, Floats]:
        return self.outputs[symbol] @ state, rescaled(self.A[symbol] @ state)


def rescaled(h: Floats) -> Floats:
    """A hidden vector by the power of two that keeps it from growing, or shrinking, out of all numbers.

    No digit of it changes, and no decision, as none depends on its length.
    """
    largest = float(np.abs(h).max())
    if 2.0**-32 <= largest <= 2.0**32 or not 0 < largest < np.inf:
        return h
    scaled: Floats = np.ldexp(h, 1 - math.frexp(largest)[1])
    return scaled


@dataclass(frozen=True, slots=True, eq=False)
class Dfst(Shown):
    """A model: `A[symbol, next, state]`, `B[symbol, written, state]`, `C[symbol, move, state]`, `h0[state]`.

    >>> import gridlang as gl
    >>> gl.compile("examples/add10.grid")
    Dfst(add10: 20 states, 12 symbols, 8,900 weights)
    """

    A: Floats  # (k, d, d)
    B: Floats  # (k, k, d)
    C: Floats  # (k, 5, d)
    h0: Floats  # (d,)
    symbols: tuple[str, ...]
    moves: tuple[str, ...] = tuple(MOVES)
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """`dfst`."""
        return "dfst"

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return int(self.A.size + self.B.size + self.C.size + self.h0.size)

    @property
    def strict(self) -> bool:
        """Whether it was taught where to be stuck: then outputs none of which is positive mean stuck.

        Neither signs nor the argmax depend on the length of the hidden vector.
        """
        return self.metadata.get(STUCK) == NEGATIVE

    @property
    def training(self) -> dict[str, Any]:
        """How it was trained: seed, loss, iterations, recipe, data; empty for exact weights."""
        return training_of(self.metadata)

    def stepper(self) -> DfstStepper:
        """The model as something that acts, a step at a time."""
        return DfstStepper(self.A, np.concatenate([self.B, self.C], 1), self.h0)

    def state_name(self, state: Floats) -> str:
        """The state that a hidden vector is nearest to."""
        names, nearest = json.loads(self.metadata.get("states", "[]")), int(state.argmax())
        return str(names[nearest]) if names else f"h[{nearest}]"

    def run(self, input: str | World = "", **options: Any) -> Run:
        """What the weights do on an input or a world: `gridlang.run`."""
        import gridlang

        return gridlang.run(self, input, **options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a `.safetensors` file, which `gridlang.load_model` reads."""
        write_whole(checked_ending("a model", path, ".safetensors"), self.to_bytes())

    def to_bytes(self) -> bytes:
        """The content of a `.safetensors` file."""
        return dfst_to_bytes(self)

    def __repr__(self) -> str:
        states, symbols = counted(len(self.h0), "state"), counted(len(self.symbols), "symbol")
        size = f"{states}, {symbols}, {self.parameters:,} weights"
        seed, loss = self.training.get("seed"), self.training.get("loss")
        training = f", seed {seed}" if isinstance(seed, int) else ""
        training += f", loss {loss:.1e}" if isinstance(loss, float) else ""
        return f"Dfst({self.metadata.get('name', 'model')}: {size}{training})"


def table_to_dfst(table: Table, source: str = "") -> Dfst:
    """The tensors that emulate a table exactly; `source` is kept in the metadata."""
    d, k = len(table.states), len(table.symbols)
    weights = k * d * d + k * k * d + k * len(MOVES) * d + d
    if weights > MOST_WEIGHTS:
        message = f"the tensors of `{table.name}` would have {weights:,} weights, with {d:,} states"
        hint = f"at most {MOST_WEIGHTS:,} are made; `compile --minimize` may help; tables have no such limit"
        raise fail("G083", message, hint)
    A = np.zeros((k, d, d), np.float32)
    B = np.zeros((k, k, d), np.float32)
    C = np.zeros((k, len(MOVES), d), np.float32)
    h0 = np.zeros(d, np.float32)
    h0[0] = 1
    for state, symbol, (write, move, after) in table.entries():
        A[symbol, after, state] = 1
        B[symbol, write, state] = 1
        C[symbol, move, state] = 1
    metadata = {
        "format": DFST_FORMAT,
        "name": table.name,
        "symbols": json.dumps(table.symbols, ensure_ascii=False),
        "moves": json.dumps(list(MOVES)),
        "blank": BLANK,
        "states": json.dumps(table.states, ensure_ascii=False),
        "classes": json.dumps(table.classes, ensure_ascii=False),
    }
    if table.families:
        metadata["families"] = json.dumps(families_to_data(table), ensure_ascii=False)
    if table.input:
        metadata["input"] = table.input
    if source:
        metadata["source"] = source
    return Dfst(A, B, C, h0, table.symbols, tuple(MOVES), metadata)


def dfst_to_bytes(dfst: Dfst) -> bytes:
    """The content of a `.safetensors` file; the same tensors always give the same bytes."""
    return tensors_to_bytes({"A": dfst.A, "B": dfst.B, "C": dfst.C, "h0": dfst.h0}, dfst.metadata)


def read_dfst(path: str) -> Dfst:
    """The model in a `.safetensors` file; GridError for anything that is none."""
    data = read_bytes(path, MOST_BYTES, path)
    refuse_other_kinds(path, data, "model")
    return dfst_from_bytes(data, path)


def dfst_from_bytes(data: bytes, file: str = "") -> Dfst:
    """Reads what `dfst_to_bytes` writes, and what other tools write in the same format."""

    def read(stored: StoredTensors) -> Dfst:
        weights = {name: stored.tensor(name) for name in ("A", "B", "C", "h0")}
        symbols, moves = stored.names("symbols"), stored.names("moves")
        dfst = Dfst(**weights, symbols=symbols, moves=moves, metadata=stored.metadata)
        _check_shapes(dfst)
        check_names(dfst)
        return dfst

    return read_stored(data, DFST_FORMAT, read, file)


def _check_shapes(dfst: Dfst) -> None:
    k, d = len(dfst.symbols), dfst.h0.shape[0] if dfst.h0.ndim == 1 else -1
    shapes = {"A": (k, d, d), "B": (k, k, d), "C": (k, len(dfst.moves), d), "h0": (d,)}
    for name, shape in shapes.items():
        stored = getattr(dfst, name).shape
        if stored != shape:
            raise BadModel(f"tensor {name} has the shape {stored}, not {shape}")
    if not d or not dfst.moves:
        raise BadModel(f"it has no {'moves' if d else 'states'}")


def only_dfst(model: Model, what: str, file: str = "") -> Dfst:
    """The model if it is a DFST; GridError for any other kind."""
    if not isinstance(model, Dfst):
        hint = "extract a table with `gridlang extract`, and use that"
        raise fail("G209", f"{what}, and this is a {model.kind}", hint, file)
    return model


def dfst_to_table(dfst: Dfst, file: str = "") -> Table:
    """The table of one-hot tensors; GridError for learned ones."""
    k, d = len(dfst.symbols), len(dfst.h0)
    onehot = all(np.isin(t, (0, 1)).all() for t in (dfst.A, dfst.B, dfst.C, dfst.h0))
    sums = np.stack([dfst.A.sum(1), dfst.B.sum(1), dfst.C.sum(1)])  # (3, k, d)
    if not onehot or dfst.h0.sum() != 1 or (sums > 1).any() or (sums != sums[0]).any():
        raise fail("G082", "these weights are learned, not exact: they are not a table", file=file)
    names = json.loads(dfst.metadata["states"]) if "states" in dfst.metadata else [f"q{i}" for i in range(d)]
    blank = dfst.symbols.index(dfst.metadata.get("blank", BLANK))
    order = [blank, *(x for x in range(k) if x != blank)]  # the blank comes first in a table
    start = int(np.argmax(dfst.h0))
    states = [start, *(q for q in range(d) if q != start)]

    def entry(q: int, x: int) -> Entry | None:
        if not sums[0, x, q]:
            return None
        write, move, after = (int(np.argmax(t[x, :, q])) for t in (dfst.B, dfst.C, dfst.A))
        return Entry(order.index(write), MOVES.index(dfst.moves[move]), states.index(after))

    symbols = tuple(BLANK if x == blank else dfst.symbols[x] for x in order)
    rows = tuple(tuple(entry(q, x) for x in order) for q in states)
    classes = classes_of(dfst)
    name = dfst.metadata.get("name", "model")
    try:
        clause = dfst.metadata.get("input", "") if classes else ""
        called = tuple(names[q] for q in states)
        told = classes, clause, "", _families(dfst, called)
        return canonical(Table(name, symbols, called, rows, *told))
    except GridError as error:
        raise GridError(d._replace(file=file) for d in error.diagnostics) from None


def _families(dfst: Dfst, states: Sequence[str]) -> tuple[Family, ...]:
    """The families that a model lists, or else those of the source that it carries."""
    if "families" in dfst.metadata:
        with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return families_from_data(json.loads(dfst.metadata["families"]), states)
    source = source_table(dfst)
    return families_for(states, source) if source else ()
