"""Certificates, genuine and forged: what every checker must accept, and what each must reject, and where.

A forger here signs anew, so that no digest gives them away, except where the digests are what is forged.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tests.forgeries import claims, evidence, folds, results, texts
from tests.forgeries.edits import Forgery, signed
from tests.forgeries.genuine import copied, different, genuine, proven, text_of

__all__ = ["Forgery", "forgeries", "genuine"]


@cache
def forgeries() -> tuple[Forgery, ...]:
    """Texts that are no valid certificates, each with the part that a checker must blame first."""
    return tuple(_forgeries())


def _forgeries() -> Iterator[Forgery]:
    sources = {**proven(), **different()}
    for name, of, edit, where in (
        *claims.forged(),
        *evidence.forged(),
        *results.forged(),
        *folds.forged(),
        *texts.forged_numbers(),
    ):
        data = copied(sources[of])
        edit(data)
        yield Forgery(f"{of}: {name}", text_of(signed(data)), where)
    yield from texts.unsigned(sources)
    yield from texts.forged(sources)
