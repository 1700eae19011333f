"""What the play tells declarer: cards that can only be in one place, and how probable a deal is.

Certain knowledge is in the counts: a defender who did not follow has no more of that suit, so the
other one has all of it; and a defender whose other cards are all known has none of the rest.

The rest is Bayes' rule. A deal is as probable as the defenders' plays are in it, under a model of
how they choose which says little, and nothing that is not usual:

- Equal cards (those between them are played, or in the same hand) are played alike often. So are
  small cards, those below the nine, whatever lies between them. A hand with n equals plays a given
  one of them with probability 1/n: the principle of restricted choice.
- Following suit, nobody throws a higher card than needed under one that has beaten it already:
  that happens in one of `WASTES` plays of a hand that also has a lower card which is not its equal.
- The opening lead mostly follows convention: `leads`.
- Which card wins a trick that could be won, and what is discarded or ruffed with, tells nothing.

Source: the principle of restricted choice is Reese's (The Expert Game, 1958).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.core.native import native
from fogspiel.plan.bridge.cards import Hand, suit_cards, suit_of
from fogspiel.plan.bridge.leads import lead_probabilities
from fogspiel.plan.bridge.table import winner_of
from fogspiel.plan.bridge.view import View, plays_of

HIGHEST_SMALL = 6
"""The rank of an eight."""
WASTES = 1 / 20
LEAD, FOLLOW, WIN = 0, 1, 2
"""Kinds of plays: a lead, a card that is beaten when it is played, one that takes the lead."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Unseen cards that must be in one hand."""

    left: Hand
    right: Hand


def placed(view: View) -> Placed:
    """The cards whose place is certain, from voids and counts alone."""
    left = right = 0
    for suit in range(4):
        if suit in view.shown_out(view.right):
            left |= suit_cards(view.unseen, suit)
        elif suit in view.shown_out(view.left):
            right |= suit_cards(view.unseen, suit)
    rest = view.unseen & ~(left | right)
    if left.bit_count() == view.cards_left(view.left):
        right |= rest
    elif right.bit_count() == view.cards_left(view.right):
        left |= rest
    return Placed(left, right)


def vacant_places(view: View) -> tuple[int, int]:
    """Places for unknown cards in the hands of the left and the right defender.

    Without limits and before Bayes' rule, an unplaced card is in a hand with probability in
    proportion to these.
    """
    known = placed(view)
    return (
        view.cards_left(view.left) - known.left.bit_count(),
        view.cards_left(view.right) - known.right.bit_count(),
    )


def likelihoods(
    view: View, left: NDArray[np.uint64], right: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """(worlds,) how probable the defenders' plays make each of these deals; they sum to 1.

    left, right: (worlds,) what the defenders still hold. All are as probable before the play.
    """
    weights = np.ones(len(left))
    history = view.table.history
    if view.habits.equals:
        plays = _free_plays(view)
        _weigh_plays(plays.numbers, plays.sets, left, right, weights)
    if view.habits.leads and history:
        dealt = left | np.uint64(view.played_by(view.left))
        weights *= lead_probabilities(dealt, history[0], view.table.contract.denomination)
    return np.asarray(weights / weights.sum())


@dataclass(frozen=True, slots=True)
class _FreePlays:
    """Plays of defenders in which they chose among cards of a suit."""

    numbers: NDArray[np.int64]
    """(plays, 3) the defender (0 left, 1 right), the card, and the kind of play."""
    sets: NDArray[np.uint64]
    """(plays, 2) what the defender played then or later; what all had played before."""


def _free_plays(view: View) -> _FreePlays:
    numbers, sets = [], []
    before = later = 0
    yet_to_play = {view.left: view.played_by(view.left), view.right: view.played_by(view.right)}
    history = view.table.history
    for place, play in enumerate(plays_of(view.table)):
        if play.seat in yet_to_play:
            later = yet_to_play[play.seat]
            is_conventional = place == 0 and view.habits.leads
            if suit_of(play.card) == suit_of(play.led) and not is_conventional:
                start = place // 4 * 4
                kind = _kind(history[start : place + 1], view.table.contract.denomination)
                numbers.append((int(play.seat == view.right), play.card, kind))
                sets.append((later, before))
            yet_to_play[play.seat] = later & ~(1 << play.card)
        before |= 1 << play.card
    return _FreePlays(
        np.array(numbers, np.int64).reshape(-1, 3), np.array(sets, np.uint64).reshape(-1, 2)
    )


def _kind(trick: tuple[int, ...], trump: int) -> int:
    if len(trick) == 1:
        return LEAD
    return WIN if winner_of(trick, trump) == len(trick) - 1 else FOLLOW


@native
def _weigh_plays(
    numbers: NDArray[np.int64],
    sets: NDArray[np.uint64],
    left: NDArray[np.uint64],
    right: NDArray[np.uint64],
    weights: NDArray[np.float64],
) -> None:
    """Multiply weights by the probability of every play."""
    for world in range(len(weights)):
        for play in range(len(numbers)):
            seat, card, kind = numbers[play]
            hand = (right[world] if seat else left[world]) | sets[play, 0]
            first = np.uint64(card // 13 * 13)
            held = (hand >> first) & np.uint64(0x1FFF)
            gone = (sets[play, 1] >> first) & np.uint64(0x1FFF)
            equals, lowest = _equals(held, gone, card % 13)
            if equals > 1:
                weights[world] /= equals
            below = held & ((np.uint64(1) << np.uint64(lowest)) - np.uint64(1))
            if kind == FOLLOW and below:
                weights[world] *= WASTES


@native
def _equals(held: np.uint64, gone: np.uint64, rank: int) -> tuple[int, int]:
    """How many held cards of a suit are equal to one of them, itself counted; and their lowest."""
    count, lowest = 1, rank
    for step in (1, -1):
        at = rank + step
        while 0 <= at < 13:
            bit = np.uint64(1) << np.uint64(at)
            if held & bit:
                count += 1
                lowest = min(lowest, at)
            elif not (gone & bit) and at > HIGHEST_SMALL:
                break
            at += step
    return count, lowest
