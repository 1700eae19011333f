"""What a player can find out about a game before it begins: enough to choose how to play it.

Random walks show whether moves are made at once, whether anything is hidden, whether goals always
add up to the same, and about how large the tree is (`machine/traits`, `tree/sampled_size`). What
was found is kept while the machine lives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from fogspiel.machine.parts import parts_of
from fogspiel.machine.protocol import Machine
from fogspiel.machine.traits import explore_traits
from fogspiel.player.parts import work_within
from fogspiel.search.budget import Budget
from fogspiel.tree.sampled_size import sample_size

WALKS = 64
SHARE = 0.2
"""Of a clock, for each of three explorations."""
LEAST_SECONDS = 0.02
"""A few steps are looked at in any case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nature:
    """A game as far as random walks show it: a yes is certain, a no means that none was met."""

    players: int
    """Chance left out."""
    simultaneous: bool
    hidden: bool
    constant_sum: bool
    log10_nodes: float
    """Of the tree: an estimate, often too low."""
    chance: bool
    steps: float
    """Of a random walk, on the average; more than any number where walks were cut."""
    parts: int
    """Into which the game falls apart (`machine/parts`); 1 where something is hidden."""

    @property
    def kind(self) -> str:
        """alone: one player. open: nothing is hidden, but moves are made at once. turns: nothing
        is hidden, and one moves at a time. hidden: the rest."""
        if self.players == 1:
            return "alone"
        if self.hidden:
            return "hidden"
        return "open" if self.simultaneous else "turns"


_KNOWN: WeakKeyDictionary[Machine, Nature] = WeakKeyDictionary()


def nature_of(machine: Machine, budget: Budget) -> Nature:
    """Look at the game for a part of the budget, or remember what was seen."""
    if machine not in _KNOWN:
        _KNOWN[machine] = _explored(machine, budget)
    return _KNOWN[machine]


def _explored(machine: Machine, budget: Budget) -> Nature:
    seconds = max(LEAST_SECONDS, SHARE * budget.seconds_left)
    traits = explore_traits(machine, hides=True, seconds=seconds)
    size = sample_size(machine, walks=WALKS, seconds=seconds)
    players = sum(role != machine.chance_role for role in range(len(machine.roles)))
    # Walks that were cut say that there is more to come.
    unended = size.ended < size.walks
    return Nature(
        players=players,
        simultaneous=traits.simultaneous,
        hidden=traits.hidden_information,
        constant_sum=len(size.payoff_sums) == 1,
        log10_nodes=math.inf if unended else size.log10_nodes,
        chance=machine.chance_role is not None,
        steps=math.inf if unended else size.mean_steps,
        parts=1 if traits.hidden_information else _parts(machine, budget.part(SHARE)),
    )


def _parts(machine: Machine, budget: Budget) -> int:
    found = parts_of(machine, work_within(budget))
    return 1 if found is None else max(1, found.count)
