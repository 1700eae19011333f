"""Matches: several declarers play the same random deals against the same defenders.

A deal and its contract follow from the seed and the deal's number alone, and so do the defenders'
draws; so results are paired deal by deal, and the same whatever the number of processes.

Contracts are those that a sensible side bids that sees its own two hands and nothing else:

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

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

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
from fogspiel.cases.bridge.deals import BoardRecord, random_hands
from fogspiel.cases.bridge.double_dummy import needs_endplay, tricks
from fogspiel.cases.bridge.matches.board_play import Pairing, play_board
from fogspiel.cases.bridge.players.catalogue import make_declarer, make_defender
from fogspiel.cases.bridge.players.protocol import Objective, SeesAllHands
from fogspiel.cases.bridge.table import CardTable, Contract, without
from fogspiel.cases.bridge.view import view_of
from fogspiel.core.findings import LimitError
from fogspiel.core.processes import run_each

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


DEALS, PLAYS = 0, 1  #: The purposes for which seeds are drawn
WARM_UP_CARDS = 28


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan:
    """The plan of a match."""

    deals: int
    seed: int
    declarers: tuple[str, ...]
    defence: str = "double-dummy"
    objective: Objective = "tricks"
    worlds: int | None = None
    """Sampled deals, for players that sample them and whose names do not say how many."""

    def pairing(self, declarer: str) -> Pairing:
        """One of the declarers with the defence."""
        return Pairing(
            declarer=declarer, defence=self.defence, objective=self.objective, worlds=self.worlds
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DealResult:
    """The result of one declarer with one deal."""

    number: int
    declarer: str
    contract: str
    tricks: int
    is_made: bool
    double_dummy_before: int
    double_dummy: int
    seconds: float  #: Processor time of all cards of declarer's side
    free_seconds: tuple[float, ...]  #: Processor time of each card where there was a choice

    @property
    def lost(self) -> int:
        """Tricks fewer than double dummy after the lead."""
        return self.double_dummy - self.tricks


def play_match(
    plan: MatchPlan, *, jobs: int = 1, on_deal: Callable[[], None] = lambda: None
) -> list[DealResult]:
    """All results: deal after deal, and in each the declarers as they were named."""
    for name in plan.declarers:
        plan.pairing(name).check()
    needs_endplay()  # here, since a process that starts without it only dies
    died = LimitError.of(
        "BRI034",
        "a process of the match died, most likely for want of memory",
        fix="play with fewer --jobs",
    )
    work = partial(play_numbered, plan)
    prepare = partial(warm_up, plan.declarers, plan.objective, plan.worlds)
    by_number: dict[int, list[DealResult]] = {}
    for number, results in run_each(work, range(plan.deals), jobs=jobs, died=died, prepare=prepare):
        by_number[number] = results
        on_deal()
    return [result for number in sorted(by_number) for result in by_number[number]]


def board_of(seed: int, number: int) -> BoardRecord:
    """A random deal with a sensible contract; deals that would be passed out are dealt again."""
    rng = np.random.default_rng([seed, number, DEALS])
    while True:
        hands = random_hands(rng)
        contract = sensible_contract(stronger_side(hands), rng)
        if contract is not None:
            return BoardRecord(hands=hands, contract=contract, number=number + 1)


def play_numbered(plan: MatchPlan, number: int) -> list[DealResult]:
    """One deal, played by every declarer."""
    board = board_of(plan.seed, number)
    seed = int(np.random.default_rng([plan.seed, number, PLAYS]).integers(1 << 32))
    results = []
    for name in plan.declarers:
        played = plan.pairing(name).play(board, seed)
        results.append(
            DealResult(
                number=number,
                declarer=name,
                contract=str(board.contract),
                tricks=played.tricks,
                is_made=played.is_made,
                double_dummy_before=played.double_dummy_before,
                double_dummy=played.double_dummy,
                seconds=played.seconds,
                free_seconds=tuple(played.free_seconds),
            )
        )
    return results


def warm_up(
    declarers: Iterable[str], objective: Objective = "tricks", worlds: int | None = None
) -> None:
    """Let declarers choose one card late in a deal, so that no measured choice loads code."""
    rng = np.random.default_rng(0)
    record = BoardRecord(hands=random_hands(rng), contract=Contract(1, NOTRUMP, 0))
    guide, defenders = make_declarer("double-dummy"), [make_defender("natural")] * 2
    history = play_board(record, guide, defenders, seed=0).table.history
    hands, table = record.hands, CardTable.start(record.contract)
    for card in history:
        if len(table.history) >= WARM_UP_CARDS and table.is_declarers_turn:
            break
        hands, table = without(hands, table.turn, card), table.play(card)
    for name in declarers:
        declarer = make_declarer(name, objective, worlds)
        if isinstance(declarer, SeesAllHands):
            declarer.reveal(hands)
        declarer.start(0)
        declarer.card(view_of(hands, table))
