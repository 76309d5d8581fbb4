"""What large tables are given to in C says the same as the definitions in Python."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import run

import numpy as np
import pytest
from hypothesis import given

from gridlang.compiler.automata import equivalence
from gridlang.compiler.automata.equivalence import (
    CLAIMS,
    LIBRARY,
    equivalent_states,
    follows,
    reached_together,
)
from gridlang.compiler.proofs.equivalence import Verdict, compare_tables
from gridlang.compiler.proofs.prove import prove
from gridlang.table import Entry, Table, flattened
from tests.support.pairs import pairs
from tests.support.searches import searched

pytestmark = pytest.mark.skipif(not LIBRARY.builds(), reason="needs a C compiler")


@contextmanager
def large_from(cells: int) -> Iterator[None]:
    """Tables count as large from this number of cells on."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(equivalence, "LARGE_TABLES", cells)
        yield


def told(verdict: Verdict) -> tuple[object, ...]:
    """A verdict, with its evidence as a certificate spells it."""
    return verdict, json.dumps(verdict.evidence, default=list)


@given(pairs())
@searched(60)
def test_comparisons_agree_on_every_claim(pair: tuple[Table, Table]) -> None:
    left, right = pair
    for stuck in CLAIMS:
        for observed in (False, True):
            how = {"stuck": stuck, "observed": observed}
            with large_from(10**9):
                plain = told(compare_tables(left, right, **how))  # type: ignore[arg-type]
            with large_from(0):
                assert told(compare_tables(left, right, **how)) == plain  # type: ignore[arg-type]
    assert follows(left, right) is compare_tables(left, right).equivalent


@given(pairs())
@searched(60)
def test_proofs_on_all_worlds_agree_on_every_claim(pair: tuple[Table, Table]) -> None:
    for stuck in CLAIMS:
        with large_from(10**9):
            plain = told(prove(*pair, stuck=stuck))  # type: ignore[arg-type]
        with large_from(0):
            assert told(prove(*pair, stuck=stuck)) == plain  # type: ignore[arg-type]


def test_a_hundred_thousand_states_are_refined_and_compared() -> None:
    """A counter that goes round twice as far as it has to: only the whole way tells its states apart."""
    n, half = 100_000, 50_000
    rows = tuple((Entry(int(q % half == 0), 3, (q + 1) % n), Entry(1, 2, (q + half) % n)) for q in range(n))
    entries = np.array(flattened(rows), np.int32).reshape(n, 2, 3)
    write, move, following = (np.ascontiguousarray(entries[:, :, part]) for part in range(3))
    assert equivalent_states(write, move, following) == [q % half for q in range(n)]
    smaller = tuple(tuple(e._replace(next=e.next % half) for e in row) for row in rows[:half])
    together = reached_together(flattened(rows), flattened(smaller), 2)
    assert together.reads is None and len(together.pairs) == n


def test_the_c_compiles_without_a_warning(tmp_path: Path) -> None:
    source = Path(equivalence.__file__).with_name("automata.c")
    strict = ["cc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    done = run([*strict, "-o", str(tmp_path / "a.so"), str(source)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
