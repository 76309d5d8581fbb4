"""Arithmetic that never rounds the wrong way: matrices with a radius that covers every rounding error.

All numbers here are float64 and far from the ends of its range. What is not negative is computed as usual and
then raised by `raised`: that covers some hundred thousand roundings. A product is computed as usual, and its
radius covers any order of summation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
UNIT = 2.0**-53
RAISE = 1 + 2.0**-34
TINY = 1e-290  # covers products that are too small for a double


class Enclosed(NamedTuple):
    """Every array that differs from `mid` by at most `rad`, number by number."""

    mid: Doubles
    rad: Doubles

    def part(self, *index: Any) -> Enclosed:
        return Enclosed(self.mid[index], self.rad[index])

    def length(self) -> Doubles:
        """At least the length of each vector along the last axis."""
        return np.asarray(raised(np.sqrt(np.square(np.abs(self.mid) + self.rad).sum(-1))))


def raised(value: Any) -> Any:
    """No less than the exact value, for what is not negative."""
    return value * RAISE + TINY


def lowered(value: Any) -> Any:
    """No more than the exact value, for what is not negative."""
    return value / RAISE - TINY


def product(left: Doubles | Enclosed, right: Doubles | Enclosed) -> Enclosed:
    """A matrix product, also of stacks of matrices."""
    a = left if isinstance(left, Enclosed) else Enclosed(left, np.zeros_like(left))
    b = right if isinstance(right, Enclosed) else Enclosed(right, np.zeros_like(right))
    gamma = (a.mid.shape[-1] + 2) * UNIT
    size, other = np.abs(a.mid), np.abs(b.mid)
    rad = raised(2 * gamma) * (size @ other) + a.rad @ (other + b.rad) + size @ b.rad
    return Enclosed(a.mid @ b.mid, raised(rad))


def largest_stretch(matrices: Enclosed) -> Doubles:
    """At least the largest singular value of each matrix of a stack.

    Nearly orthogonal columns V make the matrix nearly diagonal: then |N V|^2 is bounded by its row sums, and
    |N|^2 by that over the least that V may shrink.
    """
    size = matrices.mid.shape[-1]
    if size == 0:
        return np.zeros(len(matrices.mid))
    turned = np.linalg.svd(matrices.mid)[2].transpose(0, 2, 1)
    image = product(matrices.mid, turned)
    gram = product(_transposed(image), image)
    rows = raised((np.abs(gram.mid) + gram.rad).sum(-1)).max(-1)
    skew = product(turned.transpose(0, 2, 1), turned)
    away = raised(frobenius(Enclosed(skew.mid - np.eye(size), skew.rad + 2 * UNIT)))
    if (away >= 0.5).any():
        raise FloatingPointError("the singular vectors are not orthogonal")
    spare = frobenius(Enclosed(np.zeros_like(matrices.rad), matrices.rad))
    return np.asarray(raised(np.sqrt(raised(rows / (1 - away))) + spare))


def frobenius(matrices: Enclosed) -> Doubles:
    """At least the root of the sum of squares of each matrix of a stack."""
    return np.asarray(raised(np.sqrt(np.square(np.abs(matrices.mid) + matrices.rad).sum((-2, -1)))))


def _transposed(matrices: Enclosed) -> Enclosed:
    return Enclosed(matrices.mid.transpose(0, 2, 1), matrices.rad.transpose(0, 2, 1))
