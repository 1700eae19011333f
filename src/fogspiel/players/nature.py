"""What a player can find out about a game before it begins: enough to choose how to play it.

Random walks show whether moves are made at once, whether anything is hidden, whether goals always
add up to the same, and about how large the tree is (`machine/analysis/features`,
`tree/size_estimate`). Where no clock runs they go as far as they ever do; where one does, until
their share of it is over. What was found is kept while the machine lives, and looked for again
where a clock cut it short and there is more time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from fogspiel.core.budget import MOST_TRIES, Budget
from fogspiel.machine.analysis.features import Traits, explore_traits
from fogspiel.machine.analysis.independent_parts import parts_of
from fogspiel.machine.memo import MachineMemo
from fogspiel.machine.protocol import Machine
from fogspiel.players.searching.parts import work_within
from fogspiel.tree.size_estimate import SampledSize, sample_size

WALKS = 64
SHARE = 0.2
"""Of a clock, for each of three explorations."""
LEAST_SECONDS = 0.02
"""A few steps are looked at in any case."""
MORE = 1.5
"""How many times longer a clock must be for another look to be worth it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameNature:
    """A game as far as random walks show it: a yes is certain, a no means that none was met."""

    players: int
    """Chance left out."""
    simultaneous: bool
    hidden: bool
    secrecy: float
    """How many of the moves of others a role does not see (`machine/analysis/features`)."""
    constant_sum: bool
    log10_nodes: float
    """Of the tree: an estimate, often too low."""
    chance: bool
    steps: float
    """Of a random walk, on the average; more than any number where walks were cut."""
    parts: int
    """Into which the game falls apart (`machine/analysis/independent_parts`); 1 where something is
    hidden."""

    @property
    def kind(self) -> str:
        """alone: one player. open: nothing is hidden, but moves are made at once. turns: nothing
        is hidden, and one moves at a time. hidden: the rest."""
        if self.players == 1:
            return "alone"
        if self.hidden:
            return "hidden"
        return "open" if self.simultaneous else "turns"


@dataclass(frozen=True, slots=True)
class _Look:
    """What was found in how long."""

    nature: GameNature
    enough: float
    """Seconds, of a clock before play, that bring nothing else; infinite where none cut it."""
    tries: int
    """How often clocks have cut it. The first ones may have gone into loading native kernels."""

    def will_do(self, seconds: float) -> bool:
        """Whether another look with so much time is not worth it."""
        was_cut = math.isfinite(self.enough)
        return seconds <= self.enough and not (was_cut and self.tries < MOST_TRIES)


_KNOWN: MachineMemo[_Look] = MachineMemo()


def nature_of(machine: Machine, budget: Budget) -> GameNature:
    """Look at the game for a part of the budget, or remember what was seen."""
    look = _KNOWN.get(machine)
    if look is None or not look.will_do(budget.seconds_left):
        tries = 0 if look is None else look.tries
        look = _KNOWN.keep(machine, _explored(machine, budget, tries))
    return look.nature


def _explored(machine: Machine, budget: Budget, tries: int) -> _Look:
    given = budget.seconds_left
    seconds = max(LEAST_SECONDS, SHARE * given)
    has_stalled = Budget.of(seconds=seconds / SHARE, clock=budget.clock).stall_watch()
    looking = Budget.of(seconds=seconds, clock=budget.clock)
    traits = explore_traits(machine, hides=True, budget=looking)
    was_cut = looking.is_over
    looking = Budget.of(seconds=seconds, clock=budget.clock)
    size = sample_size(machine, walks=WALKS, budget=looking)
    was_cut |= looking.is_over
    enough = MORE * given if was_cut else math.inf
    return _Look(_nature(machine, traits, size, budget), enough, tries + (not has_stalled()))


def _nature(machine: Machine, traits: Traits, size: SampledSize, budget: Budget) -> GameNature:
    players = sum(role != machine.chance_role for role in range(len(machine.roles)))
    # Walks that were cut say that there is more to come.
    unended = size.ended < size.walks
    return GameNature(
        players=players,
        simultaneous=traits.simultaneous,
        hidden=traits.hidden_information,
        secrecy=traits.secrecy,
        constant_sum=len(size.payoff_sums) == 1,
        log10_nodes=math.inf if unended else size.log10_nodes,
        chance=machine.chance_role is not None,
        steps=math.inf if unended else size.mean_steps,
        parts=1 if traits.hidden_information else _parts(machine, budget.part(SHARE)),
    )


def _parts(machine: Machine, budget: Budget) -> int:
    found = parts_of(machine, work_within(budget))
    return 1 if found is None else max(1, found.count)
