"""Goofspiel with n cards a player: bids are made at once, the higher one takes the prize.

Source: M. Shafiei Khadem (2010), Simultaneous move games in general game playing, section 5.2.1
and appendix C: prizes come in ascending order, equal bids discard the prize, and the winner of
the last round is part of the state. With 5 cards that makes 2,936 states, 138 of them terminal.
Departures: points are kept as binary digits instead of one fluent for each number. The states
are the same ones, and adding a prize takes few gates.
"""

from __future__ import annotations

from collections.abc import Sequence

from fogspiel.games.families._layout import require

MOST_CARDS = 13  #: A suit of a deck; one card is no game

HEADER = """\
; Goofspiel with {cards} cards a player. The prizes are worth {order} points, in this order.
; Each round both players bid a card at once; the higher card takes the prize, equal cards
; discard it. More points at the end win.

(role first)
(role second)
(opponent first second)
(opponent second first)
"""

BIDDING = """\

; Moves

(<= (init (hand ?p ?c))
    (opponent ?p ?q)
    (card ?c))
(<= (legal ?p (bid ?c))
    (true (hand ?p ?c)))
(<= (next (hand ?p ?c))
    (true (hand ?p ?c))
    (not (does ?p (bid ?c))))

(init (round 1))
(<= (next (round ?n))
    (true (round ?m))
    (after ?m ?n))

(<= (wins ?p)
    (does ?p (bid ?c))
    (opponent ?p ?q)
    (bids_below ?q ?c))
(<= (bids_below ?p ?d)
    (after ?c ?d)
    (does ?p (bid ?c)))
(<= (bids_below ?p ?d)
    (after ?c ?d)
    (bids_below ?p ?c))
"""

LAST_WINNER = """\
(<= (next (last_winner ?p))
    (wins ?p))
"""

PRIZE = """\

; The points of a player are binary digits: (points ?p 4) says that the digit worth 4 is set.
; The prize is added digit by digit: (half_4 ?p) is the sum of what comes in at the digit worth 4,
; (carry_4 ?p) what the digit below it passes on.

(<= (gains ?p ?d)
    (wins ?p)
    (at_stake ?d))
(<= (at_stake ?d)
    (true (round ?n))
    (prize_digit ?n ?d))
"""

END = """\

; The end

(<= terminal
    (true (round {last})))

(<= (leads ?p ?d)
    (opponent ?p ?q)
    (true (points ?p ?d))
    (not (true (points ?q ?d))))
(<= (unequal ?d)
    (leads ?p ?d))
{ahead}
(<= (goal ?p 100)
    (ahead ?p))
(<= (goal ?p 50)
    (opponent ?p ?q)
    (not (ahead ?p))
    (not (ahead ?q)))
(<= (goal ?p 0)
    (opponent ?p ?q)
    (ahead ?q))
"""


def rules(cards: int) -> str:
    """Goofspiel with open bids and prizes 1, 2, … in this order."""
    require("cards", cards, 2, MOST_CARDS)
    return game_text(range(1, cards + 1), extra=LAST_WINNER)


def game_text(prizes: Sequence[int], *, extra: str) -> str:
    """The whole sheet. `extra` is put behind the rules of bidding."""
    cards = len(prizes)
    digits = _digits(sum(prizes))
    parts = [HEADER.format(cards=cards, order=", ".join(map(str, prizes)))]
    parts.append("\n" + "".join(f"(card {card})\n" for card in range(1, cards + 1)))
    parts.append("".join(f"(after {n} {n + 1})\n" for n in range(1, cards + 1)))
    parts += [BIDDING, extra, PRIZE]
    for number, prize in enumerate(prizes, start=1):
        parts += [f"(prize_digit {number} {d})\n" for d in digits if prize & d]
    parts += [_adder(digit, digits, max(prizes)) for digit in digits]
    parts.append(END.format(last=cards + 1, ahead=_ahead(digits)))
    return "".join(parts)


def _digits(most: int) -> list[int]:
    """The binary digits that numbers up to `most` need: 1, 2, 4, …"""
    return [1 << place for place in range(most.bit_length())]


def _adder(digit: int, digits: Sequence[int], largest_prize: int) -> str:
    """The rules for one digit of the sum: what comes in, its next value, what is passed on."""
    above = digit * 2
    gains = f"(gains ?p {digit})" if digit <= largest_prize else ""
    carry = f"(carry_{digit} ?p)" if digit > 1 else ""
    half = f"(half_{digit} ?p)" if gains and carry else gains or carry
    text = "\n"
    if gains and carry:
        text += _rule(half, gains, f"(not {carry})") + _rule(half, carry, f"(not {gains})")
    points = f"(true (points ?p {digit}))"
    if digit == digits[-1] and not gains:
        # Nothing is passed on from the highest digit: once set, it stays.
        return (
            text
            + _rule(f"(next (points ?p {digit}))", points)
            + _rule(f"(next (points ?p {digit}))", carry)
        )
    text += _rule(f"(next (points ?p {digit}))", points, f"(not {half})")
    text += _rule(f"(next (points ?p {digit}))", half, f"(not {points})")
    if digit != digits[-1]:
        text += _rule(f"(carry_{above} ?p)", half, points)
        if gains and carry:
            text += _rule(f"(carry_{above} ?p)", gains, carry)
    return text


def _ahead(digits: Sequence[int]) -> str:
    """A player is ahead who leads at the highest digit in which the points differ."""
    text = ""
    for digit in reversed(digits):
        equal = [f"(not (unequal {higher}))" for higher in reversed(digits) if higher > digit]
        text += _rule("(ahead ?p)", f"(leads ?p {digit})", *equal)
    return text


def _rule(head: str, *body: str) -> str:
    return f"(<= {head}\n    " + "\n    ".join(body) + ")\n"
