"""Counterfactual regret minimisation for two players and constant sums, on the sequence form.

What each algorithm is stands in `VARIANTS`; `regret` says how they iterate. The average of the
plans approaches an equilibrium, and the exploitability in the result is exact for the strategy in
it, not a bound.
Departures: with alternating updates the plans that count are those after each update, so the first,
uniform ones do not. Evaluations for a target come at fixed iterations: unless seconds are limited,
the same call gives the same bytes. Seconds count from the ready sequence form on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from fogspiel.solve.progress import ProgressMeter, SolveLimits
from fogspiel.solve.regret.sequence_kernels import Family, PlayerSequences, iterate, side
from fogspiel.solve.result import OnPoint, SolveResult, Strategy, action_starts
from fogspiel.solve.sequence_form import SequenceGame, require_constant_sum, sequence_game
from fogspiel.solve.treeplex import fold_plan, joined
from fogspiel.tree.game_tree import GameTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One algorithm of the family: how fast regrets fade, and how much later plans count."""

    name: str
    alpha: float
    """Positive regrets are multiplied by t^alpha / (t^alpha + 1) after iteration t."""
    beta: float
    """The same for negative ones."""
    gamma: float
    """Plan t weighs t^gamma in the average."""
    prediction: float = 0.0
    """Behave as if this share of the regrets just seen were to come once more."""
    alternating: bool = True
    """The second player answers the new plan of the first, not the last one."""

    def __post_init__(self) -> None:
        """Refuse what no algorithm of the family has."""
        if math.isnan(self.alpha) or math.isnan(self.beta):
            raise ValueError(f"alpha and beta must be numbers; got {self.alpha}, {self.beta}")
        if not 0.0 <= self.gamma < math.inf:
            raise ValueError(f"gamma must be a number from 0 on; got {self.gamma}")
        if not 0.0 <= self.prediction <= 1.0:
            raise ValueError(f"prediction must be a share from 0 to 1; got {self.prediction}")


CFR = Variant(name="cfr", alpha=math.inf, beta=math.inf, gamma=0.0)
"""Zinkevich et al. (2007), here with alternating updates unless said otherwise."""
CFR_PLUS = Variant(name="cfr+", alpha=math.inf, beta=-math.inf, gamma=1.0)
"""Tammelin (2014): regrets never fall below 0; linear averaging."""
LINEAR_CFR = Variant(name="lcfr", alpha=1.0, beta=1.0, gamma=1.0)
"""Brown and Sandholm (2019): iteration t counts t times, for regrets and for the average."""
DISCOUNTED_CFR = Variant(name="dcfr", alpha=1.5, beta=0.0, gamma=2.0)
"""Brown and Sandholm (2019), with the parameters that they recommend."""
PREDICTIVE_CFR_PLUS = Variant(
    name="pcfr+", alpha=math.inf, beta=-math.inf, gamma=2.0, prediction=1.0
)
"""Farina, Kroer and Sandholm (2021): CFR+ with predictions and quadratic averaging."""
CAUTIOUS_CFR_PLUS = Variant(
    name="sapcfr+", alpha=math.inf, beta=-math.inf, gamma=3.0, prediction=0.25
)
"""Meng et al. (2025), arXiv:2503.12770, simple asymmetric PCFR+: predictions believed in part.

The share and cubic averaging are ours, by measurement: where predictions help (Kuhn, goofspiel)
they help as much, and where they mislead (Leduc, liar's dice) half the iterations do."""

VARIANTS: Mapping[str, Variant] = MappingProxyType(
    {
        variant.name: variant
        for variant in (
            CFR,
            CFR_PLUS,
            LINEAR_CFR,
            DISCOUNTED_CFR,
            PREDICTIVE_CFR_PLUS,
            CAUTIOUS_CFR_PLUS,
        )
    }
)


def minimise_regrets(
    game: SequenceGame | GameTree,
    variant: Variant = CAUTIOUS_CFR_PLUS,
    *,
    limits: SolveLimits,
    on_point: OnPoint | None = None,
) -> SolveResult:
    """An approximate equilibrium. Raises SOL002 unless constant-sum, SOL003 unless two play."""
    if isinstance(game, GameTree):
        game = sequence_game(game)
    require_constant_sum(game)
    first, second = side(game, 0), side(game, 1)
    family = Family(
        variant.alpha, variant.beta, variant.gamma, variant.prediction, variant.alternating
    )
    clock = np.array([0, 1])
    target = -1.0 if limits.target is None else limits.target
    work = 2 * (len(first.entries) + len(first.regrets) + len(second.regrets))
    progress = ProgressMeter(limits, on_point, work=work)
    while True:
        exploitability = iterate(first, second, family, clock, progress.next_pause(), target)
        progress.evaluating()
        if progress.stops(int(clock[0]), exploitability):
            break
    return SolveResult(
        strategy=_average(game, (first, second)),
        values=tuple(
            float(own.found[0]) + payoffs.offset
            for own, payoffs in zip((first, second), game.payoffs, strict=True)
        ),
        exploitability=exploitability,
        method=variant.name,
        parameters={
            "alpha": variant.alpha,
            "beta": variant.beta,
            "gamma": variant.gamma,
            "prediction": variant.prediction,
            "alternating": variant.alternating,
        },
        iterations=int(clock[0]),
        seconds=progress.seconds,
        curve=tuple(progress.curve),
    )


def _average(game: SequenceGame, sides: tuple[PlayerSequences, PlayerSequences]) -> Strategy:
    behaviours = []
    for own, treeplex in zip(sides, game.treeplexes, strict=True):
        behaviour = np.empty_like(own.sums)
        fold_plan(treeplex.parents, treeplex.firsts, treeplex.counts, own.sums, behaviour)
        behaviours.append(behaviour)
    return joined(action_starts(game.tree.infosets), behaviours)
