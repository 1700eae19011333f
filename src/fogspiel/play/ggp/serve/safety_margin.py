"""How long before the end of a clock a player stops: learnt from how late it came before.

Three things lie between the moment at which a player should stop and the one at which its manager
has the answer: the player comes late, as its last batch of simulations took longer than thought;
the answer takes time to be written; and the network takes time, which we cannot measure and allow
a fixed part for. What was measured is remembered as a maximum that fades, so that one bad turn does
not cost time for ever.
"""

from __future__ import annotations

from dataclasses import dataclass

NETWORK_SECONDS = 0.05
"""For the way of a question and its answer."""
FIRST_LATE_SECONDS = 0.15
FIRST_ANSWERING_SECONDS = 0.05
"""Before anything was measured. Together with the network: a quarter of a second."""
FADING = 0.9
"""What is left of a maximum after each turn."""
EARLY_SECONDS = 0.1
"""Before a deadline: a player that used its time comes back later than that."""
CAUTION = 1.5
"""By which the greatest lateness is multiplied."""
MOST_SHARE = 0.4
"""Of a clock, that the margin may take."""


@dataclass(slots=True)
class Margin:
    """What was measured so far."""

    late_seconds: float = FIRST_LATE_SECONDS
    """By which the player passed its deadline."""
    answering_seconds: float = FIRST_ANSWERING_SECONDS
    """From the move to the reply."""

    def note_choice(self, late_seconds: float) -> None:
        """A player came back, so much after its deadline; before it where negative.

        Where it had nothing to think about and came back early, that teaches nothing.
        """
        if late_seconds < -EARLY_SECONDS:
            return
        self.late_seconds = max(0.0, late_seconds, FADING * self.late_seconds)

    def note_answer(self, seconds: float) -> None:
        """From the player's return to the reply it took so long."""
        self.answering_seconds = max(0.0, seconds, FADING * self.answering_seconds)

    def for_player(self, clock_seconds: float) -> float:
        """Seconds before the end of the clock at which a player must stop."""
        wanted = CAUTION * self.late_seconds + self.answering_seconds + NETWORK_SECONDS
        return min(wanted, MOST_SHARE * clock_seconds)

    def for_answer(self, clock_seconds: float) -> float:
        """Seconds before the end of the clock at which a reply must be sent, whatever it is."""
        wanted = self.answering_seconds + NETWORK_SECONDS
        return min(wanted, MOST_SHARE / 2 * clock_seconds)
