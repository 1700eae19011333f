"""Behaviour strategies: the probabilities of a player's moves, by what the player knows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, final

from fogspiel.api.names import Move, meant
from fogspiel.api.view import View
from fogspiel.core.findings import UsageError
from fogspiel.core.terms import MoveId
from fogspiel.solve.files.strategy_table import START, RoleStrategy
from fogspiel.solve.result import TOLERANCE

if TYPE_CHECKING:
    from fogspiel.api.game import Game
    from fogspiel.api.solution import Solution

Mixed: TypeAlias = "Mapping[str, float] | Mapping[Move, float]"
"""Probabilities of moves; those that are left out are never played."""
LookUp: TypeAlias = "Callable[[View], Mixed | None]"
"""The mixed action at a view; None where nothing is said."""
AnyStrategy: TypeAlias = "Strategy | Solution | Mapping[View, Mixed] | LookUp"
"""Everything that is taken for a strategy."""


@final
class Strategy:
    """The probabilities of moves at every information set, named by its view.

    `strategy[view]` gives them as a dictionary. A solution has one (`Solution.strategy`); a mapping
    or a function of one's own becomes one by `Game.strategy`.

    >>> game = fs.load("kuhn_poker")
    >>> view = game.begin().play("(deal king)").play("(deal jack)").view("first")
    >>> strategy = game.strategy({view: {"bet": 0.75, "pass": 0.25}})
    >>> strategy[view]
    {Move('bet'): 0.75, Move('pass'): 0.25}
    >>> list(strategy) == [view]
    True
    """

    def __init__(
        self,
        game: Game,
        look_up: LookUp,
        views: Callable[[], Iterable[View]] | None = None,
    ) -> None:
        """The strategy that a function of views gives.

        views: lists the views that the strategy says something about, where they are known.
        """
        self.game = game  #: The game that it is for
        self._look_up, self._views = look_up, views

    @classmethod
    def of(cls, game: Game, source: AnyStrategy) -> Strategy:
        """The strategy that is meant by a mapping, a function of views, or a solution.

        game: the game that it is for.
        source: what is taken for a strategy.
        Raises `TypeError` for anything else.

        >>> fs.Strategy.of(game, lambda view: {view.legal[0]: 1.0})[view]
        {Move('bet'): 1.0, Move('pass'): 0.0}
        """
        from fogspiel.api.solution import Solution

        if isinstance(source, Strategy):
            return source
        if isinstance(source, Solution):
            return source.strategy
        if isinstance(source, Mapping):
            return cls(game, source.get, lambda: source)
        if callable(source):
            return cls(game, source)
        raise TypeError(
            "a strategy is a Strategy, a Solution, a mapping from views to probabilities of moves, "
            f"or a function of a view; got {type(source).__name__}"
        )

    @classmethod
    def of_roles(cls, game: Game, roles: Mapping[str, RoleStrategy]) -> Strategy:
        """The strategy that tables by role hold, such as those of a strategy file."""

        def look_up(view: View) -> Mixed | None:
            own = roles.get(view.role)
            return None if own is None else own.actions_after(view.texts())

        def views() -> Iterator[View]:
            for role, own in roles.items():
                for known in own.choices:
                    past = [own.observations[seen] for seen in _path(own, known)]
                    yield game.view(role, [(seen.move, seen.percepts) for seen in past])

        return cls(game, look_up, views)

    def get(self, view: View) -> dict[str, float] | None:
        """The probabilities of the legal moves at a view; None where the strategy says nothing.

        Where the player has a single legal move it is that move.
        view: what the player did and saw.
        Raises `UsageError` API006 for numbers that are no probabilities of legal moves.

        >>> print(strategy.get(view.after("pass").after("noop", ["(move second bet)"])))
        None
        """
        said = self._look_up(view)
        if said is None:
            legal = view.legal
            return {legal[0]: 1.0} if len(legal) == 1 else None
        return checked_mixture(view, said)

    def by_ids(self, view: View) -> dict[MoveId, float] | None:
        """The same as `get` by ids of moves, without a look at which moves are legal.

        That takes a belief, which is too long where millions of histories ask. None also where the
        player has a single legal move.
        """
        said = self._look_up(view)
        if said is None:
            return None
        words, role = view.game.vocabulary, view.role
        found = {text: words.find_move(role.id, text) for text in said}
        if None in found.values():
            raise _refused(view, f"it names {next(t for t, m in found.items() if m is None)!r}")
        total = sum(said.values())
        if not math.isclose(total, 1.0, abs_tol=TOLERANCE):
            raise _refused(view, f"the probabilities sum to {total:.6g}, not 1")
        return {
            move.id: share
            for move, share in zip(found.values(), said.values(), strict=True)
            if move
        }

    def __getitem__(self, view: View) -> dict[str, float]:
        """The probabilities of the legal moves at a view.

        Raises `UsageError` API006 where the strategy says nothing, or no probabilities.
        """
        found = self.get(view)
        if found is None:
            raise UsageError.of(
                "API006",
                f"the strategy does not say what {view.role} does at {str(view)!r}",
                fix="give the probabilities of its legal moves there: "
                + ", ".join(view.legal[:12]),
            )
        return found

    def __call__(self, view: View) -> dict[str, float] | None:
        """The same as `get`: a strategy is a function of views."""
        return self.get(view)

    def __iter__(self) -> Iterator[View]:
        """The views that the strategy says something about.

        Raises `TypeError` for a function, which cannot list them.
        """
        if self._views is None:
            raise TypeError("this strategy is a function of views, and cannot list them")
        return iter(self._views())

    def __len__(self) -> int:
        """The number of views that the strategy says something about."""
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        """True, also for a strategy that cannot list its views."""
        return True

    def __repr__(self) -> str:
        if self._views is None:
            return f"Strategy({self.game.name!r}, a function of views)"
        return f"Strategy({self.game.name!r}, {len(self):,} views)"


def checked_mixture(
    view: View, said: Mixed, legal_moves: Sequence[Move] | None = None
) -> dict[str, float]:
    """Probabilities of all legal moves of a view.

    legal_moves: the legal moves where they are known already.
    Raises `UsageError` API006 unless they are probabilities of legal moves, 1 in all.
    """
    if not isinstance(said, Mapping):
        raise _refused(view, f"it is a {type(said).__name__}, not a mapping from moves")
    legal = {str(move): move for move in (view.legal if legal_moves is None else legal_moves)}
    found: dict[str, float] = dict.fromkeys(legal.values(), 0.0)
    for text, share in said.items():
        move = legal.get(text)
        if move is None:
            known = view.game.vocabulary.find_move(view.role.id, text)
            move = None if known is None else legal.get(known)
        if move is None:
            raise _refused(view, f"it names {text!r}, {meant(str(text), legal, 'legal:')}")
        if not isinstance(share, int | float) or not math.isfinite(share) or share < -TOLERANCE:
            raise _refused(view, f"the probability of {text} is {share!r}")
        found[move] = max(0.0, float(share))
    total = sum(found.values())
    if abs(total - 1.0) > TOLERANCE:
        raise _refused(view, f"the probabilities sum to {total:.6g}, not 1")
    return found


def _refused(view: View, why: str) -> UsageError:
    return UsageError.of(
        "API006",
        f"this is no mixed action of {view.role} at {str(view)!r}: {why}",
        fix="give each legal move a probability, 1 in all; moves left out count as 0",
    )


def _path(own: RoleStrategy, known: int) -> list[int]:
    """The numbers of the observations that lead to some knowledge."""
    backwards = []
    while known != START:
        known, seen = own.knowledge[known - 1]
        backwards.append(seen)
    return backwards[::-1]
