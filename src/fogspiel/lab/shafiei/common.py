"""What the studies of Shafiei's matches have in common: clocks, and means as tables show them.

His clocks are divided, since our machine is faster. He tells no simulations a second. What can be
compared is the time to build all states of a game: for seven cards of Goofspiel his start clock of
60 seconds was just enough (section 5.3), and ours takes 0.1 seconds of one core, in the runs of
tables 5.2 and 5.3 still 0.3. An iteration of regrets is only some four times as fast as his (table
5.1), so that our players make fewer of them.
Departures: `sm-uct` begins with its first turn.
Seconds are those of the processor that the players themselves used, so that other work on the
machine takes nothing from either.
"""

from __future__ import annotations

from fogspiel.lab.framework.markdown import with_interval
from fogspiel.lab.framework.matches import MatchClock
from fogspiel.lab.framework.study import Document

UCT = "sm-uct"
"""Algorithm 1 of the thesis, which plays the move with the best mean."""
FEW_AT_ONCE_UCT = f"{UCT}:together=8"
"""The same, closer to the letter: few simulations are under way at once."""
CFR = "cfr"
WHOLE_CFR = "cfr:99"
"""Looks ahead to the end of every game here, as his did: the depth is chosen before play."""


def clocks(start_seconds: float, play_seconds: float, divisor: float) -> MatchClock:
    """Clocks of the thesis, divided."""
    return MatchClock(
        seconds=play_seconds / divisor,
        start_seconds=start_seconds / divisor,
        of_processor=True,
    )


def shown_mean(tally: Document) -> str:
    """A mean with its interval."""
    return with_interval(tally["mean_goal"], tally["ci95"], 1)
