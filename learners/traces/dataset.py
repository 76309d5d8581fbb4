"""`Traces`: what an agent was seen doing, the data that models are learned from, and its files."""

from __future__ import annotations

import hashlib
import json
import operator
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from gridlang.compiler.given import Path
from gridlang.diagnostics import GridError, fail, listing
from gridlang.display import Shown
from gridlang.file_kinds import refuse_other_kinds
from gridlang.files import checked_ending, read_bytes, source_of, write_whole
from gridlang.learners.traces.jsonl import FORMAT, fields_from_lines, traces_to_lines
from gridlang.learners.traces.limits import LIMITS
from gridlang.learners.traces.npz import BadArchive, archive_from_bytes, archive_to_bytes
from gridlang.learners.traces.one_trace import ENDINGS, Trace, TraceStep
from gridlang.outcomes import Outcome
from gridlang.table import BLANK, MAX_STATES, MAX_SYMBOLS, MOVES
from gridlang.vocabulary import is_name

FILE_ENDINGS = (".npz", ".jsonl")
ROWS = ("x", "s", "m")
ABOUT = ("name", "symbols", "classes", "input", "source", "states", "data")  # what is told of the agent
MEMBERS = (*ROWS, "length", "ending", "inputs", "metadata")

Shorts = npt.NDArray[np.int16]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Traces(Shown):
    """Policy-trajectory observations of one agent, rows padded with -1.

    `x`, `s` and `m` are the symbols read, the symbols written and the moves, as indices into
    `symbols` (the blank first) and U D L R S. Every row has at least one step. The last one of a row that
    ends stuck may show the symbol on which the agent has no rule: then `s` and `m` are -1, and nothing was
    done.

    >>> import gridlang as gl
    >>> traces = gl.trace("examples/add2.grid")
    >>> traces
    Traces(add2: 20 traces, 896 steps, 63 in the longest)
    >>> traces[0], traces[0].steps[0]
    (Trace('0+0': halted after 25 steps), TraceStep(read='0', write='0', move='R'))
    >>> traces[:5]
    Traces(add2: 5 traces, 160 steps, 63 in the longest)
    """

    x: Shorts  # (N, T)
    s: Shorts  # (N, T)
    m: Shorts  # (N, T)
    length: Ints  # (N,)
    ending: tuple[Outcome, ...]  # halted, stuck, or cut at a budget
    inputs: tuple[str, ...]  # the string, or the picture of the world, of each row
    symbols: tuple[str, ...]
    name: str
    classes: tuple[tuple[str, str], ...] = ()
    input: str = ""  # the input clause
    source: str = ""  # the agent as one self-contained `.grid` file
    states: int | None = None  # of the expert
    data: Mapping[str, object] = field(default_factory=dict)  # how they were made

    def __post_init__(self) -> None:
        problem = _shape_problem(self) or _alphabet_problem(self) or _row_problem(self)
        if problem:
            raise fail("G100", f"these are not traces: {problem}")

    def __len__(self) -> int:
        return len(self.length)

    @overload
    def __getitem__(self, row: int) -> Trace: ...
    @overload
    def __getitem__(self, row: slice) -> Traces: ...
    def __getitem__(self, row: int | slice) -> Trace | Traces:
        """One trace, with its steps in symbols; of a slice, these traces."""
        if isinstance(row, slice):
            return chosen(self, np.arange(len(self))[row])
        row = operator.index(row)
        if not -len(self) <= row < len(self):
            raise IndexError(f"there is no trace {row}: they are 0 to {len(self) - 1:,}")
        until, symbols = int(self.length[row]), self.symbols
        columns = (part[row, :until].tolist() for part in (self.x, self.s, self.m))
        steps = tuple(
            TraceStep(symbols[x], symbols[s] if s >= 0 else None, MOVES[m] if m >= 0 else None)
            for x, s, m in zip(*columns, strict=True)
        )
        return Trace(self.inputs[row], self.ending[row], steps)

    def __iter__(self) -> Iterator[Trace]:
        return (self[row] for row in range(len(self)))

    def to_pandas(self) -> Any:
        """All steps as a DataFrame with the columns trace, step, read, write and move."""
        try:
            pd = import_module("pandas")
        except ModuleNotFoundError:
            raise fail("G200", "a DataFrame needs pandas", "install it with `pip install pandas`") from None
        rows, steps = np.nonzero(np.arange(self.x.shape[1]) < self.length[:, None])
        symbols, moves = np.array([*self.symbols, None]), np.array([*MOVES, None])  # -1 is the last: None
        return pd.DataFrame(
            {
                "trace": rows,
                "step": steps,
                "read": symbols[self.x[rows, steps]],
                "write": symbols[self.s[rows, steps]],
                "move": moves[self.m[rows, steps]],
            }
        )

    @property
    def strict(self) -> bool:
        """Whether some trace shows the symbol on which the agent is stuck: `s` and `m` are -1 there."""
        last = np.arange(len(self)), self.length - 1
        return bool((self.s[last] < 0).any())

    @property
    def steps(self) -> int:
        """The steps of all traces together."""
        return int(self.length.sum(dtype=np.int64))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an `.npz` file, or one of JSON lines (`.jsonl`), which `gridlang.load_traces` reads."""
        file = checked_ending("traces", path, *FILE_ENDINGS)
        write_whole(file, traces_to_file(self, file))

    def __repr__(self) -> str:
        longest = int(self.length.max())
        return f"Traces({self.name}: {len(self):,} traces, {self.steps:,} steps, {longest:,} in the longest)"


TracesLike: TypeAlias = Traces | Path


def chosen(traces: Traces, rows: npt.NDArray[np.intp]) -> Traces:
    """Some of the traces, in the order given."""
    if not len(rows):
        raise fail("G100", "no trace is left", f"there are {len(traces):,}, from 0 on")
    steps = int(traces.length[rows].max())
    return replace(
        traces,
        x=traces.x[rows, :steps],
        s=traces.s[rows, :steps],
        m=traces.m[rows, :steps],
        length=traces.length[rows],
        ending=tuple(traces.ending[i] for i in rows),
        inputs=tuple(traces.inputs[i] for i in rows),
    )


def cut(traces: Traces, steps: int) -> Traces:
    """Ends each trace after `steps` steps at the latest."""
    going = (traces.length > steps).tolist()
    return replace(
        traces,
        x=traces.x[:, :steps],
        s=traces.s[:, :steps],
        m=traces.m[:, :steps],
        length=np.minimum(traces.length, np.int32(steps)),
        ending=tuple(
            Outcome.BUDGET if more else ending for more, ending in zip(going, traces.ending, strict=True)
        ),
        data={**traces.data, "cut": steps},
    )


def _shape_problem(traces: Traces) -> str:
    for name in ROWS:
        rows: npt.NDArray[Any] = getattr(traces, name)
        if rows.dtype != np.int16:
            return f"`{name}` holds {rows.dtype}, not int16"
        if rows.ndim != 2 or rows.shape != traces.x.shape:
            return f"`{name}` has the shape {rows.shape}; x, s and m are (traces, steps), all the same"
    n = len(traces.x)
    if not n:
        return "there are none"
    if traces.length.shape != (n,) or traces.length.dtype != np.int32:
        return f"`length` must be {n} numbers of type int32, one a trace"
    for name in ("ending", "inputs"):
        if len(getattr(traces, name)) != n:
            return f"there are {n} traces, but {len(getattr(traces, name))} in `{name}`"
    return ""


def _alphabet_problem(traces: Traces) -> str:
    symbols = traces.symbols
    if not symbols or symbols[0] != BLANK:
        return f"the first symbol must be the blank `{BLANK}`"
    if len(symbols) > MAX_SYMBOLS or not all(len(s) == 1 and s.isprintable() for s in symbols):
        return f"symbols are single printable characters, at most {MAX_SYMBOLS:,}"
    if len(set(symbols)) != len(symbols):
        return "a symbol is named twice"
    if not is_name(traces.name):
        return f"{traces.name[:40]!r} cannot name an agent"
    if unknown := set(traces.ending) - set(ENDINGS):
        return f"a trace ends {listing(ENDINGS.values())}, not `{min(unknown)[:40]}`"
    if traces.states is not None and not 1 <= traces.states <= MAX_STATES:
        return f"the expert cannot have {traces.states} states"
    return ""


def _row_problem(traces: Traces) -> str:
    steps = traces.x.shape[1]
    wrong = (traces.length < 1) | (traces.length > steps)
    if wrong.any():
        row = int(wrong.argmax())
        return f"trace {row} has the length {traces.length[row]}, not 1 to {steps}"
    inside = np.arange(steps) < traces.length[:, None]  # (N, T)
    ends_stuck = np.array([ending == Outcome.STUCK for ending in traces.ending])
    last_of_stuck = ends_stuck[:, None] & (np.arange(steps) == traces.length[:, None] - 1)
    shows_stuck = last_of_stuck & (traces.s == -1) & (traces.m == -1)
    for name, count in (("x", len(traces.symbols)), ("s", len(traces.symbols)), ("m", len(MOVES))):
        rows: Shorts = getattr(traces, name)
        acted = inside if name == "x" else inside & ~shows_stuck
        ragged = np.where(acted, (rows < 0) | (rows >= count), (rows != -1) & (acted == inside))
        if ragged.any():
            at, step = np.unravel_index(int(ragged.argmax()), ragged.shape)
            wrong_entry = f"`{name}` of trace {at} is {rows[at, step]} at step {step}"
            wanted = f"0 to {count - 1}" if inside[at, step] else "-1 after its end"
            return f"{wrong_entry}; it must be {wanted}"
    return ""


def traces_to_file(traces: Traces, path: str) -> bytes:
    """The content of a file with this name: JSON lines, or else an `.npz` archive."""
    if not path.endswith(".jsonl"):
        return traces_to_bytes(traces)
    about = {name: getattr(traces, name) for name in ABOUT}
    told = {name: value for name, value in about.items() if value or name == "symbols"}
    return "".join(traces_to_lines(traces, told)).encode(errors="backslashreplace")


def traces_to_bytes(traces: Traces) -> bytes:
    """The content of an `.npz` file; the same traces always give the same bytes."""
    return archive_to_bytes(_arrays(traces))


def digest(traces: Traces) -> str:
    """A sha256 of all that the traces hold."""
    whole = hashlib.sha256()
    for name, array in _arrays(traces).items():
        whole.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        whole.update(array.tobytes())
    return whole.hexdigest()


def _arrays(traces: Traces) -> dict[str, npt.NDArray[Any]]:
    """What a file holds. Texts are JSON in bytes: no pickle, no padding."""
    steps = int(traces.length.max())
    metadata = {
        "format": FORMAT,
        "name": traces.name,
        "symbols": _json(traces.symbols),
        "moves": _json(list(MOVES)),
        "blank": BLANK,
        "input": traces.input,
        "classes": _json(traces.classes),
        "source": traces.source,
        "data": _json(dict(traces.data)),
    }
    if traces.states is not None:
        metadata["states"] = str(traces.states)
    return {
        **{name: np.ascontiguousarray(getattr(traces, name)[:, :steps], "<i2") for name in ROWS},
        "length": np.ascontiguousarray(traces.length, "<i4"),
        "ending": np.array([list(ENDINGS).index(ending) for ending in traces.ending], "u1"),
        "inputs": _text(_json(traces.inputs)),
        "metadata": _text(_json(metadata)),
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _text(text: str) -> npt.NDArray[np.uint8]:
    """JSON in bytes; half a surrogate pair, as in a file name that is not UTF-8, is escaped."""
    if len(text) > LIMITS.most_text:
        raise fail("G104", "the inputs of these traces are too large", "record fewer, or shorter ones")
    return np.frombuffer(text.encode(errors="backslashreplace"), np.uint8)


def read_traces(path: str) -> Traces:
    """The traces in an `.npz` file or in JSON lines; GridError for anything that is none."""
    data = read_bytes(path, LIMITS.most_unpacked, path)
    refuse_other_kinds(path, data, "traces")
    if not (path.endswith(".jsonl") or data.startswith(b"{")):
        return traces_from_bytes(data, path)
    fields = fields_from_lines(source_of(data, path))
    try:
        return Traces(**fields)
    except GridError as error:
        raise GridError(d._replace(file=path) for d in error.diagnostics) from None


def as_traces(traces: TracesLike) -> Traces:
    """The traces themselves, or those in a file."""
    if isinstance(traces, Traces):
        return traces
    if isinstance(traces, str | os.PathLike):
        return read_traces(os.fspath(traces))
    raise TypeError(f"traces are what `gridlang.trace` gives, or a path, not {type(traces).__name__}")


def traces_from_bytes(data: bytes, file: str = "") -> Traces:
    """Reads what `traces_to_bytes` writes; symbols and moves may be numbered otherwise."""
    hint = "make it again with `gridlang trace`"
    try:
        return _from_arrays(archive_from_bytes(data, MEMBERS, LIMITS.most_unpacked))
    except GridError as error:
        raise GridError(d._replace(file=file) for d in error.diagnostics) from None
    except BadArchive as bad:
        raise fail("G100", f"these are not traces: {bad}", hint, file) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        problem = f"the metadata cannot be read ({str(error)[:100]})"
        raise fail("G100", f"these are not traces: {problem}", hint, file) from None


def _from_arrays(arrays: Mapping[str, npt.NDArray[Any]]) -> Traces:
    metadata = _parsed("metadata", arrays["metadata"])
    format_name = metadata.get("format") if isinstance(metadata, dict) else None
    if format_name != FORMAT:
        raise BadArchive(f"the format is {str(format_name)[:60]!r}, not {FORMAT!r}")
    for key, value in metadata.items():
        if not isinstance(value, str):
            raise BadArchive(f"`{key}` in the metadata is not text")
    symbols, blank = _texts("symbols", _loaded(metadata["symbols"])), metadata.get("blank", BLANK)
    moves = _texts("moves", _loaded(metadata["moves"]))
    if sorted(moves) != sorted(MOVES):
        raise BadArchive(f"the moves are {' '.join(moves)[:40]}, not {' '.join(MOVES)}")
    if symbols.count(blank) != 1:
        raise BadArchive(f"the blank `{blank[:20]}` is not one of the symbols")
    order = [symbols.index(blank), *(i for i, symbol in enumerate(symbols) if symbol != blank)]
    places = [order.index(i) for i in range(len(symbols))]
    classes = _loaded(metadata.get("classes", "[]"))
    data = _loaded(metadata.get("data", "{}"))
    if not isinstance(data, dict):
        raise BadArchive("`data` in the metadata is not an object")
    ours = (BLANK, *(symbols[i] for i in order[1:]))
    return Traces(
        x=renumbered("x", arrays["x"], places),
        s=renumbered("s", arrays["s"], places),
        m=renumbered("m", arrays["m"], [MOVES.index(move) for move in moves]),
        length=_lengths(arrays["length"]),
        ending=_endings(arrays["ending"]),
        inputs=_texts("inputs", _parsed("inputs", arrays["inputs"])),
        symbols=ours,
        name=metadata["name"],
        classes=tuple((str(name), str(members)) for name, members in classes),
        input=metadata.get("input", ""),
        source=metadata.get("source", ""),
        states=int(metadata["states"]) if "states" in metadata else None,
        data=data,
    )


def _parsed(name: str, array: npt.NDArray[Any]) -> Any:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise BadArchive(f"`{name}` is not JSON in bytes")
    if array.size > LIMITS.most_text:
        raise BadArchive(f"`{name}` has more than {LIMITS.most_text:,} bytes")
    return _loaded(array.tobytes())


def _loaded(text: str | bytes) -> Any:
    """The value of a JSON text; ValueError for half a character, which could not be written again."""
    value = json.loads(text)
    json.dumps(value, ensure_ascii=False).encode()
    return value


def _texts(what: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BadArchive(f"the {what} are no list of texts")
    return tuple(value)


def _lengths(numbers: npt.NDArray[Any]) -> Ints:
    if numbers.size and (numbers.min() < 0 or numbers.max() > np.iinfo(np.int32).max):
        raise BadArchive("a length is out of range")
    return numbers.astype(np.int32)


def _endings(codes: npt.NDArray[Any]) -> tuple[Outcome, ...]:
    if codes.ndim != 1 or (codes.size and (codes.min() < 0 or codes.max() >= len(ENDINGS))):
        raise BadArchive("`ending` is one number a trace: 0 halted, 1 stuck, 2 cut")
    outcomes = list(ENDINGS)
    return tuple(outcomes[code] for code in codes.tolist())


def renumbered(name: str, rows: npt.NDArray[Any], numbers: Sequence[int]) -> Shorts:
    """Each number replaced by its new one; the padding stays."""
    if rows.dtype != np.int16:
        raise BadArchive(f"`{name}` holds {rows.dtype}, not int16")
    if rows.size and (rows.min() < -1 or rows.max() >= len(numbers)):
        raise BadArchive(f"`{name}` holds {rows.min()} to {rows.max()}, not 0 to {len(numbers) - 1}")
    renamed: Shorts = np.array([*numbers, -1], np.int16)[rows]
    return renamed
