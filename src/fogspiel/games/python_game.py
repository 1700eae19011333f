"""Games of one's own, written as a Python class, for what no rule language says well.

A state is any value that is compared by what it holds, such as a tuple or a frozen dataclass. The
class says who can do what in a state, what comes of it, and what each player sees.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

Term: TypeAlias = "str | int | tuple[Any, ...]"
"""A move, a percept or a fact: a word, a whole number, or a tuple such as `("deal", "queen")`."""


class PythonGame(ABC):
    """A game written as a class: a subclass says what can be done, and what comes of it.

    All roles move at the same time. A role with no move, or with one, has nothing to decide; turns
    are made by giving moves to one role at a time. Methods must not change a state, and the same
    state gets the same answers whenever it is asked for.

    Moves and percepts are words, whole numbers, or tuples: `("deal", "queen")` is written as the
    term `(deal queen)` wherever people read or type it. In `joint`, moves come back as the class
    wrote them.

    `fogspiel.load` takes the class, an object of it, or its name: the class `CoinToss` in the file
    `coin.py` is the game `coin.py:CoinToss`, also on the command line. `fogspiel check` looks for
    faults of the class. Here a coin is tossed and covered, and a player guesses:

    >>> class CoinToss(fs.PythonGame):
    ...     roles = ("guesser",)
    ...
    ...     def initial(self):
    ...         return ()  # any value that can be a key of a dictionary
    ...
    ...     def chance(self, state):
    ...         return {"heads": 2, "tails": 1} if state == () else {}
    ...
    ...     def legal(self, state, role):
    ...         return ["heads", "tails"] if len(state) == 1 else []
    ...
    ...     def next(self, state, joint):
    ...         return (joint["random"],) if state == () else (*state, joint["guesser"])
    ...
    ...     def percepts(self, state, joint, role):
    ...         return []
    ...
    ...     def payoffs(self, state):
    ...         return {"guesser": int(state[0] == state[1])}
    >>> game = fs.load(CoinToss)
    >>> game
    Game('CoinToss', players=('guesser',), chance='random')
    >>> round(game.solve().value["guesser"], 3)
    0.667
    """

    roles: Sequence[str] = ()
    """Names of the players. Chance may be among them; otherwise it comes first."""
    chance_role: str = "random"
    """The name of chance, in games that have a method `chance`."""
    noop: str = "noop"
    """The move of a role that has nothing to decide, as `joint` and matches show it."""
    denominator: int = 1
    """Payoffs are whole multiples of 1 / denominator: 2 where a pot may be split in halves."""
    max_states: int = 1_000_000
    """Most different states that are kept; one takes about as much memory as its value."""
    max_seconds: float = 20.0  #: Time that one call of a method may take

    @abstractmethod
    def initial(self) -> Hashable:
        """The state in which play begins.

        Returns: a value that is compared by what it holds, such as a tuple or a frozen dataclass.
        """

    @abstractmethod
    def legal(self, state: Any, role: str) -> Iterable[Term] | None:
        """The moves of a player in a state.

        state: a value that `initial` or `next` returned, as in all methods.
        role: the player; nobody asks for the moves of chance here.
        Returns: the moves; none where the player has nothing to decide.
        """

    def chance(self, state: Any) -> Mapping[Any, Any] | Iterable[Term] | None:
        """The moves of chance; without this method, there is no chance.

        state: the state.
        Returns: weights by move, or a list of moves with equal weights; nothing where chance has
        nothing to decide. Weights are numbers above 0 in any unit, such as cards left in a deck.
        """
        return ()

    @abstractmethod
    def next(self, state: Any, joint: Mapping[str, Any]) -> Hashable:
        """The state after a joint move.

        state: the state before, which stays as it is.
        joint: the move of every role, chance included; `noop` where it had nothing to decide.
        Returns: another state.
        """

    def percepts(self, state: Any, joint: Mapping[str, Any], role: str) -> Iterable[Term] | None:
        """What a player sees when a joint move is made, besides its own move.

        Without this method everybody sees all moves, as `(does ROLE MOVE)`.

        state: the state before.
        joint: the move of every role.
        role: the player who sees.
        Returns: everything that it sees, in any order.
        """
        return [("does", by, move) for by, move in joint.items()]

    def terminal(self, state: Any) -> bool:
        """Whether the game is over; without this method, it is where nobody has a move.

        state: the state.
        Returns: whether it is terminal.
        """
        players = [role for role in self.roles if role != self.chance_role]
        return not any(map(bool, (self.chance(state), *(self.legal(state, r) for r in players))))

    @abstractmethod
    def payoffs(self, state: Any) -> Mapping[str, Any] | Sequence[Any]:
        """What each player gets when the game is over.

        state: a terminal state; in others nobody asks.
        Returns: numbers by role, or in the order of the players.
        """

    def fluents(self, state: Any) -> Iterable[Term]:
        """Facts about a state, for people and for questions such as how probable a card is.

        Without this method they are the fields of a dataclass or named tuple, as `(field value)`.
        Cells of a board such as `("cell", 1, 1, "x")` are drawn as one.

        state: the state.
        Returns: the facts.
        """
        from fogspiel.machine.python.answers import fluent_terms_of

        return fluent_terms_of(state)
