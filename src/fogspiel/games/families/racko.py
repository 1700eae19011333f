"""Racko in POGDDL: swap cards until the own rack is in ascending order.

Source: M. D. Richards, Reasoning and decisions in partially observable games (PhD thesis, Illinois
2012), section 4.4.1 and appendix B.2; the game on the table has 60 cards and 10 slots.
Departures: cards are numbers, not propositions for each card in each slot; one action of chance
deals all cards, since where the next one goes is known. The section ends the game after a set
number of turns and leaves that number open, the appendix when the cards to draw from are used up:
we end it at the one or the other, with as many turns of each player as there are cards.
"""

from __future__ import annotations

from collections.abc import Iterator

from fogspiel.games.families import _layout as layout

MOST_CARDS = 60
MOST_SLOTS = 10

TURN_ENDS = """\
                 (decrease (turns) 1)
                 (not (whoseturn ?p))
                 (forall (?q - player)
                         (when (opponent ?p ?q)
                               (whoseturn ?q)))
"""

SHEET = """\
; Racko with {cards} cards and racks of {slots} slots. The cards are dealt to the racks one by one;
; the next is turned up, and the others are a pile to draw from. On its turn a player puts the card
; that lies face up, or one that it draws unseen by the other, into a slot; the card that was
; there comes to lie face up. A drawn card may also be discarded. The first rack in ascending order
; wins. Nobody wins if the pile is used up, or after {cards} turns of each player.

(define (domain racko)
  (:requirements :typing :fluents :conditional-effects :derived-predicates :pogddl)
  (:types player - role
          role slot card)
  (:constants chance - role
              first second - player)
  (:predicates (whoseturn ?r - role)
               (opponent ?p ?q - player)
               (above ?s ?t - slot)
               (then ?p - player ?s - slot ?q - player ?t - slot)  ; the order of the deal
               (final ?p - player ?s - slot)
               (in-pile ?c - card)
               ; Where the next card of the pile goes: to a slot, face up, or into a hand.
               (awaits ?p - player ?s - slot)
               (opening)
               (draws ?p - player)
               (holding)                       ; the player on turn has drawn a card
               (in-order ?p - player)
               (completes-top ?p - player ?s - slot)    ; the card in question, put into this
               (completes-drawn ?p - player ?s - slot)  ; slot, brings the rack in order
               (won ?p - player))
  (:functions (face ?c - card)                 ; the number on a card
              (rack ?p - player ?s - slot)
              (top)                            ; the card that lies face up
              (drawn) - number
              (pile) - (number 0 {cards})      ; how many cards are left to draw
              (turns) - (number 0 {turns}))    ; how many are left

  (:action deal
    :parameters (?c - card)
    :precondition (and (whoseturn chance)
                       (in-pile ?c))
    :effect (and (not (in-pile ?c))
                 (decrease (pile) 1)
                 (forall (?p - player ?s - slot)
                         (when (awaits ?p ?s)
                               (and (assign (rack ?p ?s) (face ?c))
                                    (not (awaits ?p ?s))
                                    (observe (?p (dealt ?p ?s ?c))
                                             (others (dealt ?p ?s _)))
                                    (when (final ?p ?s)
                                          (opening)))))
                 (forall (?p ?q - player ?s ?t - slot)
                         (when (and (awaits ?p ?s) (then ?p ?s ?q ?t))
                               (awaits ?q ?t)))
                 (when (opening)
                       (and (assign (top) (face ?c))
                            (not (opening))
                            (not (whoseturn chance))
                            (whoseturn first)
                            (observe (all (turned-up ?c)))
                            (forall (?p - player)
                                    (when (in-order ?p)
                                          (and (won ?p)
                                               (observe (all (racko ?p))))))))
                 (forall (?p - player)
                         (when (draws ?p)
                               (and (assign (drawn) (face ?c))
                                    (not (draws ?p))
                                    (holding)
                                    (not (whoseturn chance))
                                    (whoseturn ?p)
                                    (observe (?p (drew ?c))
                                             (others (drew _))))))))

  (:action take
    :parameters (?p - player ?s - slot)
    :precondition (and (whoseturn ?p)
                       (not (holding)))
    :effect (and (assign (rack ?p ?s) (top))
                 (assign (top) (rack ?p ?s))
{turn_ends}                 (observe (all (took ?p ?s)))
                 (when (completes-top ?p ?s)
                       (and (won ?p)
                            (observe (all (racko ?p)))))
                 (forall (?c - card)
                         (when (= (rack ?p ?s) (face ?c))
                               (observe (all (turned-up ?c)))))))

  (:action draw
    :parameters (?p - player)
    :precondition (and (whoseturn ?p)
                       (not (holding)))
    :effect (and (draws ?p)
                 (not (whoseturn ?p))
                 (whoseturn chance)
                 (observe (all (draws ?p)))))

  (:action put
    :parameters (?p - player ?s - slot)
    :precondition (and (whoseturn ?p)
                       (holding))
    :effect (and (assign (rack ?p ?s) (drawn))
                 (assign (top) (rack ?p ?s))
                 (assign (drawn) 0)
                 (not (holding))
{turn_ends}                 (observe (all (put ?p ?s)))
                 (when (completes-drawn ?p ?s)
                       (and (won ?p)
                            (observe (all (racko ?p)))))
                 (forall (?c - card)
                         (when (= (rack ?p ?s) (face ?c))
                               (observe (all (turned-up ?c)))))))

  (:action discard
    :parameters (?p - player)
    :precondition (and (whoseturn ?p)
                       (holding))
    :effect (and (assign (top) (drawn))
                 (assign (drawn) 0)
                 (not (holding))
{turn_ends}                 (observe (all (discarded ?p)))
                 (forall (?c - card)
                         (when (= (drawn) (face ?c))
                               (observe (all (turned-up ?c)))))))

  (:derived (in-order ?p - player)
    (forall (?s ?t - slot)
            (imply (above ?t ?s)
                   (< (rack ?p ?s) (rack ?p ?t)))))
  (:derived (completes-top ?p - player ?s - slot)
    (forall (?t ?u - slot)
            (imply (above ?u ?t)
                   (or (and (= ?t ?s) (< (top) (rack ?p ?u)))
                       (and (= ?u ?s) (< (rack ?p ?t) (top)))
                       (and (not (= ?t ?s)) (not (= ?u ?s)) (< (rack ?p ?t) (rack ?p ?u)))))))
  (:derived (completes-drawn ?p - player ?s - slot)
    (forall (?t ?u - slot)
            (imply (above ?u ?t)
                   (or (and (= ?t ?s) (< (drawn) (rack ?p ?u)))
                       (and (= ?u ?s) (< (rack ?p ?t) (drawn)))
                       (and (not (= ?t ?s)) (not (= ?u ?s)) (< (rack ?p ?t) (rack ?p ?u)))))))

  (:terminal (or (won first)
                 (won second)
                 (= (turns) 0)
                 (and (= (pile) 0) (not (holding)))))

  ; Both can have won only by the cards that they were dealt; that is a draw.
  (:gain ?p - player 1 (won ?p))
  (:gain ?p - player -1
    (exists (?q - player)
            (and (opponent ?p ?q)
                 (won ?q)))))

(define (problem racko-{cards}-{slots})
  (:domain racko)
  (:objects {slot_names} - slot
{card_names} - card)
  (:init (whoseturn chance)
         (opponent first second)
         (opponent second first)
         (awaits first s1)
         (final second s{slots})
         (= (top) 0)
         (= (drawn) 0)
         (= (pile) {cards})
         (= (turns) {turns})
{start}))
"""


def rules(cards: int, slots: int) -> str:
    """Racko with `cards` cards and `slots` slots a player."""
    layout.require("slots", slots, 2, MOST_SLOTS)
    # Both racks, the card that is turned up, and one to draw.
    layout.require("cards", cards, 2 * slots + 2, MOST_CARDS)
    names = layout.card_names(cards)
    slot_names = [f"s{slot}" for slot in range(1, slots + 1)]
    racks = (
        (f"(rack {player} {slot})", 0) for player in ("first", "second") for slot in slot_names
    )
    start = [
        layout.start_facts("above", ((slot_names[n + 1], slot_names[n]) for n in range(slots - 1))),
        layout.start_facts("then", _deal_order(slot_names)),
        layout.start_facts("=", racks),
        layout.start_facts("in-pile", ([card] for card in names)),
        layout.card_values("face", cards),
    ]
    return SHEET.format(
        turn_ends=TURN_ENDS,
        cards=cards,
        slots=slots,
        turns=2 * cards,
        slot_names=" ".join(slot_names),
        card_names=layout.object_names(names),
        start="\n".join(start),
    )


def _deal_order(slots: list[str]) -> Iterator[tuple[str, ...]]:
    """Slot by slot, in each the first player and then the second."""
    for number, slot in enumerate(slots):
        yield "first", slot, "second", slot
        if number + 1 < len(slots):
            yield "second", slot, "first", slots[number + 1]
