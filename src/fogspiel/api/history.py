"""Histories: what has happened in a game so far.

A history is an immutable chain: each one knows the history before it and the last joint move, so
that playing on copies nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from fogspiel.api.names import Move, Percept, Role
from fogspiel.api.state import State
from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.limits import MAX_DENOMINATOR, refuse_count
from fogspiel.core.terms import MoveId, Observation
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS
from fogspiel.machine.protocol import State as Row

if TYPE_CHECKING:
    from fogspiel.api.game import Game
    from fogspiel.api.view import View


@final
class History:
    """A course of play so far: every joint move from the beginning.

    `Game.begin` gives the empty history, `play` a longer one.

    >>> game = fs.load("kuhn_poker")
    >>> history = game.begin().play("(deal queen)").play("(deal king)")
    >>> history.to_move, history.legal["first"]
    (('first',), (Move('bet'), Move('pass')))
    >>> history.sees["second"], history.over
    ((Percept('(holds second king)'),), False)
    """

    __slots__ = ("_hash", "_ids", "_joint", "_observed", "_over", "_row", "before", "game")

    def __init__(
        self, game: Game, row: Row, before: History | None = None, joint: tuple[MoveId, ...] = ()
    ) -> None:
        """The history of a state reached by a joint move; use `Game.begin` and `play` instead."""
        self.game = game  #: The game that is played
        self.before = before  #: The history one step shorter; None at the beginning
        self._row, self._joint = row, joint
        self._over: bool | None = None
        """Whether the game is over, once that was asked for, as is what follows."""
        self._ids: tuple[tuple[MoveId, ...], ...] | None = None
        """Ids of the legal moves of each role; none where the game is over."""
        self._observed: dict[str, tuple[Observation, ...]] = {}
        self._hash: int = hash((None if before is None else hash(before), joint))

    @property
    def state(self) -> State:
        """The state that the history led to."""
        return State(self.game, self._row)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        if self._over is None:
            self._over = self.game.machine.terminal(self._row)
        return self._over

    @property
    def legal(self) -> Mapping[str, tuple[Move, ...]]:
        """The legal moves of every role, chance included; empty where the game is over."""
        game = self.game
        moves = zip(game.roles, self._legal_ids(), strict=False)
        return {role: game.vocabulary.moves(role.id, ids) for role, ids in moves}

    @property
    def to_move(self) -> tuple[Role, ...]:
        """The players who have a choice: those with more than one legal move."""
        moves = zip(self.game.roles, self._legal_ids(), strict=False)
        chance = self.game.chance
        return tuple(role for role, ids in moves if len(ids) > 1 and role is not chance)

    @property
    def chance(self) -> dict[str, Fraction]:
        """The moves of chance with their probabilities; empty where chance has no choice."""
        game, ids = self.game, self._legal_ids()
        if game.chance is None or not ids or len(ids[game.chance.id]) < 2:
            return {}
        weights = game.machine.chance_weights(self._row).tolist()
        moves = game.vocabulary.moves(game.chance.id, ids[game.chance.id])
        return {
            move: Fraction(weight).limit_denominator(MAX_DENOMINATOR)
            for move, weight in zip(moves, weights, strict=True)
        }

    @property
    def sees(self) -> Mapping[str, tuple[Percept, ...]]:
        """What every player saw in the last step, besides its own move."""
        words = self.game.vocabulary
        last = {role: self.observations(role)[-1:] for role in self.game.players}
        return {
            role: words.percepts(role.id, seen[0].percepts) if seen else ()
            for role, seen in last.items()
        }

    @property
    def moves(self) -> tuple[dict[str, Move], ...]:
        """All joint moves, each with a move for every role."""
        words, roles = self.game.vocabulary, self.game.roles
        return tuple(
            {role: words.move(role.id, move) for role, move in zip(roles, joint, strict=True)}
            for joint in self.joints
        )

    @property
    def joints(self) -> tuple[tuple[MoveId, ...], ...]:
        """All joint moves as ids, in the order of the roles."""
        return tuple(own._joint for own in self._chain())

    @property
    def joint_ids(self) -> tuple[MoveId, ...]:
        """The last joint move as ids, in the order of the roles; empty at the beginning."""
        return self._joint

    @property
    def goals(self) -> dict[str, Fraction]:
        """The goal of every player as the rules count. Raises `UsageError` API004 before the end.

        GDL counts from 0 to 100; POGDDL and EFG state payoffs, which are given as fractions.
        """
        return self.state.goals

    @property
    def payoffs(self) -> dict[str, float]:
        """The payoff of every player in the unit of the game. Raises as `goals`."""
        return self.state.payoffs

    def play(self, moves: Mapping[str, str] | str | None = None, /, **by_role: str) -> History:
        """The history one step longer.

        moves: a move for each role that has a choice, as `play({"white": "(move a b)"})`, or a
        single move where only one role has a choice; roles with one legal move need not be named.
        by_role: the same as keyword arguments, `play(first="bet")`.
        Raises `UsageError` for an unknown role (API001), for a move that is not legal (API002), for
        a role that must choose and has no move (API003), and after the end of the game (API004).

        >>> history.play("bet").play(second="bet").payoffs
        {'first': -2.0, 'second': 2.0}
        """
        game, legal = self.game, self._legal_ids()
        if not legal:
            raise UsageError.of("API004", "the game is over", fix="begin again with `game.begin()`")
        joint = [ids[0] if len(ids) == 1 else None for ids in legal]
        if isinstance(moves, str):
            moves = {self._only_chooser(moves): moves}
        elif moves is not None and not isinstance(moves, Mapping):
            raise TypeError(
                "moves are a mapping from roles to moves, or a single move as a text; "
                f"got {moves!r}"
            )
        for name, text in {**(moves or {}), **by_role}.items():
            role = game.vocabulary.role(name)
            joint[role.id] = game.vocabulary.chosen(role, text, legal[role.id]).id
        chosen = [move for move in joint if move is not None]
        if len(chosen) < len(joint):
            raise self._missing(joint)
        return History(game, game.machine.step(self._row, chosen), self, tuple(chosen))

    def play_out(self, seed: int, steps: int | None = None) -> History:
        """Play on at random, to the end or for some steps; chance draws by its weights.

        seed: equal seeds give the same history.
        steps: the number of steps; None plays to the end.

        >>> history.play_out(seed=1).over, len(history.play_out(seed=1, steps=1))
        (True, 3)
        """
        from fogspiel.belief.positions import random_history

        refuse_count("seed", seed, 0)
        refuse_count("steps", steps, 0)
        most = DEFAULT_MAX_STEPS if steps is None else steps
        history = self
        for joint in random_history(self.game.machine, most, seed, start=self._row):
            history = history.after_ids(joint)
        return history

    def view(self, role: str) -> View:
        """The view of a player: what it did and saw.

        role: the player's role.
        Raises `UsageError` API001 for an unknown role, and for chance.

        >>> history.view("second")
        View('second', 'noop; noop: (holds second king)')
        """
        from fogspiel.api.view import View

        player = self.game.vocabulary.player(role)
        return View(self.game, player, self.observations(player))

    def indistinguishable(self, role: str) -> dict[str, tuple[Move, ...]]:
        """The moves that others may have made in the last step, as far as a player could see it.

        The state before is taken as known: what the player does not know of it adds more doubt.
        role: the player, who knows its own move and what it saw.
        Returns: for each other role with several such moves, these moves, sorted. Empty where the
        player can tell the step from all others, and where these are more than 2,000.
        Raises `UsageError` API001 for chance and unknown roles, API004 for the empty history.

        >>> game.begin().play(random="(deal queen)").indistinguishable("second")
        {'random': (Move('(deal jack)'), Move('(deal king)'), Move('(deal queen)'))}
        """
        from fogspiel.api.analysis.indistinguishable import indistinguishable_moves

        return indistinguishable_moves(self, self.game.vocabulary.player(role))

    def save(self, path: str | Path) -> None:
        """Write the joint moves to a file, which `fogspiel infoset --history` reads, too.

        path: the file; one that is there is written anew.

        >>> history.save("history.json")
        """
        from fogspiel.api.position_files import save_history

        save_history(self, path)

    @classmethod
    def open(cls, path: str | Path, game: Game, *, step: int | None = None) -> History:
        """The history in a file: `{"joints": [["(deal king)", "noop", "noop"], …]}`, or a match.

        path: a file that `save` wrote, one of that form, or the record of a match.
        game: the game that was played.
        step: the number of steps that are wanted; all of them by default.
        Raises `UsageError` BEL003 for a file of another form, GAM002 for one that cannot be read,
        MAT014 for a step that it does not have, and `PlayError` for moves that are not legal; for
        records also as `Match.open`.

        >>> history.save("history.json")
        >>> fs.History.open("history.json", game) == history
        True
        """
        from fogspiel.api.position_files import open_history

        return open_history(path, game, step=step)

    def observations(self, role: Role) -> tuple[Observation, ...]:
        """What a role did and saw in every step, as ids."""
        known = self._observed.get(role)
        if known is None:
            known = self._observed[role] = tuple(own._seen(role) for own in self._chain())
        return known

    def __len__(self) -> int:
        """The number of steps."""
        return len(self._chain())

    def __bool__(self) -> bool:
        """True: the empty history is a history, too."""
        return True

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, History) or self._hash != other._hash:
            return False
        return self.joints == other.joints and self.game == other.game

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        steps = len(self)
        told = f"{steps} step{'' if steps == 1 else 's'}"
        if self.over:
            shown = ", ".join(f"{role} {payoff:g}" for role, payoff in self.payoffs.items())
            return f"History({self.game.name!r}, {told}, over: {shown})"
        waiting = ", ".join(self.to_move) or (self.chance and self.game.chance) or "nobody"
        return f"History({self.game.name!r}, {told}, to move: {waiting})"

    def __reduce__(self) -> tuple[Any, ...]:
        plain = [{str(role): str(move) for role, move in step.items()} for step in self.moves]
        return _history_again, (self.game, plain)

    def _legal_ids(self) -> tuple[tuple[MoveId, ...], ...]:
        """Ids of the legal moves of each role; empty where the game is over."""
        if self._ids is None:
            game = self.game
            roles = () if self.over else game.roles
            self._ids = tuple([game.machine.legal(self._row, role.id) for role in roles])
        if self._ids and not all(self._ids):
            stuck = self.game.roles[self._ids.index(())]
            raise PlayError.of(
                "DYN002",
                f"the rules leave {stuck} without a legal move after {len(self)} steps",
                fix="give every role a move in every state that is not terminal, such as `noop`",
            )
        return self._ids

    def after_ids(self, joint: Sequence[MoveId]) -> History:
        """The history after a joint move given by ids. Raises `PlayError` for an illegal one."""
        return History(self.game, self.game.machine.step(self._row, joint), self, tuple(joint))

    def _chain(self) -> list[History]:
        """All histories on the way here but the empty one, the shortest first."""
        chain: list[History] = []
        at = self
        while at.before is not None:
            chain.append(at)
            at = at.before
        return chain[::-1]

    def _seen(self, role: Role) -> Observation:
        """What a role did and saw in the last step."""
        assert self.before is not None
        percepts = self.game.machine.percepts(self.before._row, self._joint, role.id)
        return Observation(self._joint[role.id], percepts)

    def _only_chooser(self, text: str) -> Role:
        """The only role that has a choice; chance counts. Raises API003 where there are others."""
        moves = zip(self.game.roles, self._legal_ids(), strict=True)
        choosing = [role for role, ids in moves if len(ids) > 1]
        if len(choosing) == 1:
            return choosing[0]
        raise UsageError.of(
            "API003",
            f"it is not clear whose move {text!r} is: "
            f"{', '.join(choosing) or 'nobody'} has a choice here",
            fix="name the role: play(ROLE=MOVE)",
        )

    def _missing(self, joint: Sequence[MoveId | None]) -> UsageError:
        role = self.game.roles[joint.index(None)]
        legal = self.game.vocabulary.moves(role.id, self._legal_ids()[role.id])
        return UsageError.of(
            "API003",
            f"{role} has a choice here, and no move was given for it",
            fix=f"give one of its legal moves: {', '.join(legal[:12])}",
        )


def _history_again(game: Game, moves: list[dict[str, str]]) -> History:
    return game.history(moves)
