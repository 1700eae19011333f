"""A board that is to be played, or was: the deal, the contract, and the cards played."""

from __future__ import annotations

from dataclasses import dataclass

from fogspiel.cases.bridge.cards import Card, Seat
from fogspiel.cases.bridge.deals import play_cards
from fogspiel.cases.bridge.double_dummy import Hands
from fogspiel.cases.bridge.table import CardTable, Contract
from fogspiel.cases.bridge.view import NO_LIMITS, HandLimits


@dataclass(frozen=True, slots=True)
class OtherTag:
    """A tag that is passed through."""

    name: str
    value: str
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRecord:
    """A board: a deal with its contract, and as much of the play as is written down."""

    hands: Hands
    """As they were dealt."""
    contract: Contract
    play: tuple[Card, ...] = ()
    """In the order of play; the first is the opening lead."""
    number: int | None = None
    dealer: Seat | None = None
    vulnerable: str | None = None
    """`None`, `NS`, `EW` or `All`."""
    calls: tuple[str, ...] = ()
    limits: tuple[HandLimits, ...] = (NO_LIMITS,) * 4
    """What is known of each hand by the auction or by tags: North, East, South, West."""
    tags: tuple[OtherTag, ...] = ()

    @property
    def lead(self) -> Card | None:
        """The opening lead, if it is known."""
        return self.play[0] if self.play else None

    @property
    def defenders_limits(self) -> tuple[HandLimits, HandLimits]:
        """Of the defenders to the left and to the right of declarer."""
        declarer = self.contract.declarer
        return self.limits[(declarer + 1) % 4], self.limits[(declarer + 3) % 4]

    @property
    def table(self) -> CardTable:
        """After all that was played."""
        return play_cards(self.hands, self.contract, self.play)

    def tag(self, name: str) -> str | None:
        """The value of another tag; None if there is none of that name."""
        return next((tag.value for tag in self.tags if tag.name == name), None)
