"""Games that are bundled in GDL-II and in POGDDL have the same histories and random play.

That whole trees are the same is tested in `tests/tree` and `test_planning_trees`, what the pokers
are worth at equilibrium in `tests/rules/translate/test_other_programs`, there in both languages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from math import sqrt
from typing import Literal, NamedTuple, TypeAlias

import pytest
from histories import Explorer, Knowledge, extend

from fogspiel.core.values import Unit
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from fogspiel.machine.protocol import State
from fogspiel.tree.preorder import PreorderTree
from unfolding import in_preorder

EngineName: TypeAlias = Literal["compiled", "reference"]

TWINS = ["kuhn_poker", "latent_tic_tac_toe", "simple_poker", "tic_tac_toe"]
PLAYOUTS: dict[EngineName, int] = {"compiled": 20_000, "reference": 500}
"""The reference reasoners work on rules as they stand, a few thousand steps a second."""
WINS = Unit("wins", 50, 50)
"""What goals from 0 to 100 stand for where the index does not say."""
PLIES = 4
"""Steps in which all histories are followed."""


class Ply(NamedTuple):
    """What there is after some steps of all courses of play."""

    histories: int
    ended: int
    infosets: int
    """The number of information sets of roles that have a choice."""


def plies(name: str) -> list[Ply]:
    """Counts by the number of steps, from the start on."""
    game = Explorer(load(name, engine="compiled").machine)
    nothing: list[Knowledge] = [() for _ in game.roles]
    level: list[tuple[State, list[Knowledge]]] = [(game.machine.initial(), nothing)]
    found: list[Ply] = []
    while level and len(found) <= PLIES:
        infosets: dict[int, set[Knowledge]] = defaultdict(set)
        following: list[tuple[State, list[Knowledge]]] = []
        ended = 0
        for state, knowledge in level:
            position = game.position(state)
            ended += position.terminal
            for role, moves in enumerate(position.moves):
                if len(moves) > 1 and role != game.machine.chance_role:
                    infosets[role].add(knowledge[role])
            if len(found) < PLIES:
                following += [(c.state, extend(knowledge, c)) for c in position.children]
        found.append(Ply(len(level), ended, sum(map(len, infosets.values()))))
        level = following
    return found


@pytest.mark.parametrize("base", TWINS)
def test_histories_and_infosets_are_as_many_after_every_step(base: str) -> None:
    assert plies(base) == plies(f"{base}_pogddl")


def test_latent_tic_tac_toe_grows_as_counted_by_hand() -> None:
    """A player knows its own tries and how they went.

    X marks one of 9 cells. O tries one of 9: if it is taken, O tries again one of the other 8.
    """
    first, second, third = plies("latent_tic_tac_toe_pogddl")[:3]
    assert (first.histories, first.infosets) == (1, 1)
    assert (second.histories, second.infosets) == (9, 1)
    # 72 times X is on turn, and knows its mark alone; 9 times O is, and knows which cell is taken.
    assert (third.histories, third.infosets) == (81, 9 + 9)


@cache
def outcomes(name: str, engine: EngineName) -> Counter[tuple[float, ...]]:
    """Counts of the players' payoffs at the end of random play."""
    machine = load(name, engine=engine).machine
    unit = bundled_games()[name].unit or WINS
    # One start for each playout, so that goals do not come summed up.
    starts = machine.initial()[None, :].repeat(PLAYOUTS[engine], axis=0)
    played = machine.playouts(starts, seed=17, count=1)
    assert (played.stuck, played.cut) == (0, 0)
    players = [role for role in range(len(machine.roles)) if role != machine.chance_role]
    goals = (played.goal_sums[:, players] / machine.goal_scale).tolist()
    return Counter(tuple(map(unit.value, row)) for row in goals)


def twin_of(base: str, payoffs: tuple[float, ...]) -> tuple[float, ...]:
    """Payoffs in POGDDL as GDL counts them: in simple poker by stakes of two dollars."""
    unit = 0.5 if base == "simple_poker" else 1.0
    return tuple(unit * own for own in payoffs)


@pytest.mark.parametrize("engine", PLAYOUTS)
@pytest.mark.parametrize("base", TWINS)
def test_random_play_has_the_same_distribution_of_outcomes(base: str, engine: EngineName) -> None:
    here = outcomes(base, "compiled")
    found = outcomes(f"{base}_pogddl", engine)
    there = Counter({twin_of(base, payoffs): count for payoffs, count in found.items()})
    assert_alike(here, there)
    assert_alike(outcomes(base, engine), there)


def assert_alike(first: Counter[tuple[float, ...]], second: Counter[tuple[float, ...]]) -> None:
    """Every outcome is as frequent in both samples, within five standard errors."""
    sizes = first.total(), second.total()
    for outcome in first.keys() | second.keys():
        share = (first[outcome] + second[outcome]) / sum(sizes)
        error = sqrt(share * (1 - share) * (1 / sizes[0] + 1 / sizes[1]))
        assert abs(first[outcome] / sizes[0] - second[outcome] / sizes[1]) <= 5 * error, outcome


@pytest.mark.parametrize("base", ["kuhn_poker", "simple_poker"])
def test_outcomes_of_random_play_have_exactly_the_same_probabilities(base: str) -> None:
    here, there = exact_outcomes(base), exact_outcomes(f"{base}_pogddl")
    assert here == pytest.approx({twin_of(base, own): share for own, share in there.items()})
    # And playouts agree with them.
    found = outcomes(base, "compiled")
    for payoffs, share in here.items():
        error = sqrt(share * (1 - share) / found.total())
        assert abs(found[payoffs] / found.total() - share) <= 5 * error


def exact_outcomes(name: str) -> dict[tuple[float, ...], float]:
    """The probability of each outcome if players choose evenly, from the whole tree."""
    tree, unit = in_preorder(load(name).machine), bundled_games()[name].unit or WINS
    found: dict[tuple[float, ...], float] = defaultdict(float)
    for node, share in enumerate(shares_of(tree)):
        if tree.payoffs[node] >= 0:
            goals = map(float, tree.payoff_table[tree.payoffs[node]])
            found[tuple(map(unit.value, goals))] += share
    return dict(found)


def shares_of(tree: PreorderTree) -> list[float]:
    """(nodes,) the probability of reaching each node."""
    shares = [1.0] * len(tree)
    for node in range(1, len(tree)):
        parent = int(tree.parents[node])
        own = tree.infoset_table[int(tree.infosets[parent])]
        even = 1 / len(own.actions)
        chance = float(own.probabilities[int(tree.actions[node])]) if own.probabilities else even
        shares[node] = shares[parent] * chance
    return shares
