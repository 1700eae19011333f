"""Kuhn poker as a Python class: three cards, one card each, one bet.

    fogspiel solve examples/kuhn_poker.py:KuhnPoker

Both players put one chip into the pot and get a card. A player passes or bets a second chip; a pass
that answers a bet gives the pot away. Source: H. W. Kuhn (1950), A simplified two-person poker.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import fogspiel

CARDS = ("jack", "queen", "king")
SHOWDOWNS = {("pass", "pass"), ("bet", "bet")}
FOLD = ("bet", "pass")


@dataclass(frozen=True)
class Deal:
    """What has happened so far: the cards of both players, and what they said."""

    cards: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


class KuhnPoker(fogspiel.PythonGame):
    """The game; payoffs are chips won."""

    roles = ("first", "second")

    def initial(self):
        return Deal()

    def chance(self, state):
        if len(state.cards) == 2:
            return {}
        return {("deal", card): 1 for card in CARDS if card not in state.cards}

    def legal(self, state, role):
        if len(state.cards) < 2 or self.terminal(state):
            return []
        return ["pass", "bet"] if role == self.speaker(state) else []

    def next(self, state, joint):
        if len(state.cards) < 2:
            _, card = joint["random"]
            return replace(state, cards=(*state.cards, card))
        return replace(state, said=(*state.said, joint[self.speaker(state)]))

    def percepts(self, state, joint, role):
        if len(state.cards) < 2:  # a card is seen by the player who gets it
            _, card = joint["random"]
            return [("holds", card)] if role == self.roles[len(state.cards)] else []
        said = joint[self.speaker(state)]
        seen = [("hears", said)]
        if (*state.said, said)[-2:] in SHOWDOWNS:  # both cards are shown
            seen.append(("shown", *state.cards))
        return seen

    def terminal(self, state):
        return state.said[-2:] in {*SHOWDOWNS, FOLD}

    def payoffs(self, state):
        first, second = map(CARDS.index, state.cards)
        chips = 2 if state.said[-1] == "bet" else 1
        folded = state.said[-2:] == FOLD  # then it would be the winner's turn
        first_wins = self.speaker(state) == "first" if folded else first > second
        return [chips, -chips] if first_wins else [-chips, chips]

    def speaker(self, state):
        """The player whose turn it is."""
        return self.roles[len(state.said) % 2]
