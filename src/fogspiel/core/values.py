"""Values of a game: the units they are counted in, and 95 % intervals of their means.

A mean has Student's interval, mean ± t·s/√n with Student's t of n - 1 degrees of freedom (Student
1908, Biometrika 6). It supposes that values are independent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AS_THE_RULES_COUNT = "as the rules count"
"""The name of a unit in which payoffs are those that the rules state."""
FULL_GOAL = 100
"""The largest goal value of GDL. Goals of a machine are multiplied by its `goal_scale`."""
TAIL = 0.025  #: Probability that an interval leaves out on each side
FEWEST_VALUES = 4  #: Values from which on an interval of their mean is shown
NORMAL_QUANTILE = 1.959964  #: The point of the normal distribution with that much above it


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of a game's payoffs: value = (goal - offset) / scale.

    Goals may be means, or payoffs of a tree; whoever makes the unit says which.

    >>> unit = fs.load("kuhn_poker").payoff_unit
    >>> unit.name, unit.offset, unit.scale
    ('chips', 50.0, 25.0)
    """

    name: str  #: The name of the unit, such as `chips`
    offset: float  #: The goal that is worth 0
    scale: float  #: Goals that are worth 1

    @property
    def is_plain(self) -> bool:
        """Whether values are the goals themselves."""
        return (self.offset, self.scale) == (0.0, 1.0)

    def value(self, goal: float) -> float:
        """The value of a goal.

        goal: a goal, or a mean of goals.

        >>> unit.value(75)
        1.0
        """
        return (goal - self.offset) / self.scale

    def exact_value(self, goal: Fraction) -> Fraction:
        """The value of a goal, not rounded.

        goal: a goal, or a mean of goals.

        >>> from fractions import Fraction
        >>> unit.exact_value(Fraction(145, 3))
        Fraction(-1, 15)
        """
        return (goal - Fraction(self.offset)) / Fraction(self.scale)

    def difference(self, goals: float) -> float:
        """The difference of two values, from that of their goals.

        goals: the difference of two goals.

        >>> unit.difference(50)
        2.0
        """
        return goals / self.scale


GOALS = Unit("goals", 0.0, 1.0)
PAYOFFS = Unit(AS_THE_RULES_COUNT, 0.0, 1.0)


def mean_interval(values: NDArray[np.int64] | NDArray[np.float64]) -> tuple[float, float] | None:
    """Student's interval of the mean; None for fewer than two values.

    Where all values are equal it is a point.
    """
    count = len(values)
    if count < 2:
        return None
    mean = float(values.mean())
    half = student_half(float(values.std(ddof=1)), count - 1) / math.sqrt(count)
    return mean - half, mean + half


def bounded_interval(
    values: NDArray[np.int64] | NDArray[np.float64], full: float
) -> tuple[float, float] | None:
    """Student's interval of the mean, cut off at 0 and at a full goal.

    full: the value of a full goal. Where values beyond 0 and that were seen, these are the bounds.
    """
    ends = mean_interval(values)
    if ends is None:
        return None
    least, most = min(0.0, float(values.min())), max(full, float(values.max()))
    return max(least, ends[0]), min(most, ends[1])


def margin_text(
    mean: float, interval: tuple[float, float] | None, count: int, form: str = ".3f"
) -> str:
    """An interval beside its mean: `± 0.12`, or `-0.12 +0.05` where a bound cuts it off.

    count: the number of values; of two or three an interval says nothing, and none is shown.
    form: how numbers are written.
    """
    if interval is None or count < FEWEST_VALUES:
        return ""
    below, above = f"{mean - interval[0]:{form}}", f"{interval[1] - mean:{form}}"
    return f"± {below}" if below == above else f"-{below} +{above}"


def student_half(deviation: float, freedom: float, *, comparisons: int = 1) -> float:
    """Half of Student's interval for an estimate with this standard deviation.

    freedom: degrees of freedom of the deviation.
    comparisons: intervals that shall all hold together, by Bonferroni's correction.
    """
    # Only here, since every process that plays would wait for it to load.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1.0 - TAIL / comparisons)) * deviation


def wilson(wins: int, games: int) -> tuple[float, float]:
    """The interval for a share of games.

    Source: E. B. Wilson (1927), Journal of the American Statistical Association 22. Unlike the
    normal one it stays between 0 and 1, and is no point where all games were won.
    """
    share, square = wins / games, NORMAL_QUANTILE**2
    middle = (share + square / (2 * games)) / (1 + square / games)
    spread = share * (1 - share) / games + square / (4 * games**2)
    half = NORMAL_QUANTILE * math.sqrt(spread) / (1 + square / games)
    return max(0.0, middle - half), min(1.0, middle + half)
