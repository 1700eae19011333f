"""Kuhn poker as a Python class: three cards, one card each, one bet.

    fogspiel solve examples/kuhn_poker.py:KuhnPoker

Both players put one chip into the pot and get a card. A player passes or bets a second chip; a pass
that answers a bet gives the pot away. Source: H. W. Kuhn (1950), A simplified two-person poker.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import fogspiel

CARDS = ("jack", "queen", "king")


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
        speaker = self.speaker(state)
        return [("hears", joint[speaker])] if role != speaker else []

    def terminal(self, state):
        return state.said[-2:] in {("pass", "pass"), ("bet", "pass"), ("bet", "bet")}

    def payoffs(self, state):
        first, second = map(CARDS.index, state.cards)
        if state.said[-2:] == ("bet", "pass"):  # nobody has to show a card
            winner = len(state.said) % 2
            chips = 1
        else:
            winner = 0 if first > second else 1
            chips = 1 + (state.said[-1] == "bet")
        return [chips, -chips] if winner == 0 else [-chips, chips]

    def speaker(self, state):
        """The player whose turn it is."""
        return self.roles[len(state.said) % 2]
