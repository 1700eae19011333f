"""Matches: several declarers play the same random deals against the same defenders.

A deal and its contract follow from the seed and the deal's number alone, and so do the defenders'
draws; so results are paired deal by deal, and the same whatever the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from fogspiel.cases.bridge.cards import NOTRUMP
from fogspiel.cases.bridge.contracts import sensible_contract, stronger_side
from fogspiel.cases.bridge.deals import BoardRecord, random_hands
from fogspiel.cases.bridge.double_dummy import needs_endplay
from fogspiel.cases.bridge.matches.board_play import Pairing, play_board
from fogspiel.cases.bridge.players.catalogue import make_declarer, make_defender
from fogspiel.cases.bridge.players.protocol import Objective, SeesAllHands
from fogspiel.cases.bridge.table import CardTable, Contract, without
from fogspiel.cases.bridge.view import view_of
from fogspiel.core.findings import LimitError
from fogspiel.core.processes import run_each

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
