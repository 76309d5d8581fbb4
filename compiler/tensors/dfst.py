"""`Dfst`: exact tensors of a table, as in the emulation theorem.

One-hot states make `h' = A[x] h`, `s = B[x] h`, `m = C[x] h` follow the table step for step. An
undefined pair has all-zero columns, so outputs that are all exactly zero mean stuck.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from compiler.simulation.simulate import Run
from compiler.tensors.stepper import DfstStepper, Stepper
from compiler.tensors.stored_tensors import (
    MAX_BYTES,
    MAX_WEIGHTS,
    BadModel,
    StoredTensors,
    model_from_bytes,
    tensors_to_bytes,
)
from gridlang.clauses.inputs import InputLanguage, parse_language
from gridlang.diagnostics import GridError, counted, fail
from gridlang.display import Shown
from gridlang.files import checked_ending, read_bytes, write_whole
from gridlang.loading import load_source
from gridlang.source import Source
from gridlang.table import BLANK, MOVES, Entry, Family, Table, canonical, families_for
from gridlang.table_json import families_from_data, families_to_data
from gridlang.vocabulary import is_symbol
from gridlang.world import World

FORMAT = "gridlang-dfst/1"
STUCK, NEGATIVE = "stuck", "negative"  # This key of the metadata, with its one value, makes a model strict.
Floats = npt.NDArray[np.float32]


@runtime_checkable
class Model(Protocol):
    """What every model has, whatever its equations are: names, a start, and what is told of it."""

    @property
    def symbols(self) -> tuple[str, ...]: ...

    @property
    def moves(self) -> tuple[str, ...]: ...

    @property
    def metadata(self) -> Mapping[str, str]: ...

    @property
    def h0(self) -> Floats: ...

    @property
    def strict(self) -> bool: ...

    @property
    def training(self) -> dict[str, Any]: ...

    def stepper(self) -> Stepper: ...

    def state_name(self, state: Any) -> str:
        """What a state of its stepper is called where a run tells how it ended."""


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
    def parameters(self) -> int:
        """The number of weights."""
        return int(self.A.size + self.B.size + self.C.size + self.h0.size)

    @property
    def strict(self) -> bool:
        """Whether it was taught where to be stuck: then outputs none of which is positive mean stuck.

        A sign does not depend on the length of the hidden vector, and neither does what is largest.
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
        write_whole(checked_ending("a model", path, ".safetensors"), dfst_to_bytes(self))

    def __repr__(self) -> str:
        states, symbols = counted(len(self.h0), "state"), counted(len(self.symbols), "symbol")
        size = f"{states}, {symbols}, {self.parameters:,} weights"
        seed, loss = self.training.get("seed"), self.training.get("loss")
        training = f", seed {seed}" if isinstance(seed, int) else ""
        training += f", loss {loss:.1e}" if isinstance(loss, float) else ""
        return f"Dfst({self.metadata.get('name', 'model')}: {size}{training})"


def training_of(metadata: Mapping[str, str]) -> dict[str, Any]:
    """How a model was trained, as its metadata tell; empty where they do not."""
    try:
        record = json.loads(metadata.get("training", "{}"))
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def table_to_dfst(table: Table, source: str = "") -> Dfst:
    """The tensors that emulate a table exactly; `source` is kept in the metadata."""
    d, k = len(table.states), len(table.symbols)
    weights = k * d * d + k * k * d + k * len(MOVES) * d + d
    if weights > MAX_WEIGHTS:
        message = f"the tensors of `{table.name}` would have {weights:,} weights, with {d:,} states"
        hint = f"at most {MAX_WEIGHTS:,} are made; `compile --minimize` may help; tables have no such limit"
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
        "format": FORMAT,
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
    return dfst_from_bytes(read_bytes(path, MAX_BYTES, path), path)


def dfst_from_bytes(data: bytes, file: str = "") -> Dfst:
    """Reads what `dfst_to_bytes` writes, and what other tools write in the same format."""

    def read(stored: StoredTensors) -> Dfst:
        weights = {name: stored.tensor(name) for name in ("A", "B", "C", "h0")}
        symbols, moves = stored.names("symbols"), stored.names("moves")
        dfst = Dfst(**weights, symbols=symbols, moves=moves, metadata=stored.metadata)
        _check_shapes(dfst)
        check_names(dfst)
        return dfst

    return model_from_bytes(data, FORMAT, read, file)


def _check_shapes(dfst: Dfst) -> None:
    k, d = len(dfst.symbols), dfst.h0.shape[0] if dfst.h0.ndim == 1 else -1
    shapes = {"A": (k, d, d), "B": (k, k, d), "C": (k, len(dfst.moves), d), "h0": (d,)}
    for name, shape in shapes.items():
        stored = getattr(dfst, name).shape
        if stored != shape:
            raise BadModel(f"tensor {name} has the shape {stored}, not {shape}")
    if not d or not dfst.moves:
        raise BadModel(f"it has no {'moves' if d else 'states'}")


def check_names(dfst: Model) -> None:
    """Whoever has a model may take its names, classes and states for what they should be."""
    moves, symbols = dfst.moves, dfst.symbols
    if set(moves) - set(MOVES) or len(set(moves)) != len(moves):
        raise BadModel(f"its moves are {' '.join(moves)[:40]!r}")
    if len(set(symbols)) != len(symbols) or dfst.metadata.get("blank", BLANK) not in symbols:
        raise BadModel("its symbols are not distinct, or lack the blank")
    if dfst.metadata.get(STUCK, NEGATIVE) != NEGATIVE:
        raise BadModel(f"its metadata say `{STUCK}`, which can only be `{NEGATIVE}`")
    if not all(map(is_symbol, renamed := symbols_of(dfst))) or renamed.count(BLANK) > 1:
        most = f"single printable characters, of which `{BLANK}` is the blank"
        raise BadModel(f"its symbols are not all {most}")
    if "states" in dfst.metadata:
        states = StoredTensors({}, dict(dfst.metadata)).names("states")
        if len(states) != len(dfst.h0):
            raise BadModel("it names another number of states than it has")
        if not all(state and state.isprintable() for state in states):
            raise BadModel("a state's name is empty, or cannot be printed")
    if not dfst.metadata.get("name", "model").isprintable():
        raise BadModel("its name cannot be printed")
    classes = json.loads(dfst.metadata.get("classes", "[]"))
    pairs = isinstance(classes, list) and all(isinstance(entry, list) for entry in classes)
    if not pairs or any([type(text) for text in entry] != [str, str] for entry in classes):
        raise BadModel("its classes are no list of names with their symbols")


def model_language(dfst: Model) -> InputLanguage | None:
    """The declared inputs of a model; None when its metadata does not tell."""
    clause = dfst.metadata.get("input", "")
    if not clause:
        return None
    try:
        return parse_language(clause, dict(classes_of(dfst)), dfst.symbols)
    except GridError:
        return None


def classes_of(dfst: Model) -> tuple[tuple[str, str], ...]:
    """The named sets of symbols in a model's metadata."""
    return tuple((name, members) for name, members in json.loads(dfst.metadata.get("classes", "[]")))


def dfst_to_table(dfst: Dfst, file: str = "") -> Table:
    """The table of one-hot tensors; GridError for learned ones."""
    k, d = len(dfst.symbols), len(dfst.h0)
    onehot = all(np.isin(t, (0, 1)).all() for t in (dfst.A, dfst.B, dfst.C, dfst.h0))
    sums = np.stack([dfst.A.sum(1), dfst.B.sum(1), dfst.C.sum(1)])  # (3, k, d)
    if not onehot or dfst.h0.sum() != 1 or (sums > 1).any() or (sums != sums[0]).any():
        raise fail("G082", "these weights are learned, not exact: they are no table", file=file)
    names = json.loads(dfst.metadata["states"]) if "states" in dfst.metadata else [f"q{i}" for i in range(d)]
    blank = dfst.symbols.index(dfst.metadata.get("blank", BLANK))
    order = [blank, *(x for x in range(k) if x != blank)]  # The blank comes first in a table.
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
        families = _families(dfst, called)
        return canonical(Table(name, symbols, called, rows, classes, clause, families=families))
    except GridError as error:
        raise GridError(d._replace(file=file) for d in error.diagnostics) from None


def _families(dfst: Dfst, states: Sequence[str]) -> tuple[Family, ...]:
    """The families that a model lists, or else those of the source that it carries."""
    if "families" in dfst.metadata:
        with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return families_from_data(json.loads(dfst.metadata["families"]), states)
    source = source_table(dfst)
    return families_for(states, source) if source else ()


def source_table(dfst: Model) -> Table | None:
    """The table of the source that a model carries; None where there is none that can be read."""
    source = dfst.metadata.get("source", "")
    with suppress(GridError):
        return load_source(Source("<source in the model>", source), {}).table if source else None
    return None


def symbols_of(dfst: Model) -> tuple[str, ...]:
    """The model's symbols in its order, with our blank."""
    blank = dfst.metadata.get("blank", BLANK)
    return tuple(BLANK if symbol == blank else symbol for symbol in dfst.symbols)
