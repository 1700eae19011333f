"""Standings of a match: results of each declarer, and pairs compared deal by deal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge.matches.deal_series import DealResult
from fogspiel.core.values import mean_interval


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over deals with the interval that holds the true one with 95 % (Student's t)."""

    value: float
    interval: tuple[float, float] | None  #: None for fewer than two deals


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Processor seconds of declarer's choices."""

    choices: int  #: Cards for which there was an alternative
    mean: float
    p95: float
    longest: float
    a_deal: float  #: The mean time of all cards of a deal


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclarerStanding:
    """The results of one declarer."""

    declarer: str
    deals: int
    lost: Mean  #: Tricks a deal fewer than double dummy after the lead
    made: int
    tricks: float
    times: Times


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclarerComparison:
    """Two declarers over the same deals."""

    one: str
    other: str
    difference: Mean  #: Tricks that the first lost less the tricks that the other lost, a deal
    time_ratio: float | None
    """Time a choice of the first, divided by that of the other; None if that took none."""

    @property
    def verdict(self) -> str:
        """The conclusion that the numbers allow, in words."""
        gap, interval = self.difference.value, self.difference.interval
        if interval is None:
            return f"one deal says nothing about {self.one} and {self.other}{self._pace}"
        low, high = interval
        bounds = f"95 %: {low:+.3f} to {high:+.3f}"
        if low > 0.0 or high < 0.0:
            word = "more" if gap > 0.0 else "fewer"
            return (
                f"{self.one} loses {abs(gap):.3f} tricks a deal {word} than {self.other} "
                f"({bounds}){self._pace}"
            )
        return (
            f"between {self.one} and {self.other} no difference is shown: {gap:+.3f} tricks lost "
            f"a deal ({bounds}){self._pace}"
        )

    @property
    def _pace(self) -> str:
        if self.time_ratio is None:
            return ""
        return f", with {self.time_ratio:.3g} times its time a choice"


def standings(results: Sequence[DealResult]) -> list[DeclarerStanding]:
    """The results of all declarers, in the order in which they were named."""
    return [
        DeclarerStanding(
            declarer=name,
            deals=len(mine),
            lost=mean_of(np.array([result.lost for result in mine], float)),
            made=sum(result.is_made for result in mine),
            tricks=float(np.mean([result.tricks for result in mine])),
            times=_times(mine),
        )
        for name, mine in _by_declarer(results).items()
    ]


def comparisons(results: Sequence[DealResult]) -> list[DeclarerComparison]:
    """Every pair of declarers, the earlier named first."""
    found = []
    for (one, mine), (other, theirs) in combinations(_by_declarer(results).items(), 2):
        gaps = np.array([a.lost - b.lost for a, b in zip(mine, theirs, strict=True)], float)
        ours, others = _times(mine).mean, _times(theirs).mean
        found.append(
            DeclarerComparison(
                one=one,
                other=other,
                difference=mean_of(gaps),
                time_ratio=ours / others if others > 0.0 else None,
            )
        )
    return found


def mean_of(values: NDArray[np.float64]) -> Mean:
    """The mean of a sample with its interval."""
    return Mean(float(values.mean()), mean_interval(values))


def _times(results: Sequence[DealResult]) -> Times:
    seconds = np.array([spent for result in results for spent in result.free_seconds])
    if not len(seconds):
        seconds = np.zeros(1)
    return Times(
        choices=sum(len(result.free_seconds) for result in results),
        mean=float(seconds.mean()),
        p95=float(np.quantile(seconds, 0.95)),
        longest=float(seconds.max()),
        a_deal=float(np.mean([result.seconds for result in results])),
    )


def _by_declarer(results: Sequence[DealResult]) -> dict[str, list[DealResult]]:
    groups: dict[str, list[DealResult]] = {}
    for result in results:
        groups.setdefault(result.declarer, []).append(result)
    return groups
