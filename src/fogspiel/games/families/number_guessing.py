"""Number guessing: find the number that chance chose from 1 to n by asking "at most m?".

Source: Geisser, Keller, Mattmueller (2014), Past, present, and future, section 5. As many questions
as binary search needs earn 100; the first question more costs 30, each further one 20; a wrong
guess earns 0. A player makes at most 14 moves, so that after 13 it must guess.
Departures: the paper counts steps; we count questions, since the moves "ready" and "guess" are
made by everyone, once each. The move in which chance chooses is not among the 14.
"""

from __future__ import annotations

from fogspiel.games.families._layout import require

MOST_NUMBERS = 64
MOST_QUESTIONS = 13
SCORES = (100, 70, 50, 30, 10, 0)
"""Goals for 0, 1, 2, … questions more than binary search needs; the last for all beyond."""

SHEET = """\
; Number guessing: chance chooses a number from 1 to {numbers}. The player asks whether it is at
; most m, as often as it likes, then says that it is ready and guesses. After {most} questions it
; must guess. {free} questions or fewer earn {full} points, more of them less; a wrong guess earns
; nothing.

(role random)
(role player)

{facts}
(init choosing)
(init (asked 0))

; Moves

(<= (legal random (choose ?n))
    (true choosing)
    (number ?n))
(<= (legal random noop)
    (not (true choosing)))

(<= (legal player noop)
    (true choosing))
(<= (legal player (ask ?m))
    (true asking)
    (number ?m))
(<= (legal player ready)
    (true asking))
(<= (legal player (guess ?n))
    (true guessing)
    (number ?n))

; What changes

(<= (next (secret ?n))
    (does random (choose ?n)))
(<= (next (secret ?n))
    (true (secret ?n)))

(<= asks
    (true asking)
    (not (does player ready)))
(<= last_question
    asks
    (true (asked {before_last})))
(<= (next (asked ?n))
    (true (asked ?m))
    (succ ?m ?n)
    asks)
(<= (next (asked ?n))
    (true (asked ?n))
    (not asks))

(<= (next asking)
    (true choosing))
(<= (next asking)
    asks
    (not last_question))
(<= (next guessing)
    (does player ready))
(<= (next guessing)
    last_question)

(<= correct
    (does player (guess ?n))
    (true (secret ?n)))
(<= (next found)
    correct)
(<= (next over)
    (true guessing))

; What is seen: yes if the number is at most m, no if not; and whether the guess was correct.

(<= (at_most ?m)
    (true (secret ?m)))
(<= (at_most ?m)
    (at_most ?n)
    (number ?m)
    (succ ?n ?m))
(<= yes
    (does player (ask ?m))
    (at_most ?m))
(<= (sees player yes)
    yes)
(<= (sees player no)
    asks
    (not yes))
(<= (sees player correct)
    correct)

; The end

(<= terminal
    (true over))

{goals}
(<= (goal player 0)
    (not (true found)))
"""


def rules(numbers: int) -> str:
    """The game with the numbers 1 to `numbers`."""
    require("numbers", numbers, 2, MOST_NUMBERS)
    free = (numbers - 1).bit_length()
    facts = "".join(f"(number {n})\n" for n in range(1, numbers + 1))
    facts += "".join(f"(succ {n} {n + 1})\n" for n in range(max(numbers - 1, MOST_QUESTIONS)))
    goals = "".join(
        f"(worth {asked} {SCORES[min(max(asked - free, 0), len(SCORES) - 1)]})\n"
        for asked in range(MOST_QUESTIONS + 1)
    )
    goals += "(<= (goal player ?g)\n    (true found)\n    (true (asked ?n))\n    (worth ?n ?g))"
    return SHEET.format(
        numbers=numbers,
        most=MOST_QUESTIONS,
        before_last=MOST_QUESTIONS - 1,
        free=free,
        full=SCORES[0],
        facts=facts,
        goals=goals,
    )
