"""The choice of a line: the lines of a tree race over the worlds, and weak ones drop out.

The tree is that of Smith and Nau (1993), section 4; a line is one NIL method at the root with all
that follows. All lines are judged on the same worlds, in rounds, and one that is behind by more
than chance explains is dropped: so sure decisions are quick and close ones get more worlds.
Departures: a world is evaluated right after the first card of a line, double dummy. What follows in
the trick is decided when it comes, since the defenders' cards tell something; and one call of the
solver gives the value of every card in a world, which is what makes a decision quick.

Worlds in which a defender's last card would have thrown away a trick count less. This is Bayes'
rule with a defender who makes the best play, double dummy, and slips now and then. It is applied to
the last card only, and late in a deal, where the solver answers at once; and it is a matter of
degree, since real defenders do not see all cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import Card, Hand, Hands, parse_card
from fogspiel.cases.bridge.double_dummy import best_cards
from fogspiel.cases.bridge.sampling import Worlds, all_hands
from fogspiel.cases.bridge.table import CardTable
from fogspiel.cases.bridge.tignum.champion import DOUBT, Challenge, Questions, is_behind
from fogspiel.cases.bridge.tignum.deferred_lead import Postponed
from fogspiel.cases.bridge.view import DeclarerView
from fogspiel.plan.task_network import Method
from fogspiel.plan.tree.nodes import PlanNode, Tasks

ROUND = 4  #: Worlds that are evaluated between two decisions on which lines drop out
FIRST_ROUND = 8  #: Worlds that all lines are judged on
CLOSE = 0.7  #: Standard errors up to which a line counts as good as the best

FALLBACK = "Keeping the small card"
"""The title of methods that play any card, so that none is left out."""

Judge: TypeAlias = Callable[[int, Set[Card]], Mapping[Card, float]]
"""Gives the value of each of some cards in a world."""
SLIP = 0.3  #: The probability of a card that loses a trick, relative to one that does not


@dataclass(slots=True, eq=False)
class SchemeLine:
    """One scheme, instantiated, with its values in the worlds so far."""

    node: PlanNode
    card: Card  #: The card that it plays first
    values: list[float] = field(default_factory=list)
    """Its value in each world, in the order of the worlds."""

    @property
    def method(self) -> Method:
        """The scheme."""
        assert self.node.step is not None
        assert self.node.step.method is not None
        return self.node.step.method

    def mean(self, weights: NDArray[np.float64]) -> float:
        """Its mean value over the worlds that were evaluated."""
        seen = weights[: len(self.values)]
        return float(np.dot(self.values, seen) / seen.sum())


def lines_of(root: PlanNode) -> list[SchemeLine]:
    """The lines of a tree, in order of preference.

    Of those with the same tasks the first counts, and where a scheme plays a card, the fallback
    that plays any card has nothing to add.
    """
    found: list[SchemeLine] = []
    tasks: set[Tasks] = set()
    cards: set[Card] = set()
    for child in root.children:
        line = SchemeLine(child, first_card(child))
        if child.tasks in tasks or (line.method.title == FALLBACK and line.card in cards):
            continue
        found.append(line)
        tasks.add(child.tasks)
        cards.add(line.card)
    return found


def first_card(node: PlanNode) -> Card:
    """The card of ours that a line leads to first: that of its first task."""
    task = node.tasks[0]
    assert not isinstance(task, str)
    card = parse_card(str(task[2]))
    assert card is not None
    return card


def race(
    lines: Sequence[SchemeLine],
    weights: NDArray[np.float64],
    judge: Judge,
    *,
    enough: int,
    exact: bool = False,
    postponed: Postponed | None = None,
    likelihood: CardLikelihood | None = None,
) -> list[SchemeLine]:
    """Judge lines on world after world; returns those still in, best first.

    weights: (worlds,) belief, which `likelihood` changes.
    likelihood: weighs worlds by the defenders' last card.
    enough: worlds after which the race ends if all lines came to the same in each.
    exact: whether these are all worlds there are: then nothing is left to chance, all of them count
    and only equal lines are ranked by preference.
    postponed: looks further where the line in front only puts decisions off.
    """
    if exact:
        _weigh(weights, np.flatnonzero(weights).tolist(), likelihood)
        return _judged_exactly(lines, weights, judge)
    runners = list(lines)
    worlds = [int(world) for world in np.flatnonzero(weights)]
    used = weights[worlds]
    looked = 0
    while looked < len(worlds):
        chunk = worlds[looked : looked + (ROUND if looked else min(FIRST_ROUND, enough))]
        looked += len(chunk)
        _weigh(weights, chunk, likelihood)
        used = weights[worlds]
        _judge(runners, chunk, judge)
        runners = _still_in(runners, used)
        if len({line.card for line in runners}) == 1 or (
            looked >= enough and len({tuple(line.values) for line in runners}) == 1
        ):
            break
    if postponed is not None and not is_settled(runners):
        _take_delays_out(runners, worlds, used, postponed)
    return preferred(runners, used)


def _weigh(
    weights: NDArray[np.float64], worlds: Sequence[int], likelihood: CardLikelihood | None
) -> None:
    """Make worlds less likely in which a defender threw a trick away."""
    if likelihood is not None:
        for world in worlds:
            weights[world] *= likelihood.factor(world)


def _judged_exactly(
    lines: Sequence[SchemeLine], weights: NDArray[np.float64], judge: Judge
) -> list[SchemeLine]:
    worlds = np.flatnonzero(weights)
    _judge(lines, worlds.tolist(), judge)
    # Python's sort is stable: of equal lines the one that is written first stays first.
    return sorted(lines, key=lambda line: -round(line.mean(weights[worlds]), 9))


def _take_delays_out(
    lines: list[SchemeLine],
    worlds: Sequence[int],
    weights: NDArray[np.float64],
    postponed: Postponed,
) -> None:
    """Judge a line that is about to win, and cashes a winner, by what follows the winner."""
    asked: set[Card] = set()
    while (first := preferred(lines, weights)[0]).card not in asked:
        if not postponed.postpones(first.card):
            return
        asked.add(first.card)
        values = postponed.values(first.card, worlds, first.values, weights)
        for line in lines:
            if line.card == first.card:
                line.values = values


def _judge(lines: Sequence[SchemeLine], worlds: Sequence[int], judge: Judge) -> None:
    """Add the values of lines in some worlds."""
    cards = {line.card for line in lines}
    for world in worlds:
        values = judge(world, cards)
        for line in lines:
            line.values.append(values[line.card])


def challenge(
    lines: Sequence[SchemeLine],
    weights: NDArray[np.float64],
    questions: Questions,
    *,
    enough: int,
    postponed: Postponed | None = None,
) -> list[SchemeLine]:
    """The lines that were the best in some world, the one to be played first.

    lines: in order of preference.
    weights: (worlds,) belief.
    enough: worlds after which the race ends if the champion was nowhere beaten.
    postponed: looks further where the line in front only puts decisions off.
    """
    worlds = np.flatnonzero(weights).tolist()
    used = weights[worlds]
    first, *others = dict.fromkeys(line.card for line in lines)
    race = Challenge(first, others, worlds, used, questions)
    while race.looked < len(worlds):
        race.look(ROUND if race.looked else min(FIRST_ROUND, enough))
        race.drop_out()
        if race.looked >= enough and not race.challengers():
            break
    runners = _runners(lines, race)
    asked: set[Card] = set()
    while postponed is not None and (front := preferred(runners, used)[0]).card not in asked:
        if not 0.0 < front.mean(used) < 1.0 or not postponed.postpones(front.card):
            break
        asked.add(front.card)
        race.devalue(front.card, postponed.values(front.card, worlds, front.values, used))
        runners = _runners(lines, race)
    return preferred(runners, used)


def _runners(lines: Sequence[SchemeLine], race: Challenge) -> list[SchemeLine]:
    """The lines of the champion and of its challengers, with their values."""
    cards = {race.champion, *race.challengers()}
    found = [line for line in lines if line.card in cards]
    for line in found:
        line.values = race.seen(line.card).tolist()
    return found


def preferred(lines: list[SchemeLine], weights: NDArray[np.float64]) -> list[SchemeLine]:
    """Best first; but of all that chance may have put behind the best, the one written first.

    Differences below the noise of the sample are better decided by the order in which the
    knowledge base has its schemes than by the sample.
    """
    ranked = sorted(lines, key=lambda line: -round(line.mean(weights), 9))
    close = [line for line in lines if not is_behind(line.values, ranked[0].values, weights, CLOSE)]
    return close + [line for line in ranked if line not in close]


def is_settled(ranked: Sequence[SchemeLine]) -> bool:
    """Whether all lines win in every world, or none in any."""
    values = {value for line in ranked for value in line.values}
    return values in ({0.0}, {1.0})


def by_tricks(
    ranked: Sequence[SchemeLine], weights: NDArray[np.float64], judge: Judge, most: int
) -> list[SchemeLine]:
    """The lines in the order of another judge, on some of the worlds."""
    cards = {line.card for line in ranked}
    if len(cards) == 1:
        return list(ranked)
    values = [judge(int(world), cards) for world in np.flatnonzero(weights)[:most]]
    sums = {card: sum(value[card] for value in values) for card in cards}
    return sorted(ranked, key=lambda line: -round(sums[line.card], 9))


def _still_in(lines: list[SchemeLine], weights: NDArray[np.float64]) -> list[SchemeLine]:
    """The lines that may still be best."""
    best = max(lines, key=lambda line: round(line.mean(weights), 9))
    return [line for line in lines if not is_behind(line.values, best.values, weights, DOUBT)]


@dataclass(frozen=True, slots=True)
class _Moment:
    """The table just before a defender's card."""

    table: CardTable
    card: Card
    since: tuple[Hand, Hand, Hand, Hand]  #: The cards that each seat has played from then on


@dataclass(frozen=True, slots=True)
class CardLikelihood:
    """Weighs worlds one by one: the solver is called for those alone that are evaluated."""

    moment: _Moment
    hands: Sequence[Hands]  #: (worlds,) the hands as they are now

    @classmethod
    def of(cls, view: DeclarerView, worlds: Worlds) -> CardLikelihood:
        """The likelihood of the defenders' last card."""
        return cls(_last_moment(view.table), all_hands(view, worlds))

    def factor(self, world: int) -> float:
        """The probability of the defenders' last card in a world, relative to the best one."""
        moment = self.moment
        north, east, south, west = (
            held | since for held, since in zip(self.hands[world], moment.since, strict=True)
        )
        hands = north, east, south, west
        if moment.table.legal(hands[moment.table.turn]).bit_count() == 1:
            return 1.0
        _, best = best_cards(hands, moment.table)
        return 1.0 if best >> moment.card & 1 else SLIP


def _last_moment(table: CardTable) -> _Moment:
    """The last turn of a defender."""
    tables = [CardTable.start(table.contract)]
    for card in table.history:
        tables.append(tables[-1].play(card))
    since = [0, 0, 0, 0]
    for before, card in zip(reversed(tables[:-1]), reversed(table.history), strict=True):
        since[before.turn] |= 1 << card
        if not before.is_declarers_turn:
            return _Moment(before, card, (since[0], since[1], since[2], since[3]))
    raise ValueError("declarer never plays before a defender has led")
