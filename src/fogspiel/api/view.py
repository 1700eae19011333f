"""Views: what one player did and saw, which is all that it may know of a game."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from fogspiel.api.names import Move, Percept, Role
from fogspiel.core.terms import Observation

if TYPE_CHECKING:
    from fogspiel.api.belief import Belief, Opponents
    from fogspiel.api.game import Game
    from fogspiel.api.known import Known
    from fogspiel.api.searching.search_parts import SearchReport
    from fogspiel.search.mcts.algorithms import Algorithm
    from fogspiel.tree.game_tree import ObservationText

MOST_INFERRED = 20_000
"""Histories from which certain facts are found; where there are more, none are."""


@dataclass(frozen=True, slots=True)
class ViewStep:
    """One step as a player saw it."""

    move: Move  #: The player's own move, also where it had no choice
    sees: tuple[Percept, ...]  #: What the player saw in the step, sorted


@final
class View:
    """What a player did and saw, step by step: the name of its information set.

    Two histories that give a player equal views are the same to it. Views are immutable and
    hashable, so that a strategy can be a dictionary of them.

    >>> game = fs.load("kuhn_poker")
    >>> view = game.begin().play("(deal queen)").play("(deal king)").view("first")
    >>> view.steps[0].move, view.steps[0].sees
    (Move('noop'), (Percept('(holds first queen)'),))
    >>> view.legal
    (Move('bet'), Move('pass'))
    """

    __slots__ = ("_legal", "game", "observations", "role")

    def __init__(self, game: Game, role: Role, observations: Iterable[Observation]) -> None:
        """The view of a player with these observations; `History.view` and `Game.view` make one."""
        self.game = game  #: The game that is played
        self.role = role  #: The player's role
        self.observations = tuple(observations)  #: The same as `steps`, as ids
        self._legal: tuple[Move, ...] | None = None

    @property
    def steps(self) -> tuple[ViewStep, ...]:
        """What the player did and saw in each step."""
        words, role = self.game.vocabulary, self.role
        return tuple(
            ViewStep(words.move(role.id, own.move), words.percepts(role.id, own.percepts))
            for own in self.observations
        )

    @property
    def legal(self) -> tuple[Move, ...]:
        """The player's legal moves; empty if it can tell that the game is over.

        They are those of one possible state: sound rules give the same moves in all of them.
        Raises `PlayError` BEL001 for a view that no course of play gives.
        """
        if self._legal is None:
            from fogspiel.belief.base import contradiction
            from fogspiel.belief.methods import make_belief

            game, role = self.game, self.role
            belief = make_belief("auto", game.machine, role.id)
            for own in self.observations:
                belief.advance(own)
            state = belief.witness()
            if state is None:
                found = belief.sample(1, seed=0)
                if not len(found):
                    raise contradiction(len(self.observations))
                state = found.states[0]
            over = game.machine.terminal(state)
            ids = () if over else game.machine.legal(state, role.id)
            self._legal = game.vocabulary.moves(role.id, ids)
        return self._legal

    def belief(
        self,
        method: str = "auto",
        *,
        opponents: Opponents = None,
        seconds: float = 60.0,
        max_histories: int = 4_000_000,
        memory_mb: int = 1024,
        seed: int = 0,
        simulations: int = 10_000,
    ) -> Belief:
        """The histories that the player must consider possible, and how probable each is.

        method: `auto`, `exact`, `dfs`, `csp`, `sat`, `rejection`, `particles`, `tree`, `hyperplay`.
        opponents: the opponent model. None or "uniform": others play uniformly at random;
        "paranoid": they see everything and play against this player; "visits": they choose each
        move as often as a tree search from the initial state does, in which all players learn; or
        a strategy, as a `Strategy`, a `Solution`, a mapping from views to probabilities of moves,
        or a function of a view.
        seconds, max_histories, memory_mb: limits of the method.
        seed: for methods that keep a random population, and for the search of "visits".
        simulations: how many that search makes.
        Raises `PlayError` BEL001 for a view that no course of play gives, and `LimitError` BEL002
        where a method reaches its limits.

        >>> view.belief().probability("(holds second king)")
        0.5
        >>> view.belief("csp").method
        'csp'
        """
        from fogspiel.api.belief import Belief

        return Belief(
            self,
            method,
            opponents=opponents,
            seconds=seconds,
            max_histories=max_histories,
            memory_mb=memory_mb,
            seed=seed,
            simulations=simulations,
        )

    def known(self, *, max_histories: int = MOST_INFERRED) -> Known | None:
        """What the player can be sure of.

        max_histories: the number of possible histories up to which all of them are looked at.
        Returns: facts that hold in all possible states, and those that hold in some; None where
        more histories are possible.
        Raises `PlayError` BEL001 for a view that no course of play gives.

        >>> known = view.known()
        >>> known.states, "(holds first queen)" in known.certain, len(known.open)
        (2, True, 2)
        """
        return self.game.inference(self.role).known(self, max_histories)

    def search(
        self,
        algorithm: str | Algorithm = "ismcts",
        *,
        seconds: float | None = None,
        simulations: int | None = None,
        evaluation: str | None = None,
        playouts: int = 1,
        seed: int = 0,
    ) -> SearchReport:
        """Search from what the player knows: the value of each of its moves by simulations.

        algorithm: a name of `fogspiel.parts.ALGORITHMS`, such as `ismcts` or `uct`; or parts
        combined anew, `fogspiel.parts.Algorithm(keys="knowledge", rule=...)`.
        seconds, simulations: how long to search; 1,000 simulations by default.
        evaluation: the name of a leaf evaluation; leaves are played out at random without one.
        playouts: random playouts of each simulation, whose mean is learnt.
        seed: with simulations the same seed gives the same report.
        Raises `UsageError` SEA005 for a search that is unknown or cannot begin in any position.

        >>> view.search("ismcts", simulations=2000, seed=1).best
        Move('pass')
        """
        from fogspiel.api.searching.search_parts import search_view

        return search_view(
            self,
            algorithm,
            seconds=seconds,
            simulations=simulations,
            evaluation=evaluation,
            playouts=playouts,
            seed=seed,
        )

    def after(self, move: str, sees: Iterable[str] = ()) -> View:
        """The view one step later.

        move: the player's own move.
        sees: everything that it saw in the step.
        Raises `UsageError` for a move (API002) or a percept (API007) that the rules do not know.

        >>> view.after("pass").after("noop", ["(move second bet)"]).legal
        (Move('bet'), Move('pass'))
        """
        words, role = self.game.vocabulary, self.role
        found = words.find_move(role.id, move)
        if found is None:
            raise words.illegal(role, move, [own.id for own in self.legal])
        if isinstance(sees, str) or not isinstance(sees, Iterable):
            raise TypeError(f"what a player saw is a list of percepts; got {sees!r}")
        percepts = sorted({words.seen(role, text).id for text in sees})
        return View(self.game, role, (*self.observations, Observation(found.id, tuple(percepts))))

    def save(self, path: str | Path) -> None:
        """Write what the player did and saw to a file, which `fogspiel infoset --history` reads.

        path: the file; one that is there is written anew.

        >>> view.save("view.json")
        """
        from fogspiel.api.position_files import save_view

        save_view(self, path)

    @classmethod
    def open(cls, path: str | Path, game: Game, role: str, *, step: int | None = None) -> View:
        """The view of a player in a file: of its own steps, of joint moves, or of a whole match.

        path: a file with `{"sightings": [{"move": "noop", "percepts": ["(holds king)"]}, …]}`, one
        as `History.save` writes it, or the record of a match.
        game: the game that was played.
        role: the player's role.
        step: the number of steps after which the view is taken; all of them by default.
        Raises `UsageError` BEL003 for a file of another form, GAM002 for one that cannot be read,
        MAT014 for a step that it does not have, and `PlayError` for moves and percepts that cannot
        be; for records also as `Match.open`.

        >>> view.save("view.json")
        >>> fs.View.open("view.json", game, "first") == view
        True
        """
        from fogspiel.api.position_files import open_position

        return open_position(path, game, role, step=step).view

    def texts(self) -> tuple[ObservationText, ...]:
        """The same as `steps` in plain text, as strategy files hold it."""
        from fogspiel.tree.game_tree import observation_text

        machine, role = self.game.machine, self.role.id
        return tuple(observation_text(machine, role, own) for own in self.observations)

    def __len__(self) -> int:
        """The number of steps."""
        return len(self.observations)

    def __bool__(self) -> bool:
        """True: to know nothing yet is a view, too."""
        return True

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, View)
            and self.role == other.role
            and self.observations == other.observations
            and self.game == other.game
        )

    def __hash__(self) -> int:
        return hash((self.role, self.observations))

    def __str__(self) -> str:
        """Moves and percepts in one line: `noop: (holds queen); bet`."""
        told = []
        for step in self.steps:
            seen = " ".join(step.sees)
            told.append(f"{step.move}: {seen}" if seen else str(step.move))
        return "; ".join(told)

    def __repr__(self) -> str:
        return f"View({str(self.role)!r}, {str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        plain = [(str(step.move), [str(seen) for seen in step.sees]) for step in self.steps]
        return _view_again, (self.game, str(self.role), plain)


def _view_again(game: Game, role: str, steps: list[tuple[str, list[str]]]) -> View:
    return game.view(role, steps)
