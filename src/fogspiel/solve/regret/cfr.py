"""Counterfactual regret minimisation for two players and constant sums, on the sequence form.

`VARIANTS` lists the algorithms; a new one is one more entry there. `sequence_kernels` iterates. The
average of the plans approaches an equilibrium, and the exploitability in the solution is exact for
the strategy in it, not a bound.
Departures: with alternating updates the plans that count are those after each update, so the first,
uniform ones do not. Evaluations for a target come at fixed iterations: unless seconds are limited,
the same call gives the same bytes. Seconds count from the ready sequence form on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fogspiel.core.registry import Entry, Registry
from fogspiel.solve.arrays import joined
from fogspiel.solve.progress import OnPoint, ProgressMeter, SolveLimits
from fogspiel.solve.regret.sequence_kernels import Family, iterate, side
from fogspiel.solve.result import Solution, action_starts
from fogspiel.solve.sequence_form import SequenceGame, require_constant_sum, sequence_game
from fogspiel.tree.game_tree import GameTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant(Entry):
    """An algorithm of the family: how fast regrets fade, and how much later plans count."""

    alpha: float  #: Positive regrets are multiplied by t^alpha / (t^alpha + 1) after iteration t
    beta: float  #: The same exponent for negative regrets
    gamma: float  #: The weight of plan t in the average is t^gamma
    prediction: float = 0.0
    """The share of the latest regrets that behaviour counts once more, as a prediction."""
    alternating: bool = True
    """Whether the second player responds to the new plan of the first, not to the last one."""

    def __post_init__(self) -> None:
        """Raise `ValueError` for parameters out of range."""
        if math.isnan(self.alpha) or math.isnan(self.beta):
            raise ValueError(f"alpha and beta must be numbers; got {self.alpha}, {self.beta}")
        if not 0.0 <= self.gamma < math.inf:
            raise ValueError(f"gamma must be a number from 0 on; got {self.gamma}")
        if not 0.0 <= self.prediction <= 1.0:
            raise ValueError(f"prediction must be a share from 0 to 1; got {self.prediction}")

    @property
    def family(self) -> Family:
        """The parameters, as kernels take them."""
        return Family(self.alpha, self.beta, self.gamma, self.prediction, self.alternating)


CFR = Variant(
    name="cfr",
    what="counterfactual regret minimisation, as published in 2007",
    source="Zinkevich et al. (2007), here with alternating updates unless told otherwise",
    alpha=math.inf,
    beta=math.inf,
    gamma=0.0,
)
CFR_PLUS = Variant(
    name="cfr+",
    what="regrets never below 0, later iterations count more",
    source="Tammelin (2014), with linear averaging",
    alpha=math.inf,
    beta=-math.inf,
    gamma=1.0,
)
CAUTIOUS_CFR_PLUS = Variant(
    name="sapcfr+",
    what="the same, believing a quarter of it: quick on most games",
    # The share and cubic averaging are ours, by measurement: where predictions help (Kuhn,
    # goofspiel) they help as much, and where they mislead (Leduc, liar's dice) half the iterations
    # do.
    source="Meng et al. (2025), arXiv:2503.12770, simple asymmetric PCFR+",
    alpha=math.inf,
    beta=-math.inf,
    gamma=3.0,
    prediction=0.25,
)
VARIANTS = Registry(
    "variant of cfr",
    "SOL030",
    (
        CFR,
        CFR_PLUS,
        Variant(
            name="lcfr",
            what="linear CFR: iteration t counts t times",
            source="Brown and Sandholm (2019), for regrets and for the average",
            alpha=1.0,
            beta=1.0,
            gamma=1.0,
        ),
        Variant(
            name="dcfr",
            what="discounted CFR: early regrets fade",
            source="Brown and Sandholm (2019), with the parameters that they recommend",
            alpha=1.5,
            beta=0.0,
            gamma=2.0,
        ),
        Variant(
            name="pcfr+",
            what="predictive CFR+: plays as if the last regrets came again",
            source="Farina, Kroer and Sandholm (2021), with quadratic averaging",
            alpha=math.inf,
            beta=-math.inf,
            gamma=2.0,
            prediction=1.0,
        ),
        CAUTIOUS_CFR_PLUS,
    ),
)
"""All variants, in the order in which `fogspiel solve --methods` lists them."""


def minimise_regrets(
    game: SequenceGame | GameTree,
    variant: Variant = CAUTIOUS_CFR_PLUS,
    *,
    limits: SolveLimits,
    on_point: OnPoint | None = None,
) -> Solution:
    """An approximate equilibrium. Raises SOL002 unless constant-sum, SOL003 unless two play."""
    if isinstance(game, GameTree):
        game = sequence_game(game)
    require_constant_sum(game)
    first, second = side(game, 0), side(game, 1)
    clock = np.array([0, 1])
    target = -1.0 if limits.target is None else limits.target
    work = 2 * (len(first.entries) + len(first.regrets) + len(second.regrets))
    progress = ProgressMeter(limits, on_point, work=work)
    while True:
        pause = progress.next_pause()
        exploitability = iterate(first, second, variant.family, clock, pause, target)
        progress.evaluating()
        if progress.stops(int(clock[0]), exploitability):
            break
    averages = zip(game.treeplexes, (first, second), strict=True)
    behaviours = [treeplex.behaviour_of(own.sums) for treeplex, own in averages]
    return Solution(
        strategy=joined(action_starts(game.tree.infosets), behaviours),
        values=tuple(
            float(own.found[0]) + payoffs.offset
            for own, payoffs in zip((first, second), game.payoffs, strict=True)
        ),
        exploitability=exploitability,
        method=variant.name,
        parameters=variant.family._asdict(),
        iterations=int(clock[0]),
        seconds=progress.seconds,
        curve=tuple(progress.curve),
    )
