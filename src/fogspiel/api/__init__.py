"""The public objects, in the words of game theory; `fogspiel` offers them by name.

Rooms below count roles and moves and keep states as rows of bits. Here roles, moves and percepts
are strings, payoffs are in the unit of the game, and every object leads to the next: a game to its
histories, a history to the views of players, a view to a belief.
"""
