"""The double-dummy solver: the value of a deal if all four players see all cards.

The solver is Bo Haglund's DDS, which the package `endplay` brings along. It is called through
endplay's low-level binding: its high-level one makes an object of every card.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from fogspiel.cases.bridge.cards import (
    SEAT_NAMES,
    SUIT_MASK,
    Card,
    Hand,
    Hands,
    rank_of,
    suit_of,
)
from fogspiel.cases.bridge.table import CardTable
from fogspiel.core.findings import PlayError, UsageError

BINDING = "endplay._dds"
BEST = -1  #: The target that asks for as many tricks as can be made
ONE_CARD, BEST_CARDS, ALL_CARDS = 1, 2, 3
ALWAYS_SEARCH = 1  #: The solver would else leave out the score where a hand has one card to play

# The solver's memory belongs to the number of a thread, and we use number 0 for all of them.
_lock = threading.Lock()


def tricks(hands: Hands, table: CardTable) -> int:
    """Tricks of declarer's side at the end of play, those won so far included.

    hands: what each seat holds now, without the cards of the trick that is being played.
    """
    left = tricks_left(hands, table)
    if not left:
        return table.won
    found = _solve(hands, table, BEST, ONE_CARD)
    return _of_declarer(found.score[0], left, table)


def card_tricks(hands: Hands, table: CardTable) -> dict[Card, int]:
    """Tricks of declarer's side after each legal card of the player to move, lowest card first."""
    left = tricks_left(hands, table)
    if not left:
        return {}
    found = _solve(hands, table, BEST, ALL_CARDS)
    values: dict[Card, int] = {}
    for entry in range(found.cards):
        value = _of_declarer(found.score[entry], left, table)
        ranks = 1 << found.rank[entry] | found.equals[entry]
        first = 13 * found.suit[entry] - 2
        values |= {first + rank: value for rank in range(2, 15) if ranks >> rank & 1}
    return dict(sorted(values.items()))


def is_made(hands: Hands, table: CardTable) -> bool:
    """Whether the contract is made; quicker than to ask for the number of tricks."""
    return is_reached(hands, table, table.contract.needed)


def is_reached(hands: Hands, table: CardTable, total: int) -> bool:
    """Whether declarer's side gets a number of tricks, those won so far included."""
    left = tricks_left(hands, table)
    needed = total - table.won
    if needed <= 0 or needed > left:
        return needed <= 0
    ours = table.is_declarers_turn
    target = needed if ours else left - needed + 1
    score: int = _solve(hands, table, target, ONE_CARD).score[0]
    return (score >= target) == ours


def best_cards(hands: Hands, table: CardTable) -> tuple[int, Hand]:
    """Tricks of declarer's side, and the cards with which the one to play gets them.

    Quicker than `card_tricks`, since nobody asks what the other cards lose.
    """
    found = _solve(hands, table, BEST, BEST_CARDS)
    return _of_declarer(found.score[0], tricks_left(hands, table), table), _cards(found)


def making_cards(hands: Hands, table: CardTable) -> Hand:
    """The cards of declarer's side that keep the contract makeable."""
    return reaching_cards(hands, table, table.contract.needed)


def reaching_cards(hands: Hands, table: CardTable, total: int) -> Hand:
    """The cards with which declarer's side, whose turn it is, gets a number of tricks."""
    needed = total - table.won
    if needed <= 0:
        return table.legal(hands[table.turn])
    if needed > tricks_left(hands, table):
        return 0
    found = _solve(hands, table, needed, BEST_CARDS)
    return _cards(found) if found.score[0] >= needed else 0


def _cards(found: Any) -> Hand:
    """The cards that the solver names, with those equal to them."""
    cards = 0
    for entry in range(found.cards):
        ranks = 1 << found.rank[entry] | found.equals[entry]
        cards |= ranks >> 2 << 13 * found.suit[entry]
    return cards


def tricks_left(hands: Hands, table: CardTable) -> int:
    """Tricks still to be won: the one that is being played, and those after it."""
    return hands[table.turn].bit_count()


def _of_declarer(score: int, left: int, table: CardTable) -> int:
    """The solver counts for the side of the one to play, from here on."""
    return table.won + (score if table.is_declarers_turn else left - score)


def _solve(hands: Hands, table: CardTable, target: int, solutions: int) -> Any:
    """The solver's `futureTricks`."""
    solver = _solver()
    if not _fits(hands, table):
        raise _refused(hands, table, "the hands do not fit the play")
    position, found = solver.deal(), solver.futureTricks()
    position.trump = table.contract.denomination
    position.first = table.trick_leader
    for place, card in enumerate(table.trick):
        position.currentTrickSuit[place] = suit_of(card)
        position.currentTrickRank[place] = rank_of(card) + 2
    for row, hand in zip(position.remainCards, hands, strict=True):
        # Bit r stands for rank r, from 2 to 14, where ours counts from 0.
        row[0] = (hand & SUIT_MASK) << 2
        row[1] = (hand >> 13 & SUIT_MASK) << 2
        row[2] = (hand >> 26 & SUIT_MASK) << 2
        row[3] = (hand >> 39 & SUIT_MASK) << 2
    try:
        with _lock:
            solver.SolveBoard(position, target, solutions, ALWAYS_SEARCH, found, 0)
    except solver.DDSError as error:
        raise _refused(hands, table, str(error)) from None
    return found


def _fits(hands: Hands, table: CardTable) -> bool:
    """Whether the cards can be those of a game. The solver itself takes a card short, or twice."""
    north, east, south, west = hands
    left = tricks_left(hands, table)
    in_trick = len(table.trick)
    together = (north | east | south | west).bit_count()
    return together == 4 * left - in_trick and all(
        hands[(table.turn + place) % 4].bit_count() == left - (place >= 4 - in_trick)
        for place in range(4)
    )


def needs_endplay() -> None:
    """Raise `UsageError` BRI001 where endplay is not installed, or has no library."""
    _solver()


@cache
def _solver() -> Any:
    """The binding, told to keep to one thread: who wants more cores starts more processes."""
    try:
        binding = sys.modules.get(BINDING) or _load_binding()
    except (ImportError, OSError, RuntimeError) as error:
        raise _missing(error) from None
    binding.SetMaxThreads(1)
    assert ctypes.sizeof(binding.deal) == 96, "another layout than that of endplay 0.5"
    return binding


def _load_binding() -> ModuleType:
    """The binding alone: endplay's front door imports a plotting library, for most of a second."""
    package = find_spec("endplay")
    places = package.submodule_search_locations if package else None
    file = Path(places[0]) / "_dds" / "__init__.py" if places else None
    spec = spec_from_file_location(BINDING, file) if file else None
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("No module named 'endplay'")
    binding = module_from_spec(spec)
    spec.loader.exec_module(binding)
    # endplay, if it is imported later, is to use the same: it sets up the solver's memory.
    sys.modules[BINDING] = binding
    return binding


def _missing(error: Exception) -> UsageError:
    why = "" if isinstance(error, ModuleNotFoundError) else f": {str(error).splitlines()[0]}"
    return UsageError.of(
        "BRI001",
        f"bridge needs endplay, which is not installed or cannot be loaded{why}",
        fix="run `pip install 'fogspiel[bridge]'`",
    )


def _refused(hands: Hands, table: CardTable, why: str) -> PlayError:
    counts = ", ".join(
        f"{name} {hand.bit_count()}" for name, hand in zip(SEAT_NAMES, hands, strict=True)
    )
    return PlayError.of(
        "BRI002",
        f"the double-dummy solver refuses this position: {why}; "
        f"cards left: {counts}; {len(table.trick)} in the trick",
        fix="give the hands as they are after the cards played: as many in each hand as "
        "tricks to come, and no card twice",
    )
