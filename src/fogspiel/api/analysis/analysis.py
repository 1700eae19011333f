"""Analysis of a game: its size and kind, the class of its equilibria, its value, and a method."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fogspiel.api.names import Role
from fogspiel.api.solution import Solution
from fogspiel.api.solving import OnPoint, OnStage, Stage, default_target, ignore, solve
from fogspiel.api.solving import solved_if_open as solved_by_states_if_open
from fogspiel.api.tree import Tree
from fogspiel.core.budget import Budget
from fogspiel.core.findings import Finding, FogspielError, LimitError
from fogspiel.core.limits import refuse_count, refuse_seconds
from fogspiel.machine.analysis.features import GameKind, explore
from fogspiel.machine.analysis.independent_parts import parts_of
from fogspiel.search.parts.impartial import impartial_sum
from fogspiel.solve.induction.simultaneous import INDUCTION_LP
from fogspiel.solve.methods import chosen_method, fitting, why_chosen
from fogspiel.solve.taxonomy.classify import Taxonomy, taxonomy
from fogspiel.solve.taxonomy.dominance import Dominant
from fogspiel.tree.game_kind import estimate_size, kind_of
from fogspiel.tree.state_graph import build_state_graph

if TYPE_CHECKING:
    from fogspiel.api.game import Game

MAX_NODES = 2_000_000
SECONDS = 20.0
PARTS_WORK, PARTS_STATES = 1_000_000, 20_000
"""Gates and states that are looked at to find independent parts."""
TAXONOMY_PARTS = 4
"""Programs that the taxonomy may need; together they may take as long as finding the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndependentParts:
    """The parts of a game that share nothing but its goals and its end, such as heaps of Nim."""

    count: int  #: The number of parts
    relevant: int  #: The number of parts that goals or the end depend on
    grundy_number: int | None
    """The Grundy number of the beginning, where the game is a sum of impartial games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What is known of a game as a whole. `Game.analyze` finds it out.

    Where the tree is too large, `limit` says so, and random walks tell the kind: what they met is
    certain, what they did not meet may exist.

    >>> analysis = fs.load("kuhn_poker").analyze()
    >>> print(analysis)
    kuhn_poker: 58 nodes, 12 information sets; value first -0.05556, second +0.05556; solve it by lp
    """

    game: Game = field(repr=False)  #: The game that was analyzed
    kind: GameKind
    """Players, chance, simultaneous moves, hidden information; and the size of the tree, or its
    estimate by random walks."""
    limit: Finding | None  #: The reason why there is no tree
    states: int | None
    """The number of states of a game with simultaneous moves and no hidden information."""
    parts: IndependentParts | None  #: None where they cannot be told
    taxonomy: Taxonomy | None = field(repr=False)
    """The class of the equilibria with reasons, after Richards (2012); None without a tree."""
    solution: Solution | None  #: An equilibrium and its value, by the method that `auto` takes
    method: str | None  #: The method that solves the game; None where none can
    reason: str  #: The reason for the method, or for none
    fitting: tuple[str, ...]  #: All methods that fit the game
    build_seconds: float  #: Time to build the tree

    @property
    def certain(self) -> bool:
        """Whether the kind is known from the whole tree."""
        return self.limit is None

    @property
    def payoff_sum(self) -> str | None:
        """The sum of all payoffs: `zero`, `constant` or `general`; None if it is not known."""
        return _payoff_sum(self.game, self.kind, whole=self.certain)

    @property
    def sequences(self) -> dict[Role, int]:
        """The number of sequences of each player, the empty one included; none without a tree."""
        return dict(zip(self.game.players, self.kind.sequences, strict=False))

    @property
    def game_class(self) -> str | None:
        """The strongest kind of equilibrium: `dominant`, `pure`, `mixed` or `unknown`."""
        return None if self.taxonomy is None else self.taxonomy.game_class.value

    @property
    def dominant(self) -> dict[Role, Dominant]:
        """The dominant strategy of each player: its `kind` and the `reason`."""
        found = () if self.taxonomy is None else self.taxonomy.dominant
        return dict(zip(self.game.players, found, strict=False))

    def __str__(self) -> str:
        """The size, the value and the method in one line."""
        size = f"about 10^{self.kind.log10_nodes:.1f} nodes"
        if self.kind.nodes is not None:
            size = f"{self.kind.nodes:,} nodes, {self.kind.infosets:,} information sets"
        told = [f"{self.game.name}: {size}"]
        if self.solution is not None:
            values = self.solution.value.items()
            told.append("value " + ", ".join(f"{role} {value:+.4g}" for role, value in values))
        told.append(self.reason if self.method is None else f"solve it by {self.method}")
        return "; ".join(told)


def analyze(
    game: Game,
    *,
    max_nodes: int = MAX_NODES,
    seconds: float = SECONDS,
    on_stage: OnStage = ignore,
    on_point: OnPoint | None = None,
) -> Analysis:
    """Analyze a game; `Game.analyze` says what the arguments mean."""
    refuse_count("max_nodes", max_nodes)
    refuse_seconds("seconds", seconds)
    on_stage(Stage("exploring"))
    seen = explore(game.machine, hides=game.loaded.hides)
    tree = limit = None
    on_stage(Stage("building the tree"))
    began = time.perf_counter()
    try:
        tree = game.tree(max_nodes=max_nodes)
    except LimitError as error:
        limit = error.findings[0]
    build_seconds = time.perf_counter() - began
    machine = game.machine
    kind = estimate_size(machine, seen) if tree is None else kind_of(tree.levels, seen)
    states = _open_states(game, max_nodes, on_stage) if seen.simultaneous else None
    classes = None if tree is None else _classes(tree, seconds, on_stage)
    method, reason, fits = _method(game, kind, tree, states, classes)
    return Analysis(
        game=game,
        kind=kind,
        limit=limit,
        states=states,
        parts=_parts(game, on_stage),
        taxonomy=classes,
        solution=_solution(game, tree, states, seconds, on_stage, on_point),
        method=method,
        reason=reason,
        fitting=tuple(fits),
        build_seconds=build_seconds,
    )


def _open_states(game: Game, max_states: int, on_stage: OnStage) -> int | None:
    """The number of states; None where something is hidden, and beyond the limit."""
    on_stage(Stage("finding the states"))
    try:
        return len(build_state_graph(game.machine, max_states=max_states))
    except FogspielError:
        return None


def _classes(tree: Tree, seconds: float, on_stage: OnStage) -> Taxonomy:
    """Richards' classes: dominant strategies, a pure equilibrium, or only mixed ones."""
    on_stage(Stage("looking for dominant and pure strategies"))
    return taxonomy(tree.levels, seconds=seconds / TAXONOMY_PARTS)


def _parts(game: Game, on_stage: OnStage) -> IndependentParts | None:
    """The independent parts; None where there are no gates to see them by, or too many."""
    on_stage(Stage("looking for independent parts"))
    parts = parts_of(game.machine, PARTS_WORK)
    if parts is None:
        return None
    start = game.machine.initial()
    found = impartial_sum(game.machine, start, Budget(simulations=PARTS_STATES))
    return IndependentParts(
        count=parts.count,
        relevant=int(parts.relevant.sum()),
        grundy_number=None if found is None else found.number(start),
    )


def _solution(
    game: Game,
    tree: Tree | None,
    states: int | None,
    seconds: float,
    on_stage: OnStage,
    on_point: OnPoint | None,
) -> Solution | None:
    """The value by the method that `auto` takes, with its exploitability."""
    found = None
    if states is not None:
        found = solved_by_states_if_open(game, states, on_stage=on_stage)
    if found is None and tree is not None:
        found = solve(
            game,
            target=default_target(tree),
            seconds=seconds,
            max_nodes=len(tree),
            needs_tree=True,
            on_point=on_point,
            on_stage=on_stage,
        )
    return found


def _payoff_sum(game: Game, kind: GameKind, *, whole: bool) -> str | None:
    """The sum of all payoffs by the unit of the game; None if no walk came to an end."""
    if not kind.payoff_sums and not whole:
        return None
    if kind.constant is None:
        return "general"
    zero = kind.players * game.payoff_unit.offset
    return "zero" if float(kind.constant) == zero else "constant"


def _method(
    game: Game,
    kind: GameKind,
    tree: Tree | None,
    states: int | None,
    classes: Taxonomy | None,
) -> tuple[str | None, str, list[str]]:
    """The method that solves the game, the reason, and all methods that fit."""
    fits = [] if tree is None else [method.name for method in fitting(kind)]
    if states is None:
        fits = [name for name in fits if name != INDUCTION_LP]
    elif kind.players == 2 and _payoff_sum(game, kind, whole=tree is not None) in {
        "zero",
        "constant",
    }:
        reason = (
            "the game has simultaneous moves but no hidden information, so each state is a matrix "
            "game"
        )
        return INDUCTION_LP, reason, fits or [INDUCTION_LP]
    if tree is None:
        return None, _without_tree(kind), []
    has_pure = classes is not None and classes.game_class.value in {"dominant", "pure"}
    if has_pure and chosen_method(kind).name == "cfr":
        reason = (
            "no method guarantees an equilibrium of such a game, but it has one in pure strategies"
        )
        return "pure", reason, fits
    return chosen_method(kind).name, why_chosen(kind), fits


def _without_tree(kind: GameKind) -> str:
    """The advice for a game whose tree is too large."""
    if kind.hidden_information or kind.simultaneous:
        return (
            "the game tree is too large to be solved: use a search over the possible histories "
            "(see `fogspiel infoset`), or a smaller instance of the game"
        )
    return "the game tree is too large to be solved: use a search, or a smaller instance"
