"""Records of boards from the tags of a PBN file.

Texts are checked here, where their places are known. Which calls and cards they come to is then
endplay's to say, which knows the ways in which sections are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from fogspiel.cases.bridge.auction import (
    DOUBLE,
    PASS,
    REDOUBLE,
    check_calls,
    contract_of,
    limits_from_auction,
)
from fogspiel.cases.bridge.cards import (
    DENOMINATIONS,
    SEAT_NAMES,
    SEATS,
    Card,
    Hands,
    Seat,
    parse_card,
)
from fogspiel.cases.bridge.deals import (
    BoardRecord,
    OtherTag,
    first_fault,
    no_card,
    parse_contract,
    parse_hands,
    parse_seat,
)
from fogspiel.cases.bridge.hand_limits import NO_LIMITS, HandLimits, overridden, parse_limits
from fogspiel.cases.bridge.pbn.scan import PbnWord, Tag, broken
from fogspiel.cases.bridge.table import Contract
from fogspiel.core.findings import Finding, RulesError
from fogspiel.core.source import Source, Span

READ = {
    "Board",
    "Dealer",
    "Vulnerable",
    "Deal",
    "Declarer",
    "Contract",
    "Result",
    "Auction",
    "Play",
}
"""Tags whose meaning is read; writing makes them anew."""
UNKNOWN = ("", "?", "-")
VULNERABLE = {"none": "None", "love": "None", "ns": "NS", "ew": "EW", "all": "All", "both": "All"}
CALL = re.compile(r"(?:pass|p|ap|xx?|[1-7](?:nt?|[shdc]))[!?]*", re.IGNORECASE)
ANNOTATION = re.compile(r"=\d+=|\$\d+|[!?]+|\^\w*")  #: Annotations of a call or a card
END, NOT_PLAYED = ("*", "+"), "-"

_Result = TypeVar("_Result")


def attempt(findings: list[Finding], function: Callable[[], _Result]) -> _Result | None:
    """The result of a function; None, with its findings added, if it raises `RulesError`."""
    try:
        return function()
    except RulesError as error:
        findings.extend(error.findings)
        return None


def record_from(source: Source, tags: Sequence[Tag]) -> BoardRecord:
    """The record of a board. Raises `RulesError` with all of its faults."""
    board = _Board(source, tags)
    found = board.record()
    if found is None:
        raise RulesError(board.findings)
    return found


class _Board:
    """The tags of one board, with their faults."""

    def __init__(self, source: Source, tags: Sequence[Tag]) -> None:
        self.findings: list[Finding] = []
        self._source = source
        self._all = tags
        self._tags = {tag.name: tag for tag in reversed(tags)}
        """Tags by name; of several with one name the first counts."""

    def record(self) -> BoardRecord | None:
        """The record, unless there are findings."""
        self._require("Deal")
        dealer = self._dealer()
        calls = self._calls(dealer)
        hands = self._at("Deal", parse_hands)
        contract = self._contract(calls, dealer)
        words = self._words_of_limits()
        number = self._number()
        if hands is None or contract is None or self.findings:
            return None
        play = self._play(hands, contract)
        if self.findings:
            return None
        shown = [NO_LIMITS] * 4
        if dealer is not None:
            shown = [limits_from_auction(calls, dealer, seat) for seat in range(4)]
        return BoardRecord(
            hands=hands,
            contract=contract,
            play=play,
            number=number,
            dealer=dealer,
            vulnerable=VULNERABLE.get(self._value("Vulnerable").lower()),
            calls=calls,
            limits=tuple(overridden(*pair) for pair in zip(shown, words, strict=True)),
            tags=self._others(),
        )

    def _others(self) -> tuple[OtherTag, ...]:
        """Other tags, each once, without those for unknown values and notes to single calls."""
        kept: dict[str, OtherTag] = {}
        for tag in self._all:
            if tag.name not in READ | {"Note"} and tag.value != "?":
                rows = tuple(" ".join(word.text for word in row) for row in tag.rows)
                kept.setdefault(tag.name, OtherTag(tag.name, tag.value, rows))
        return tuple(kept.values())

    def _value(self, name: str) -> str:
        return self._tags[name].value.strip() if name in self._tags else ""

    def _require(self, name: str) -> None:
        if self._value(name) in UNKNOWN:
            tag = self._tags.get(name, self._all[0])
            fix = f'add [{name} "…"]; Deal, Contract and Declarer are needed'
            finding = Finding("BRI016", f"the board has no {name}", fix=fix)
            self._tell([finding], tag.span)

    def _at(self, name: str, function: Callable[[str], _Result]) -> _Result | None:
        """Apply a function to a value, if it is there; its findings get the place of the tag."""
        value = self._value(name)
        if value in UNKNOWN:
            return None
        found: list[Finding] = []
        result = attempt(found, lambda: function(value))
        self._tell(found, self._tags[name].span)
        return result

    def _tell(self, findings: Iterable[Finding], span: Span) -> None:
        self.findings += [replace(each, source=self._source, span=span) for each in findings]

    def _number(self) -> int | None:
        value = self._value("Board")
        if value in UNKNOWN:
            return None
        if not value.isascii() or not value.isdigit() or len(value) > 9:
            span = self._tags["Board"].span
            self.findings.append(broken(self._source, span, f"`{value[:40]}` numbers no board"))
            return None
        return int(value)

    def _dealer(self) -> Seat | None:
        for name in ("Dealer", "Auction"):
            seat = parse_seat(self._value(name))
            if seat is not None:
                return seat
        return None

    def _contract(self, calls: Sequence[str], dealer: Seat | None) -> Contract | None:
        """The contract of the tags; of the auction where they leave it open."""
        called = contract_of(calls, dealer) if dealer is not None else None
        if called and self._value("Contract") in UNKNOWN and self._value("Declarer") in UNKNOWN:
            return called
        self._require("Contract")
        self._require("Declarer")
        declarer = self._value("Declarer")
        if declarer in UNKNOWN:
            return None
        return self._at("Contract", lambda text: parse_contract(text, declarer))

    def _words_of_limits(self) -> list[HandLimits]:
        """Limits of each hand by our own tags."""
        return [self._at(f"Limits{seat}", parse_limits) or NO_LIMITS for seat in SEAT_NAMES]

    def _calls(self, dealer: Seat | None) -> tuple[str, ...]:
        tag = self._tags.get("Auction")
        if tag is None or dealer is None:
            return ()
        words = _spoken(tag.words)
        for word in words:
            if not CALL.fullmatch(word.text):
                why = f"`{word.text[:40]}` is no call"
                self.findings.append(broken(self._source, word.span, why))
                return ()
        texts = [word.text.rstrip("!?") for word in words]
        rows = "\n".join([*texts, "*"])
        board = self._decoded(f'[Auction "{SEATS[dealer]}"]\n{rows}\n', tag)
        calls = tuple(_call(bid) for bid in board.auction) if board else ()
        self._tell(check_calls(calls, dealer), tag.span)
        return calls

    def _play(self, hands: Hands, contract: Contract) -> tuple[Card, ...]:
        tag = self._tags.get("Play")
        if tag is None:
            return ()
        leader = parse_seat(tag.value)
        if leader != contract.leader:
            why = f"{SEAT_NAMES[contract.leader]} leads, and Play begins with `{tag.value[:20]}`"
            self.findings.append(
                Finding(
                    "BRI012",
                    why,
                    fix="begin the rows of Play with the player to the left of declarer",
                    source=self._source,
                    span=tag.span,
                )
            )
            return ()
        rows = self._rows(tag)
        if self.findings or not rows:
            return ()
        text = f'[Contract "{contract.level}{DENOMINATIONS[contract.denomination]}"]\n'
        text += f'[Play "{SEATS[contract.leader]}"]\n'
        text += "".join(" ".join(word.text for word in row) + "\n" for row in rows)
        board = self._decoded(text, tag)
        cards = [_card(card) for card in board.play] if board else []
        spans = {parse_card(word.text): word.span for row in rows for word in row}
        played = tuple(card for card in cards if card is not None)
        if len(played) < len(cards):
            self.findings.append(broken(self._source, tag.span, "a card of a trick is missing"))
        elif fault := first_fault(hands, contract, played):
            place, finding = fault
            self._tell([finding], spans[played[place]])
        return played

    def _rows(self, tag: Tag) -> list[list[PbnWord]]:
        """The tricks of a section, each with four words; what was not played is a hyphen."""
        rows = []
        for row in tag.rows:
            words = _spoken(row)
            for word in words:
                if word.text != NOT_PLAYED and parse_card(word.text) is None:
                    self._tell([no_card(word.text)], word.span)
            is_over = len(words) < len(row) and any(word.text in END for word in row)
            if len(words) > 4:
                self.findings.append(broken(self._source, tag.span, "a trick has four cards"))
            if words:
                rows.append(words + [PbnWord(NOT_PLAYED, tag.span)] * (4 - len(words)))
            if is_over:
                break
        return rows

    def _decoded(self, text: str, tag: Tag) -> Any:
        """endplay's board of a section; None if it cannot read it."""
        from endplay.parsers import pbn

        try:
            (board,) = pbn.loads(text)
        except (ValueError, RuntimeError, LookupError, TypeError, AttributeError) as error:
            self.findings.append(broken(self._source, tag.span, f"{tag.name}: {error}"))
            return None
        return board


def _spoken(words: Iterable[PbnWord]) -> list[PbnWord]:
    """Calls or cards up to the end of a section, without annotations."""
    found = []
    for word in words:
        if word.text in END:
            break
        if not ANNOTATION.fullmatch(word.text):
            found.append(PbnWord(word.text.rstrip("!?"), word.span))
    return found


def _call(bid: Any) -> str:
    """A call of endplay's as `calls` writes it."""
    if hasattr(bid, "level"):
        name = DENOMINATIONS[bid.denom]
        return f"{bid.level}{'NT' if name == 'N' else name}"
    return {1: PASS, 2: DOUBLE, 4: REDOUBLE}[int(bid.penalty)]


def _card(card: Any) -> Card | None:
    """A card of endplay's; None for the one that stands where none was played."""
    if card.suit >= 4:
        return None
    # Its ranks are single bits, from 4 for a two.
    return 13 * int(card.suit) + int(card.rank).bit_length() - 3
