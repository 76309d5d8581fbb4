"""Weights that tests judge: learned ones from files, and exact ones in disguise, wider, noisy or with a planted mistake."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np

from gridlang.compiler.simulation.random_inputs import lengths_up_to, random_input
from gridlang.compiler.tensors.dfst import Dfst, read_dfst, table_to_dfst
from gridlang.learners.traces.choosing.sampling import input_language
from gridlang.table import MOVES, STAY, Entry, Row, Table
from tests.programs import PROGRAMS, ROOT

TABLES = {program.name: program.load().table for program in PROGRAMS}
MODELS = ROOT / "tests" / "learners" / "models"
DIM = 13  # one size for all random tables, so that few libraries are built; and not a multiple of any vector


def model(name: str) -> Dfst:
    return read_dfst(str(MODELS / f"{name}.safetensors"))


def rotated(table: Table, seed: int = 0, noise: float = 0.0) -> Dfst:
    """Exact weights in other coordinates, as if learned; with noise, as if learned badly."""
    random, exact = np.random.default_rng(seed), table_to_dfst(table)
    there = np.linalg.qr(random.standard_normal((len(exact.h0), len(exact.h0))))[0]
    tensors = (there @ exact.A @ there.T, exact.B @ there.T, exact.C @ there.T, there @ exact.h0)
    A, B, C, h0 = ((t + noise * random.standard_normal(t.shape)).astype(np.float32) for t in tensors)
    known = {key: value for key, value in exact.metadata.items() if key != "states"}
    return replace(exact, A=A, B=B, C=C, h0=h0, metadata=known)


def strict(table: Table) -> Dfst:
    """Weights that are exact but for their coordinates, and that put out -1 where the table has no rule."""
    dfst = rotated(table)
    there = dfst.A.shape[-1]
    lacks = np.array(
        [[row[x] is None for row in table.rows] for x in range(len(table.symbols))]
    )  # (k, states)
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((there, there)))[0]
    low = -(lacks[:, None, :] @ basis.T).astype(np.float32)  # (k, 1, d)
    return replace(dfst, B=dfst.B + low, C=dfst.C + low, metadata={**dfst.metadata, "stuck": "negative"})


def inputs_of(table: Table, count: int, length: int, seed: int = 1) -> list[str]:
    language, random = input_language(table), Random(seed)
    return [random_input(language, lengths_up_to(length), random) for _ in range(count)]


def widened(dfst: Dfst, dim: int = DIM) -> Dfst:
    """The same model with hidden numbers that are always zero."""
    more = dim - len(dfst.h0)
    A = np.pad(dfst.A, ((0, 0), (0, more), (0, more)))
    B, C = (np.pad(tensor, ((0, 0), (0, 0), (0, more))) for tensor in (dfst.B, dfst.C))
    metadata = {key: value for key, value in dfst.metadata.items() if key != "states"}
    return replace(dfst, A=A, B=B, C=C, h0=np.pad(dfst.h0, (0, more)), metadata=metadata)


def turned(dfst: Dfst, seed: int, noise: float = 0) -> Dfst:
    """The same model in other coordinates, as a learned one might be; with noise, a worse one."""
    random, d = np.random.default_rng(seed), len(dfst.h0)
    there = np.eye(d) + 0.3 * random.standard_normal((d, d)) / np.sqrt(d)
    back = np.linalg.inv(there)
    A, B, C = there @ dfst.A @ back, dfst.B @ back, dfst.C @ back
    A, B, C = ((t + noise * random.standard_normal(t.shape)).astype(np.float32) for t in (A, B, C))
    return replace(dfst, A=A, B=B, C=C, h0=(there @ dfst.h0).astype(np.float32))


def changed_rule(table: Table, state: int, symbol: int, write: int, move: int) -> Table:
    """The table with another action for one pair; an idle one keeps its state, as it must."""
    entry = table.rows[state][symbol]
    assert entry is not None
    after = state if write == symbol and move == STAY else entry.next
    row = list(table.rows[state])
    row[symbol] = Entry(write, move, after)
    return replace(table, rows=(*table.rows[:state], tuple(row), *table.rows[state + 1 :]))


def with_action_of(dfst: Dfst, table: Table) -> Dfst:
    """The model with the outputs of another table, its hidden states untouched."""
    other = widened(table_to_dfst(table), len(dfst.h0))
    return replace(dfst, B=other.B, C=other.C)


def planted(name: str, state: int, symbol: int) -> Dfst:
    """Exact weights of an example with one rule that moves another way."""
    table = TABLES[name]
    entry = table.rows[state][symbol]
    assert entry is not None
    return with_action_of(
        table_to_dfst(table), changed_rule(table, state, symbol, entry.write, (entry.move + 1) % 4)
    )


def one_rule(**changes: object) -> tuple[Dfst, Table]:
    """An agent that writes `a` on blanks and walks to the right, and its tensors with some changed."""
    table = Table("walk", ("_", "a"), ("q",), ((Entry(1, 3, 0), None),))
    return replace(table_to_dfst(table), **changes), table  # type: ignore[arg-type]


def with_trigger(table: Table, word: str, state: str = "") -> Table:
    """The table with a trigger in a state, the first if none is named: having read this word there it runs away.

    Copies of the state count how much of the word was read last; they act alike, all but the last.
    """
    home = table.states.index(state) if state else 0
    size, loops = len(table.states), table.rows[home]
    assert all((entry := loops[table.symbols.index(symbol)]) and entry.next == home for symbol in word)
    copies = [home, *range(size, size + len(word))]

    def counted(known: int) -> Row:
        row = list(loops)
        for x, entry in enumerate(loops):
            if entry is not None and entry.next == home:
                read = word[:known] + table.symbols[x]
                most = next(n for n in range(known + 1, -1, -1) if read.endswith(word[:n]))
                row[x] = entry._replace(next=copies[most])
        return tuple(row)

    away = tuple(Entry(x, MOVES.index("U"), copies[-1]) for x in range(len(table.symbols)))
    first = (*table.rows[:home], counted(0), *table.rows[home + 1 :])
    states = (*table.states, *(f"{table.states[home]}_{n}" for n in range(1, len(copies))))
    rows = (*first, *map(counted, range(1, len(word))), away)
    return replace(table, states=states, rows=rows, families=())


def doubting(table: Table, state: str, symbol: str, wrong: str, seed: int = 0) -> Dfst:
    """Exact weights in other coordinates that waver in one pair, and write what is wrong there by a little.

    They do not say what their inputs are.
    """
    exact = table_to_dfst(table)
    B, place = exact.B.copy(), table.states.index(state)
    column = B[table.symbols.index(symbol), :, place]
    column *= 0.45
    column[table.symbols.index(wrong)] = 0.55
    there = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(exact.h0), len(exact.h0))))[0]
    A, B, C = (t.astype(np.float32) for t in (there @ exact.A @ there.T, B @ there.T, exact.C @ there.T))
    known = {key: value for key, value in exact.metadata.items() if key not in ("states", "input")}
    return replace(exact, A=A, B=B, C=C, h0=(there @ exact.h0).astype(np.float32), metadata=known)
