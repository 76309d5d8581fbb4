"""Certificates, genuine and forged: what every checker must accept, and what each must reject, and where.

A forger here signs anew, so that no digest gives them away, except where the digests are what is forged.
"""

from __future__ import annotations

from functools import cache

from tests.forgeries import claims, evidence, folds, results, texts
from tests.forgeries.edits import Forged, Forgery, signed
from tests.forgeries.genuine import copied, genuine, text_of
from tests.support.searches import spread


@cache
def forgeries() -> tuple[Forgery, ...]:
    """Texts that are no valid certificates, each with the part that a checker must blame first."""
    edited = (claims.forged, evidence.forged, results.forged, folds.forged, texts.forged_numbers)
    everything = [forgery for kind in (*edited, texts.unsigned, texts.forged) for forgery in kind()]
    return tuple(made(forgery) for forgery in spread(everything, 1_050))


def made(forgery: Forged | Forgery) -> Forgery:
    """A forgery as a text."""
    if isinstance(forgery, Forgery):
        return forgery
    data = copied(genuine(forgery.of))
    forgery.edit(data)
    return Forgery(f"{forgery.of}: {forgery.name}", text_of(signed(data)), forgery.where)
