"""Inference from the play: cards that can only be in one place, and how probable a deal is.

Certain knowledge is in the counts: a defender who did not follow has no more of that suit, so the
other one has all of it; and a defender whose other cards are all known has none of the rest.

The rest is Bayes' rule. A deal is as probable as the defenders' plays are in it, under a model of
how they choose which says little, and nothing that is not usual:

- Following suit, equal cards (those between them are played, or in the same hand) are played
  equally often: a hand with n equals plays a given one of them with probability 1/n. This is the
  principle of restricted choice. Small cards, those below the nine, count as equals whatever lies
  between them, and half of the defenders follow with the lowest of them.
- Following suit, nobody throws a higher card than needed under one that has beaten it already:
  a hand does so in `WASTES` of the cases in which it has a lower card that is not its equal.
- The opening lead mostly follows convention: `leads`.
- Other leads, who takes a trick that could be taken, discards and ruffs tell nothing.

The gain was measured as the mean of log2(p / q), where p and q are the probabilities of
the true deal with the weights and without, after two to eight tricks: +1.20 ± 0.26 bits against
defenders who play by rules (100 deals), +1.08 ± 0.32 against those who see all cards (60 deals).

Source: the principle of restricted choice is Reese's (The Expert Game, 1958).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogspiel.cases.bridge.cards import Hand, suit_cards, suit_of
from fogspiel.cases.bridge.leads import lead_probabilities
from fogspiel.cases.bridge.table import plays_of, winner_of
from fogspiel.cases.bridge.view import DeclarerView
from fogspiel.core.native import native

HIGHEST_SMALL = 6  #: The rank of an eight
WASTES = 1 / 20
FOLLOW_LOW = 1 / 2
"""The part of the defenders who follow with the lowest of small cards, the others with any."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Unseen cards that must be in one hand."""

    left: Hand
    right: Hand


def placed(view: DeclarerView) -> Placed:
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


def likelihoods(
    view: DeclarerView, left: NDArray[np.uint64], right: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """(worlds,) probabilities of these deals, given the defenders' plays; they sum to 1.

    left, right: (worlds,) the defenders' remaining cards. All are equally probable before the play.
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
    """Plays of defenders who followed suit."""

    numbers: NDArray[np.int64]
    """(plays, 3) the defender (0 left, 1 right), the card, and 1 if it beat all cards before."""
    sets: NDArray[np.uint64]
    """(plays, 2) what the defender played then or later; what all had played before."""


def _free_plays(view: DeclarerView) -> _FreePlays:
    numbers, sets = [], []
    before = 0
    yet_to_play = {view.left: view.played_by(view.left), view.right: view.played_by(view.right)}
    history = view.table.history
    for place, play in enumerate(plays_of(view.table)):
        if play.seat in yet_to_play:
            later = yet_to_play[play.seat]
            if suit_of(play.card) == suit_of(play.led) and place % 4:
                trick = history[place // 4 * 4 : place + 1]
                beats = winner_of(trick, view.table.contract.denomination) == place % 4
                numbers.append((int(play.seat == view.right), play.card, int(beats)))
                sets.append((later, before))
            yet_to_play[play.seat] = later & ~(1 << play.card)
        before |= 1 << play.card
    return _FreePlays(
        np.array(numbers, np.int64).reshape(-1, 3), np.array(sets, np.uint64).reshape(-1, 2)
    )


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
            seat, card, beats = numbers[play]
            hand = (right[world] if seat else left[world]) | sets[play, 0]
            first = np.uint64(card // 13 * 13)
            held = (hand >> first) & np.uint64(0x1FFF)
            gone = (sets[play, 1] >> first) & np.uint64(0x1FFF)
            rank = card % 13
            equals, lowest = _equals(held, gone, rank)
            low = FOLLOW_LOW if lowest <= HIGHEST_SMALL else 0.0
            weights[world] *= (1.0 - low) / equals + (low if rank == lowest else 0.0)
            below = held & ((np.uint64(1) << np.uint64(lowest)) - np.uint64(1))
            if below and not beats:
                weights[world] *= WASTES


@native
def _equals(held: np.uint64, gone: np.uint64, rank: int) -> tuple[int, int]:
    """The number of held cards of a suit that are equal to one of them; and their lowest."""
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
