"""Interval matrices in midpoint-radius form: float64 arithmetic whose radius covers every rounding error.

Three bounds carry the proof. ε = 2⁻⁵³ is the unit roundoff of float64.

(1) Directed rounding. Let v ≥ 0 be the exact value of sums, products, quotients and roots of numbers that
    are not negative, and v̂ what float64 makes of it, each number passing through n operations at most.
    Then
        v (1 - ε)ⁿ - t ≤ v̂ ≤ v (1 + ε)ⁿ + t,  where t is what underflow adds.
    So `raised`, v̂ (1 + 2⁻³⁴) + 10⁻²⁹⁰, is no less than v for n up to 2¹⁸, since 2¹⁸ ε is half of 2⁻³⁴, and
    `lowered` is no more. The longest sums here are those of all d² numbers of a matrix, so d may be 500.
(2) Product. Let P be mid(A) mid(B) in float64, summed in any order, n the inner dimension. Number by
    number,
        |A B - P| ≤ 2 (n + 2) ε |mid A| |mid B| + rad A (|mid B| + rad B) + |mid A| rad B:
    γₙ of Higham (Accuracy and Stability of Numerical Algorithms, 3.5) is below (n + 2) ε, and the factor 2
    pays for |mid A| |mid B|, which is computed too.
(3) Spectral norm. For every V with VᵀV = I + E and |E| < 1 in the Frobenius norm,
        ‖N‖₂² ≤ ‖(N V)ᵀ(N V)‖∞ / (1 - |E|):
    a symmetric matrix is bounded by its row sums, and V shrinks no vector by more than (1 - |E|)^½. V holds
    the computed right singular vectors, so that (N V)ᵀ(N V) is nearly diagonal, and little is lost.

All numbers here are far from the upper end of float64. What is too large becomes infinite or no number, and
no comparison takes either for a bound.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
UNIT = 2.0**-53  # unit roundoff ε of float64
RAISE = 1 + 2.0**-34  # covers 2**18 roundings: (1)
TINY = 1e-290  # covers 2**18 underflows of up to 2.3e-308 each, also where they are flushed to zero: (1)
HALF_ULP = 2.0**-24  # unit roundoff of float32
FLUSHED = 2.0**-126  # least normal float32: what is below may be flushed to zero


class Enclosed(NamedTuple):
    """Every array that differs from `mid` by at most `rad`, number by number."""

    mid: Doubles
    rad: Doubles

    def part(self, *index: Any) -> Enclosed:
        return Enclosed(self.mid[index], self.rad[index])

    def length(self) -> Doubles:
        """At least the length of each vector along the last axis."""
        return length(np.abs(self.mid) + self.rad)


def raised(value: Any) -> Any:
    """No less than the exact value, for what is not negative: the upper side of (1)."""
    return value * RAISE + TINY


def lowered(value: Any) -> Any:
    """No more than the exact value, for what is not negative: the lower side of (1)."""
    return value / RAISE - TINY


def length(vectors: Doubles, axes: int | tuple[int, int] = -1) -> Doubles:
    """At least the root of the sum of squares along some axes."""
    return np.asarray(raised(np.sqrt(np.square(vectors).sum(axes))))


def product(left: Doubles | Enclosed, right: Doubles | Enclosed) -> Enclosed:
    """A matrix product that encloses the exact one, also of stacks of matrices: (2)."""
    a = left if isinstance(left, Enclosed) else Enclosed(left, np.zeros_like(left))
    b = right if isinstance(right, Enclosed) else Enclosed(right, np.zeros_like(right))
    gamma = (a.mid.shape[-1] + 2) * UNIT
    abs_a, abs_b = np.abs(a.mid), np.abs(b.mid)
    rad = raised(2 * gamma) * (abs_a @ abs_b) + a.rad @ (abs_b + b.rad) + abs_a @ b.rad
    return Enclosed(a.mid @ b.mid, raised(rad))


def spectral_norm(matrices: Enclosed) -> Doubles:
    """At least the largest singular value of each matrix of a stack: (3) for mid, and ‖rad‖F for the rest."""
    size = matrices.mid.shape[-1]
    if size == 0:
        return np.zeros(len(matrices.mid))
    V = np.linalg.svd(matrices.mid)[2].transpose(0, 2, 1)
    image = product(matrices.mid, V)
    gram = product(_transposed(image), image)
    row_sums = raised((np.abs(gram.mid) + gram.rad).sum(-1)).max(-1)
    E = less_identity(product(V.transpose(0, 2, 1), V))
    skew = raised(frobenius_norm(E))
    if (skew >= 0.5).any():
        raise FloatingPointError("the singular vectors are not orthogonal")
    return np.asarray(raised(np.sqrt(raised(row_sums / (1 - skew))) + length(matrices.rad, (-2, -1))))


def frobenius_norm(matrices: Enclosed) -> Doubles:
    """At least the root of the sum of squares of each matrix of a stack."""
    return length(np.abs(matrices.mid) + matrices.rad, (-2, -1))


def less_identity(matrices: Enclosed) -> Enclosed:
    """M - I for matrices M near I.

    The subtraction errs by ε |M - I|, number by number: below 2 ε while |M - I| < 2, and a matrix that is
    farther from I than 2 is near it in no one's eyes.
    """
    return Enclosed(matrices.mid - np.eye(matrices.mid.shape[-1]), matrices.rad + 2 * UNIT)


def _transposed(matrices: Enclosed) -> Enclosed:
    return Enclosed(matrices.mid.transpose(0, 2, 1), matrices.rad.transpose(0, 2, 1))
