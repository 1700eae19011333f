"""A sensible contract for a side that sees its own two hands and nothing else.

The rule, for matches over random deals:

1. The side with more high-card points declares; with 20 each, North and South.
2. It looks at its longest major and its longest minor, if they have `FIT` cards, and at notrump.
   In a suit the hand with more of its cards declares, in notrump the hand with more points (the
   first of the two from North on, if they are equal).
3. For each of these, the mean of double-dummy tricks over `LAYOUTS` random deals of the other 26
   cards says how high to bid: a grand slam or a small one if the mean comes within `SLAM_MARGIN`
   of what it needs, game within `GAME_MARGIN`, else as many tricks as the mean has in full, below
   game. With a mean below `LEAST_TRICKS` it passes.
4. Of these contracts it takes the one with the highest mean score over the same layouts.

The defenders' real cards play no part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogspiel.cases.bridge.cards import (
    DECK,
    HAND_SIZE,
    NOTRUMP,
    Hand,
    Hands,
    Seat,
    cards_of,
    hand_of,
    hands_by_seat,
    length,
    points,
)
from fogspiel.cases.bridge.double_dummy import tricks
from fogspiel.cases.bridge.table import CardTable, Contract

FIT = 8
LAYOUTS = 6
SLAM_MARGIN, GAME_MARGIN, LEAST_TRICKS = 0.2, 0.4, 6.5
GAME_LEVELS = (4, 4, 5, 5, 3)  #: The level that earns the bonus for a game, by denomination


@dataclass(frozen=True, slots=True)
class Partnership:
    """Two partners with their hands."""

    first: Seat  #: North or East
    hands: tuple[Hand, Hand]

    @property
    def both(self) -> Hand:
        """All cards of the side."""
        return self.hands[0] | self.hands[1]


def stronger_side(hands: Hands) -> Partnership:
    """The side with more points."""
    first = 0 if points(hands[0] | hands[2]) >= 20 else 1
    return Partnership(first, (hands[first], hands[first + 2]))


def sensible_contract(side: Partnership, rng: np.random.Generator) -> Contract | None:
    """The contract that a side bids on its own cards; None if it passes."""
    layouts = _layouts(side, rng)
    best, best_score = None, -1e9
    for denomination in _denominations(side):
        declarer = _declarer(side, denomination)
        table = CardTable.start(Contract(1, denomination, declarer))
        made = np.array([tricks(hands, table) for hands in layouts])
        level = _level(float(made.mean()), denomination)
        if level is None:
            continue
        contract = Contract(level, denomination, declarer)
        mean = float(np.mean([score(contract, int(count)) for count in made]))
        if mean > best_score:
            best, best_score = contract, mean
    return best


def score(contract: Contract, won: int) -> int:
    """Points of duplicate bridge for a contract that is neither doubled nor vulnerable."""
    if won < contract.needed:
        return -50 * (contract.needed - won)
    a_trick = 20 if contract.denomination in (2, 3) else 30
    extra = 10 if contract.denomination == NOTRUMP else 0
    bid = contract.level * a_trick + extra
    bonus = 300 if bid >= 100 else 50
    bonus += {6: 500, 7: 1000}.get(contract.level, 0)
    return bid + bonus + (won - contract.needed) * a_trick


def _layouts(side: Partnership, rng: np.random.Generator) -> list[Hands]:
    """Random deals of the cards that the side does not see."""
    unseen = np.fromiter(cards_of(DECK & ~side.both), np.int64)
    seats = (side.first, side.first + 2, 1 - side.first, 3 - side.first)
    found = []
    for _ in range(LAYOUTS):
        mixed = rng.permutation(unseen)
        hands = (*side.hands, hand_of(mixed[:HAND_SIZE]), hand_of(mixed[HAND_SIZE:]))
        found.append(hands_by_seat(dict(zip(seats, hands, strict=True))))
    return found


def _denominations(side: Partnership) -> list[int]:
    """The longest major and minor that are long enough, and notrump; a tie is the higher suit's."""
    found = []
    for pair in ((0, 1), (2, 3)):
        longest = max(pair, key=lambda suit: length(side.both, suit))
        if length(side.both, longest) >= FIT:
            found.append(longest)
    return [*found, NOTRUMP]


def _declarer(side: Partnership, denomination: int) -> Seat:
    one, other = side.hands
    if denomination == NOTRUMP:
        return side.first + 2 * (points(other) > points(one))
    return side.first + 2 * (length(other, denomination) > length(one, denomination))


def _level(mean: float, denomination: int) -> int | None:
    if mean < LEAST_TRICKS:
        return None
    for level in (7, 6):
        if mean >= level + 6 - SLAM_MARGIN:
            return level
    game = GAME_LEVELS[denomination]
    if mean >= game + 6 - GAME_MARGIN:
        return game
    return max(1, min(int(mean) - 6, game - 1))
