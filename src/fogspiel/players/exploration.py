"""Exploration of a game before play: its class, as far as a clock allows.

Random walks show whether moves are simultaneous, whether anything is hidden, whether goals have a
constant sum, and about how large the tree is (`machine/analysis/features`, `tree/game_kind`).
The number of walks is fixed; a clock may cut them short. The result is kept while the machine of
the game lives. One that a clock cut short is computed anew when there is more time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from fogspiel.core.budget import MOST_TRIES, Budget
from fogspiel.machine.analysis.features import GameKind, explore
from fogspiel.machine.analysis.independent_parts import parts_of
from fogspiel.machine.memo import MachineMemo
from fogspiel.machine.protocol import Machine
from fogspiel.players.searching.parts import work_within
from fogspiel.tree.game_kind import estimate_size

WALKS = 64
SHARE = 0.2  #: The share of a clock for each of three explorations
LEAST_SECONDS = 0.02  #: Seconds for a few steps, however short the clock
MORE = 1.5  #: Factor by which a clock must be longer for another exploration to pay


@dataclass(frozen=True, slots=True)
class _Look:
    """The class of a game, and the clock that it was explored with."""

    kind: GameKind
    enough: float
    """Seconds of a start clock up to which exploring again would not pay; infinite if no clock cut
    the exploration short."""
    tries: int
    """Number of explorations cut short so far, of which the first may have waited for kernels."""

    def will_do(self, seconds: float) -> bool:
        """Whether another exploration with so much time would not pay."""
        was_cut = math.isfinite(self.enough)
        return seconds <= self.enough and not (was_cut and self.tries < MOST_TRIES)


_KNOWN: MachineMemo[_Look] = MachineMemo()


def explored_kind(machine: Machine, budget: Budget) -> GameKind:
    """The class of a game, explored for a part of the budget or remembered."""
    look = _KNOWN.get(machine)
    if look is None or not look.will_do(budget.seconds_left):
        tries = 0 if look is None else look.tries
        look = _KNOWN.keep(machine, _explored(machine, budget, tries))
    return look.kind


def _explored(machine: Machine, budget: Budget, tries: int) -> _Look:
    given = budget.seconds_left
    seconds = max(LEAST_SECONDS, SHARE * given)
    has_stalled = Budget.of(seconds=seconds / SHARE, clock=budget.clock).stall_watch()
    looking = Budget.of(seconds=seconds, clock=budget.clock)
    kind = explore(machine, hides=True, budget=looking)
    was_cut = looking.is_over
    looking = Budget.of(seconds=seconds, clock=budget.clock)
    kind = estimate_size(machine, kind, walks=WALKS, budget=looking)
    was_cut |= looking.is_over
    if kind.ended < kind.walks:
        # If walks were cut short, the game may be of any size.
        kind = replace(kind, log10_nodes=math.inf, mean_steps=math.inf)
    if not kind.hidden_information:
        parts = parts_of(machine, work_within(budget.part(SHARE)))
        kind = replace(kind, parts=1 if parts is None else max(1, parts.count))
    kind = replace(kind, chance=machine.chance_role is not None)
    enough = MORE * given if was_cut else math.inf
    return _Look(kind, enough, tries + (not has_stalled()))
