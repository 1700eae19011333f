"""The game of pure strategy (goofspiel) in POGDDL, with hands that are dealt from one deck.

Source: M. D. Richards, Reasoning and decisions in partially observable games (PhD thesis, Illinois
2012), section 4.4.3 and appendix B.3. With n rounds, n cards go to each hand, n are the prizes, and
the extra cards of his table 4.1 stay in the deck: 3n + extra cards with the values 1, 2, 3, …
Departures: a prize is drawn when its round begins, not laid out unseen before (the chances are
the same); the second bid decides the round, without a step of chance that had one move only; equal
scores are a draw.
"""

from __future__ import annotations

from fogspiel.games.families import _layout as layout

MOST_ROUNDS = 13
MOST_EXTRA = 60

SHEET = """\
; The game of pure strategy with {rounds} rounds and {cards} cards, whose values are 1 to {cards}.
; Each player is dealt {rounds} cards unseen by the other. In every round a card is turned up as
; the prize, and both bid a card of their hands in secret. The bids are shown; the higher takes the
; prize and scores its value. The higher score at the end wins. {rest}

(define (domain gops)
{card_game}
               (receives ?p - player))         ; the next card goes to this hand
  (:functions (value ?c - card)
              (prize)
              (offer) - number                 ; what the first player bids
              (undealt) - (number 0 {hands})   ; cards that hands still lack
              (rounds) - (number 0 {rounds})   ; rounds that are left
              (score ?p - player) - (number 0 {most}))

  (:action deal
    :parameters (?c - card)
    :precondition (and (whoseturn chance)
                       (in-deck ?c))
    :effect (and (not (in-deck ?c))
                 (forall (?p - player)
                         (when (receives ?p)
                               (and (holds ?p ?c)
                                    (decrease (undealt) 1)
                                    (not (receives ?p))
                                    (observe (?p (dealt ?p ?c))
                                             (others (dealt ?p _))))))
                 (forall (?p ?q - player)
                         (when (and (receives ?p) (opponent ?p ?q) (> (undealt) 1))
                               (receives ?q)))
                 (when (= (undealt) 0)
                       (and (assign (prize) (value ?c))
                            (not (whoseturn chance))
                            (whoseturn first)
                            (observe (all (prize ?c)))))))

  (:action bid-first
    :parameters (?c - card)
    :precondition (and (whoseturn first)
                       (holds first ?c))
    :effect (and (not (holds first ?c))
                 (assign (offer) (value ?c))
                 (not (whoseturn first))
                 (whoseturn second)
                 (observe (others (bid first _)))))

  (:action bid-second
    :parameters (?c - card)
    :precondition (and (whoseturn second)
                       (holds second ?c))
    :effect (and (not (holds second ?c))
                 (when (> (offer) (value ?c))
                       (increase (score first) (prize)))
                 (when (< (offer) (value ?c))
                       (increase (score second) (prize)))
                 (assign (offer) 0)
                 (assign (prize) 0)
                 (decrease (rounds) 1)
                 (not (whoseturn second))
                 (whoseturn chance)
                 (observe (all (bid second ?c)))
                 (forall (?d - card)
                         (when (= (offer) (value ?d))
                               (observe (all (bid first ?d)))))))

  (:terminal (= (rounds) 0))
{gains})

(define (problem gops-{rounds}-{extra})
  (:domain gops)
  (:objects
{card_names} - card)
  (:init (whoseturn chance)
         (receives first)
         (opponent first second)
         (opponent second first)
         (= (undealt) {hands})
         (= (rounds) {rounds})
         (= (prize) 0)
         (= (offer) 0)
         (= (score first) 0)
         (= (score second) 0)
{start}))
"""


def rules(rounds: int, extra: int) -> str:
    """The game of pure strategy with `rounds` rounds and `extra` cards that nobody gets."""
    layout.require("rounds", rounds, 1, MOST_ROUNDS)
    layout.require("extra", extra, 0, MOST_EXTRA)
    cards = 3 * rounds + extra
    names = layout.card_names(cards)
    start = [
        layout.start_facts("in-deck", ([card] for card in names)),
        layout.card_values("value", cards),
    ]
    return SHEET.format(
        card_game=layout.CARD_GAME,
        gains=layout.HIGHER_SCORE_WINS,
        rounds=rounds,
        extra=extra,
        cards=cards,
        hands=2 * rounds,
        most=sum(range(cards - rounds + 1, cards + 1)),
        rest=f"{extra} cards are left over." if extra else "All cards are used.",
        card_names=layout.object_names(names),
        start="\n".join(start),
    )
