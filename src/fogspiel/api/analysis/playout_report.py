"""Random playouts as a report: mean payoffs, lengths and speed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fogspiel.core.limits import refuse_count
from fogspiel.machine.analysis.cost import chunk_of_playouts
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS

if TYPE_CHECKING:
    from fogspiel.api.game import Game

DEFAULT_PLAYOUTS, REFERENCE_PLAYOUTS = 100_000, 20
"""Playouts where nobody says how many: the reference reasoner takes long for each."""
WARM_UP = 65
"""More playouts than one word of lanes holds, so that the kernels of the measurement are loaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayoutReport:
    """What random games came to. Equal seeds and numbers give equal results, seconds aside.

    >>> report = fs.load("kuhn_poker").playouts(20_000, seed=1)
    >>> round(report.payoffs["first"], 1), report.stuck, report.cut
    (0.1, 0, 0)
    """

    game: str  #: The name of the game
    engine: str  #: `compiled` or `reference`
    playouts: int  #: The number of games
    seed: int  #: The seed of the random choices
    payoffs: dict[str, float]  #: Mean payoffs in the unit of the game
    goals: dict[str, float]  #: Mean goals as the rules count
    mean_length: float  #: Mean number of steps
    stuck: int  #: Playouts that ended where a role had no legal move
    cut: int  #: Playouts that were given up at the limit on steps; means count where they were
    max_steps: int  #: The limit on the steps of a playout
    seconds: float = field(compare=False)  #: Time of the playouts alone

    @property
    def per_second(self) -> float:
        """Playouts a second on one core."""
        return self.playouts / max(self.seconds, 1e-9)

    def __str__(self) -> str:
        """Mean payoffs, the mean length and the speed in one line."""
        shown = ", ".join(f"{role} {payoff:+.4g}" for role, payoff in self.payoffs.items())
        given_up = f"; {self.cut:,} given up after {self.max_steps:,} steps" if self.cut else ""
        return (
            f"{self.game}: {self.playouts:,} random playouts{given_up}, mean payoffs {shown}; "
            f"{self.mean_length:.3g} steps on average; {self.per_second:,.0f} playouts a second"
        )


def play_out(
    game: Game,
    count: int | None = None,
    *,
    seed: int = 0,
    max_steps: int = DEFAULT_MAX_STEPS,
    on_done: Callable[[int], object] | None = None,
) -> PlayoutReport:
    """Play so many random games from the beginning; `Game.playouts` says more.

    They are played in chunks whose sizes and seeds follow from the arguments alone.
    on_done: told after each chunk how many playouts it had.
    """
    refuse_count("count", count)
    refuse_count("seed", seed, 0)
    refuse_count("max_steps", max_steps)
    count = default_playouts(game) if count is None else count
    machine, size = game.machine, chunk_of_playouts(game.machine)
    start = machine.initial()[None, :]
    if machine.engine == "compiled":
        # Kernels are built or loaded first, which is no part of what is measured.
        machine.playouts(start, seed=0, count=WARM_UP, max_steps=1)
    sums, seconds, steps, stuck, cut = [0] * len(machine.roles), 0.0, 0, 0, 0
    for index, begun in enumerate(range(0, count, size)):
        drawn = int(np.random.SeedSequence([seed, index]).generate_state(1, "uint64")[0])
        own = min(size, count - begun)
        began = time.perf_counter()
        part = machine.playouts(start, seed=drawn, count=own, max_steps=max_steps)
        seconds += time.perf_counter() - began
        sums = [total + int(more) for total, more in zip(sums, part.goal_sums[0], strict=True)]
        steps, stuck, cut = steps + part.steps, stuck + part.stuck, cut + part.cut
        if on_done is not None:
            on_done(own)
    means: dict[str, float] = {role: sums[role.id] / count for role in game.players}
    return PlayoutReport(
        game=game.name,
        engine=machine.engine,
        playouts=count,
        seed=seed,
        payoffs={role: game.payoff_of_goal(mean) for role, mean in means.items()},
        goals={role: mean / machine.goal_scale for role, mean in means.items()},
        mean_length=steps / count,
        stuck=stuck,
        cut=cut,
        max_steps=max_steps,
        seconds=seconds,
    )


def default_playouts(game: Game) -> int:
    """The number of playouts where nobody says how many."""
    return DEFAULT_PLAYOUTS if game.machine.engine == "compiled" else REFERENCE_PLAYOUTS
