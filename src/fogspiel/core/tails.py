"""Tail probabilities of the chi-square and F distributions.

Source: Abramowitz and Stegun (1964), 6.5.29 and 6.5.31 for the incomplete gamma function, 26.5.8
for the incomplete beta function; continued fractions are evaluated as Lentz (1976) does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from math import exp, lgamma, log, log1p

PRECISION = 1e-14
TINY = 1e-300
"""Stands for zero where it would be divided by."""


def chi_square_tail(statistic: float, degrees: float) -> float:
    """The probability that a chi-square variable is larger. Degrees need not be whole."""
    if statistic <= 0.0:
        return 1.0
    shape, at = degrees / 2.0, statistic / 2.0
    front = exp(shape * log(at) - at - lgamma(shape))
    if at < shape + 1.0:
        return 1.0 - front * _gamma_series(shape, at)
    return front / _continued(at + 1.0 - shape, _gamma_terms(shape, at))


def f_tail(statistic: float, degrees: float, below: float) -> float:
    """The probability that an F variable is larger. below: degrees of the denominator."""
    if statistic <= 0.0:
        return 1.0
    part = below / (below + degrees * statistic)
    return _beta_share(part, below / 2.0, degrees / 2.0)


def _gamma_series(shape: float, at: float) -> float:
    term = total = 1.0 / shape
    for k in count(1):
        term *= at / (shape + k)
        total += term
        if term < total * PRECISION:
            break
    return total


def _gamma_terms(shape: float, at: float) -> Iterator[tuple[float, float]]:
    for k in count(1):
        yield -k * (k - shape), at + 2.0 * k + 1.0 - shape


def _beta_share(part: float, first: float, second: float) -> float:
    """The incomplete beta function over the complete one."""
    if part >= 1.0:
        return 1.0
    if part > (first + 1.0) / (first + second + 2.0):
        # The fraction converges fast on the other side only.
        return 1.0 - _beta_share(1.0 - part, second, first)
    logarithm = lgamma(first + second) - lgamma(first) - lgamma(second)
    logarithm += first * log(part) + second * log1p(-part)
    return exp(logarithm) / (first * _continued(1.0, _beta_terms(part, first, second)))


def _beta_terms(part: float, first: float, second: float) -> Iterator[tuple[float, float]]:
    for k in count(1):
        half, odd = divmod(k, 2)
        top = -(first + half) * (first + second + half) if odd else half * (second - half)
        yield top * part / ((first + k - 1.0) * (first + k)), 1.0


def _continued(start: float, terms: Iterable[tuple[float, float]]) -> float:
    """start + a1 / (b1 + a2 / (b2 + …)) for terms (a, b)."""
    value = ratio = start or TINY
    inverse = 0.0
    for top, bottom in terms:
        inverse = 1.0 / ((bottom + top * inverse) or TINY)
        ratio = (bottom + top / ratio) or TINY
        value *= ratio * inverse
        if abs(ratio * inverse - 1.0) < PRECISION:
            break
    return value
