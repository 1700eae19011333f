"""A deal played from the opening lead to the last trick, every card checked against the rules.

Declarer and each defender are shown their views; those that look into all hands are shown them, and
nobody else is. Declarer's choices are measured in processor time.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fogspiel.cases.bridge.cards import SEAT_NAMES, Card, Hand, Hands, Seat, card_name
from fogspiel.cases.bridge.deals import BoardRecord
from fogspiel.cases.bridge.double_dummy import tricks
from fogspiel.cases.bridge.players.catalogue import make_declarer, make_defender
from fogspiel.cases.bridge.players.protocol import (
    Declarer,
    Defender,
    Objective,
    SeesAllHands,
    TellsSchemes,
)
from fogspiel.cases.bridge.table import CardTable, equal_groups, without
from fogspiel.cases.bridge.view import DeclarerView, DefenderView, Habits, view_of
from fogspiel.core.findings import PlayError


@dataclass(frozen=True, slots=True)
class CardDecision:
    """A card of declarer's side."""

    seat: Seat
    card: Card
    seconds: float  #: Processor time that declarer took
    is_free: bool  #: Whether there was anything to choose: at least two cards that are not equals
    scheme: str  #: The scheme to which it belonged, if declarer tells


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedDeal:
    """A deal that was played, with its double-dummy results."""

    record: BoardRecord  #: The board with all 52 cards
    table: CardTable  #: The table after the last card
    decisions: tuple[CardDecision, ...]
    double_dummy_before: int  #: Tricks of declarer's side with best play of all, before the lead
    double_dummy: int  #: Tricks of declarer's side with best play of all, after the lead

    @property
    def tricks(self) -> int:
        """Tricks that declarer's side won."""
        return self.table.won

    @property
    def is_made(self) -> bool:
        """Whether the contract was made."""
        return self.table.won >= self.record.contract.needed

    @property
    def lost(self) -> int:
        """Tricks fewer than double dummy after the lead; below 0 if the defence gave some."""
        return self.double_dummy - self.table.won

    @property
    def seconds(self) -> float:
        """Processor time of all of declarer's cards."""
        return sum(decision.seconds for decision in self.decisions)

    @property
    def free_seconds(self) -> list[float]:
        """Processor time of each card where there was a choice."""
        return [decision.seconds for decision in self.decisions if decision.is_free]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """A declarer and a defence by their names, with what they play for."""

    declarer: str
    defence: str
    objective: Objective = "tricks"
    worlds: int | None = None
    """Sampled deals, for players that sample them and whose names do not say how many."""

    def check(self) -> None:
        """Raise `UsageError` for a name that nobody has."""
        make_declarer(self.declarer)
        make_defender(self.defence)

    def play(self, record: BoardRecord, seed: int) -> PlayedDeal:
        """Play a deal to the end."""
        return play_board(
            record,
            make_declarer(self.declarer, self.objective, self.worlds),
            [make_defender(self.defence, self.objective, self.worlds) for _ in range(2)],
            seed=seed,
            names=(self.declarer, self.defence),
        )


def play_board(
    record: BoardRecord,
    declarer: Declarer,
    defenders: Sequence[Defender],
    *,
    seed: int,
    habits: Habits | None = None,
    names: tuple[str, str] = ("declarer", "the defence"),
) -> PlayedDeal:
    """Play a deal to the end; of the cards that a record may hold, the opening lead counts.

    habits: how declarer is to take the defenders to choose their cards.
    defenders: two players, for the seats on declarer's left and right.
    names: of declarer and the defence, for the message about an illegal card.
    """
    left = record.contract.leader
    # The defenders' draws do not depend on who declares: matches compare on equal terms.
    declarer.start(seed)
    for defender in defenders:
        defender.start(seed)
    hands, table = record.hands, CardTable.start(record.contract)
    before = after = tricks(hands, table)
    decisions: list[CardDecision] = []
    while not table.is_over:
        seat = table.turn
        if table.is_declarers_turn:
            view = view_of(hands, table, record.defenders_limits, habits)
            decision = _decide(declarer, view, hands)
            decisions.append(decision)
            card, who = decision.card, names[0]
        elif not table.history and record.lead is not None:
            card, who = record.lead, "the opening leader"
        else:
            defender = defenders[0 if seat == left else 1]
            card, who = _defend(defender, hands, table), names[1]
        _check(card, hands[seat], table, who)
        hands, table = without(hands, seat, card), table.play(card)
        if len(table.history) == 1:
            after = tricks(hands, table)
    return PlayedDeal(
        record=replace(record, play=table.history),
        table=table,
        decisions=tuple(decisions),
        double_dummy_before=before,
        double_dummy=after,
    )


def _decide(declarer: Declarer, view: DeclarerView, hands: Hands) -> CardDecision:
    table = view.table
    hand = hands[table.turn]
    is_free = len(equal_groups(hand, table.legal(hand), table)) > 1
    if isinstance(declarer, SeesAllHands):
        declarer.reveal(hands)
    began = time.process_time()
    card = declarer.card(view)
    seconds = time.process_time() - began
    scheme = declarer.scheme if isinstance(declarer, TellsSchemes) else ""
    return CardDecision(table.turn, card, seconds, is_free, scheme)


def _defend(defender: Defender, hands: Hands, table: CardTable) -> Card:
    dummy_hand = hands[table.contract.dummy] if table.history else 0
    if isinstance(defender, SeesAllHands):
        defender.reveal(hands)
    return defender.card(DefenderView(table, table.turn, hands[table.turn], dummy_hand))


def _check(card: Card, hand: Hand, table: CardTable, who: str) -> None:
    if not 0 <= card < 52 or not table.legal(hand) >> card & 1:
        shown = card_name(card) if 0 <= card < 52 else str(card)
        raise PlayError.of(
            "BRI030",
            f"{who} played {shown} for {SEAT_NAMES[table.turn]}, "
            "which does not hold it or must follow suit",
            fix="this is a fault of that player: let another one play, and report it",
        )
