"""Difference in POGDDL: play one of two cards on the centre and score how far apart they are.

Source: M. D. Richards, Reasoning and decisions in partially observable games (PhD thesis, Illinois
2012), section 5.3.1 and appendix B.4.
The section has the centre and the first hands dealt, and here equal scores are then a draw. In the
appendix the three highest cards lie there from the beginning, and equal scores are a win for the
second player: that is `difference(9,1)`.
"""

from __future__ import annotations

from fogspiel.games.families import _layout as layout

MOST_CARDS = 40

SHEET = """\
{story}

(define (domain difference)
{card_game}{opening_predicates}
               (receives ?p - player))         ; the next card goes to this hand
  (:functions (value ?c - card)
              (centre) - number
              (deck) - (number 0 {cards})      ; how many cards it has
              (score ?p - player) - (number 0 {most}))

  (:action deal
    :parameters (?c - card)
    :precondition (and (whoseturn chance)
                       (in-deck ?c))
    :effect (and (not (in-deck ?c))
                 (decrease (deck) 1){opening_effect}
                 (forall (?p - player)
                         (when (receives ?p)
                               (and (holds ?p ?c)
                                    (not (receives ?p))
                                    (observe (?p (dealt ?p ?c))
                                             (others (dealt ?p _))))))
{turn_effect}))

  (:action play
    :parameters (?p - player ?c - card)
    :precondition (and (whoseturn ?p)
                       (holds ?p ?c))
    :effect (and (not (holds ?p ?c))
                 (when (> (value ?c) (centre))
                       (increase (score ?p) (- (value ?c) (centre))))
                 (when (< (value ?c) (centre))
                       (increase (score ?p) (- (centre) (value ?c))))
                 (assign (centre) (value ?c))
                 (not (whoseturn ?p))
                 (whoseturn chance)
                 (forall (?q - player)
                         (when (opponent ?p ?q)
                               (receives ?q)))
                 (observe (all (played ?p ?c)))))

  (:terminal (and (whoseturn chance)
                  (= (deck) 0)))
{gains})

(define (problem difference-{cards})
  (:domain difference)
  (:objects
{card_names} - card)
  (:init (whoseturn chance)
{opening}
         (opponent first second)
         (opponent second first)
         (= (deck) {deck})
         (= (centre) {centre})
         (= (score first) 0)
         (= (score second) 0)
{start}))
"""

DEALT = {
    "story": """\
; Difference with {cards} cards, whose values are 1 to {cards}. One card is dealt to the centre and
; one to each player, unseen by the other. In turn a player draws a second card, unseen again, and
; plays one of its two on the centre; it scores the difference of that card and the one beneath.
; When no card is left to draw, the higher score wins; equal scores are a draw.""",
    "opening_predicates": """
               (opening)                       ; the centre is empty
               (starting)                      ; the first cards are dealt""",
    "opening_effect": """
                 (when (opening)
                       (and (assign (centre) (value ?c))
                            (not (opening))
                            (receives first)
                            (observe (all (centre ?c)))))""",
    "turn_effect": """\
                 (when (and (starting) (receives first))
                       (receives second))
                 (when (and (starting) (receives second))
                       (and (not (starting))
                            (receives first)))
                 (forall (?p - player)
                         (when (and (receives ?p) (not (starting)))
                               (and (not (whoseturn chance))
                                    (whoseturn ?p))))""",
    "gains": layout.HIGHER_SCORE_WINS,
    "opening": """\
         (opening)
         (starting)""",
}
"""The pieces of the sheet where the first cards are dealt."""

KNOWN = {
    "story": """\
; Difference with {cards} cards, whose values are 1 to {cards}. The highest lies in the centre, the
; second holds the next and the first the one after it, as both know. In turn a player draws a
; second card, unseen by the other, and plays one of its two on the centre; it scores the difference
; of that card and the one beneath. When no card is left to draw, the higher score wins, and equal
; scores are a win for the second.""",
    "opening_predicates": "",
    "opening_effect": "",
    "turn_effect": """\
                 (forall (?p - player)
                         (when (receives ?p)
                               (and (not (whoseturn chance))
                                    (whoseturn ?p))))""",
    "gains": """\
  (:gain first 1 (> (score first) (score second)))
  (:gain second 1 (>= (score second) (score first)))""",
    "opening": """\
         (receives first)
         (holds first c{first})
         (holds second c{second})""",
}
"""The same where they lie there from the beginning."""


def rules(cards: int, known: int = 0) -> str:
    """Difference with `cards` cards, so with `cards` - 3 turns.

    known: 1 if the three highest cards lie there from the beginning and equal scores are a win for
    the second player, 0 if they are dealt and draws are draws.
    """
    layout.require("cards", cards, 4, MOST_CARDS)
    layout.require("known", known, 0, 1)
    names = layout.card_names(cards)
    undealt = cards - 3 * known
    start = [
        layout.start_facts("in-deck", ([card] for card in names[:undealt])),
        layout.card_values("value", cards),
    ]
    pieces = KNOWN if known else DEALT
    turns_of_the_first = (cards - 2) // 2
    return SHEET.format(
        card_game=layout.CARD_GAME,
        **{
            name: text.format(cards=cards, first=cards - 2, second=cards - 1)
            for name, text in pieces.items()
        },
        cards=cards,
        deck=undealt,
        centre=cards if known else 0,
        most=turns_of_the_first * (cards - 1),
        card_names=layout.object_names(names),
        start="\n".join(start),
    )
