"""Games: the front door, from which histories, views, solutions and matches are reached.

Length: a method for everything that a game can be asked, each with its arguments and an example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, final
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from fogspiel.api.history import History
from fogspiel.api.names import Role, Vocabulary, term_of
from fogspiel.api.state import State
from fogspiel.api.view import View
from fogspiel.core.findings import Finding, PlayError, UsageError
from fogspiel.core.limits import refuse_count
from fogspiel.core.terms import MoveId
from fogspiel.core.values import Unit
from fogspiel.games.library import GameEntry
from fogspiel.games.load import LoadedGame, load_python, loaded_of
from fogspiel.games.python_game import PythonGame
from fogspiel.machine.protocol import DEFAULT_MAX_STEPS, Engine, Machine

if TYPE_CHECKING:
    from fogspiel.api.analysis.analysis import Analysis
    from fogspiel.api.analysis.comparison import Comparable, Comparison
    from fogspiel.api.analysis.playout_report import PlayoutReport
    from fogspiel.api.analysis.responses import Response, ResponseToUniform
    from fogspiel.api.known import Inference
    from fogspiel.api.matches.match import Match
    from fogspiel.api.matches.player import AnyPlayer
    from fogspiel.api.matches.series import Series
    from fogspiel.api.rules.check import CheckReport
    from fogspiel.api.rules.info import GameInfo
    from fogspiel.api.rules.rules import Rules
    from fogspiel.api.solution import Solution
    from fogspiel.api.solving import OnPoint
    from fogspiel.api.strategy import AnyStrategy, Strategy
    from fogspiel.api.tree import Tree
    from fogspiel.games.convert import Conversion, Format
    from fogspiel.machine.analysis.sizes import GameSizes
    from fogspiel.machine.audit.claims import Audit

DEFAULT_MAX_NODES = 20_000_000
MAX_TREE_NODES = 1_000_000  #: Nodes of a tree that is written as EFG


@final
class Game:
    """A game ready to be played. `fogspiel.load` and `fogspiel.read` make one.

    Games are equal if their rules and engines are.

    >>> game = fs.load("kuhn_poker")
    >>> game.players, game.chance
    (('first', 'second'), 'random')
    >>> game.title, game.payoff_unit.name
    ('Kuhn poker', 'chips')
    """

    def __init__(self, loaded: LoadedGame) -> None:
        """The game that was loaded; use `fogspiel.load` instead."""
        self.loaded = loaded  #: Sources, language and clauses, for the rooms below this one
        self.machine: Machine = loaded.machine
        """The engine, for many states at once: moves are integers and states rows of bits."""
        self.vocabulary = Vocabulary(self.machine)
        """Roles, moves and percepts of the game, from ids to names and back."""
        self.roles: tuple[Role, ...] = self.vocabulary.roles  #: All roles, chance included
        self.players: tuple[Role, ...] = self.vocabulary.players
        """The roles that somebody plays: all but chance, in the order of the rules."""
        self.chance: Role | None = self.vocabulary.chance  #: The role of chance, if there is one
        self.payoff_unit: Unit = loaded.tree_unit
        """The unit of payoffs: payoff = (goal - offset) / scale, for goals as the rules count."""
        self._tree: ReferenceType[Tree] | None = None
        self._inferences: dict[Role, Inference] = {}

    @property
    def unit(self) -> Unit | None:
        """The unit in which goals of the machine are payoffs; None where goals are payoffs."""
        return self.loaded.unit

    @staticmethod
    def of_machine(machine: Machine) -> Game:
        """The game of a machine, such as the one that a player is handed."""
        return Game(loaded_of(machine))

    @property
    def name(self) -> str:
        """The bundled name, or that of the file."""
        return self.loaded.name

    @property
    def title(self) -> str:
        """The title in the index of bundled games, or the name."""
        return self.loaded.entry.title if self.loaded.entry else self.loaded.name

    @property
    def entry(self) -> GameEntry | None:
        """Known facts of a bundled game, with their sources."""
        return self.loaded.entry

    @property
    def rules(self) -> Rules:
        """The rules as text. Raises `UsageError` GAM004 for a game that has none."""
        from fogspiel.api.rules.rules import Rules

        self.loaded.refuse_without_text()
        return Rules(self.loaded.sources, entry=self.entry)

    @property
    def fallback(self) -> Finding | None:
        """The reason why the reference reasoner plays though the compiled machine was wanted."""
        return self.loaded.fallback

    @property
    def has_percepts(self) -> bool:
        """Whether the rules say what players see. Otherwise every role sees all moves."""
        return self.loaded.hides

    @property
    def sizes(self) -> GameSizes | None:
        """The numbers of facts, moves, ground rules and gates, where the game is compiled."""
        from fogspiel.machine.analysis.sizes import sizes_of

        return sizes_of(self.machine)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Warnings and notes of the checks."""
        return self.loaded.findings

    def payoff(self, goal: float) -> float:
        """The payoff that a goal stands for.

        goal: a goal as the rules count, such as 0 to 100.

        >>> game.payoff(75)
        1.0
        """
        return self.payoff_unit.value(goal)

    def payoff_of_goal(self, goal: float) -> float:
        """The payoff that a goal of the machine stands for, which may be a multiple."""
        return self.payoff_unit.value(goal / self.machine.goal_scale)

    def inference(self, role: Role) -> Inference:
        """Follows what a player can be sure of."""
        from fogspiel.api.known import Inference

        if role not in self._inferences:
            self._inferences[role] = Inference(self.machine, role.id)
        return self._inferences[role]

    def begin(self) -> History:
        """The empty history: nothing has happened yet.

        >>> game.begin()
        History('kuhn_poker', 0 steps, to move: random)
        """
        return History(self, self.machine.initial())

    def history(
        self, moves: Iterable[Mapping[str, str] | Sequence[str] | Sequence[MoveId]]
    ) -> History:
        """The history of some joint moves.

        moves: for each step the moves by role (as `History.play` takes them), or a list of the
        moves of all roles in their order, as texts or as ids.
        Raises `UsageError` as `History.play`.

        >>> game.history([{"random": "(deal queen)"}, {"random": "(deal king)"}])
        History('kuhn_poker', 2 steps, to move: first)
        """
        history = self.begin()
        for step in moves:
            if isinstance(step, Mapping):
                history = history.play(step)
            elif isinstance(step, str) or not isinstance(step, Sequence):
                raise TypeError(
                    "a joint move is a mapping from roles to moves, or a list with a move for each "
                    f"role; got {step!r}"
                )
            elif len(step) != len(self.roles):
                raise UsageError.of(
                    "API003",
                    f"a joint move has a move for each of {', '.join(self.roles)}; got {len(step)}",
                    fix="give one for every role, or a mapping with those that have a choice",
                )
            elif all(isinstance(move, str) for move in step):
                history = history.play(dict(zip(self.roles, map(str, step), strict=True)))
            else:
                ids = [MoveId(index(move)) for move in step if not isinstance(move, str)]
                if len(ids) < len(step):
                    raise TypeError(f"a joint move has texts or ids, not both; got {step!r}")
                history = history.after_ids(ids)
        return history

    def state(self, fluents: Iterable[str] | NDArray[np.uint64]) -> State:
        """The state in which exactly these facts hold, or that a row of bits stands for.

        fluents: the facts, or the bits of a state of `Game.machine`, (words,).
        Raises `UsageError` API005 for a fact that the rules do not know.

        >>> state = game.state(["(holds first queen)", "(holds second king)", "(turn open)"])
        >>> state.legal["first"]
        (Move('bet'), Move('pass'))
        """
        if isinstance(fluents, np.ndarray):
            return State(self, self._row(fluents))
        if isinstance(fluents, str) or not isinstance(fluents, Iterable):
            raise TypeError(f"a state is a list of facts, or a row of bits; got {fluents!r}")
        terms = [term_of(text) for text in fluents]
        try:
            return State(self, self.machine.state_of(terms))
        except PlayError as error:
            raise UsageError.of(
                "API005",
                error.findings[0].message,
                fix="give facts as `State.fluents` lists them: (cell 1 1 x)",
            ) from None

    def view(self, role: str, steps: Iterable[tuple[str, Iterable[str]]] = ()) -> View:
        """The view of a player who made some moves and saw some percepts.

        role: the player's role.
        steps: for each step the player's own move and all that it saw.
        Raises `UsageError` for an unknown role (API001), move (API002) or percept (API007).

        >>> view = game.view("first", [("noop", ["(holds first queen)"]), ("noop", [])])
        >>> view.belief()
        Belief(2 histories, 2 states, exact)
        """
        view = View(self, self.vocabulary.player(role), ())
        for step in steps:
            if isinstance(step, str) or not isinstance(step, Sequence) or len(step) != 2:
                raise TypeError(f"a step is a move and a list of what was seen; got {step!r}")
            view = view.after(*step)
        return view

    def info(self) -> GameInfo:
        """Say what kind of game it is, which engine plays it, and how large it is.

        The kind is found by random play, with the same seed each time.
        Returns: whether moves are simultaneous, chance plays and information is hidden; and the
        numbers of facts, moves, percepts, ground rules and gates where the game is compiled.

        >>> game.info().hidden_information
        True
        """
        from fogspiel.api.rules.info import info_of

        return info_of(self)

    def check(self, *, playouts: int | None = None, seed: int = 0) -> CheckReport:
        """Check the rules of the game, or the class of a game in Python, which is played for that.

        playouts: audit so many random playouts too.
        seed: for the playouts.
        Returns: the findings, and the verdicts of the audit.

        >>> game.check().ok
        True
        """
        from fogspiel.api.rules.check import checked_python

        own = self.loaded.python
        if own is None:
            return self.rules.check(playouts=playouts, seed=seed)
        return checked_python(own, self.name, playouts=playouts, seed=seed)

    def convert(self, to: Format, *, max_nodes: int = MAX_TREE_NODES) -> Conversion:
        """Write the game in another language; a game in Python can only become a tree.

        to: `gdl`, `infix`, `pogddl` or `efg`, as in `Rules.convert`.
        max_nodes: the largest tree that is written as EFG.
        Returns: the `text`, and what goals of a text in GDL-II stand for.
        Raises `UsageError` GAM004 for a game in Python, unless it is written as EFG, and
        `LimitError` TRE001 for a tree that is too large.

        >>> game.convert("efg").text.splitlines()[0]
        'EFG 2 R "kuhn_poker" { "first" "second" }'
        """
        from fogspiel.games.convert import tree_as_efg

        if self.loaded.python is None or to != "efg":
            return self.rules.convert(to, max_nodes=max_nodes)
        return tree_as_efg(self.machine, name=self.name, max_nodes=max_nodes)

    def audit(self, playouts: int = 1_000, *, seed: int = 0) -> Audit:
        """Check in play what rules must have: that games end, can be won, and hide no legal moves.

        Every claim is checked on random playouts, and proved where all states can be visited.
        playouts, seed: how many playouts, and the seed of their moves.
        Returns: the claims with their verdicts, and a finding for each that is violated.

        >>> audit = game.audit(100)
        >>> audit.states, audit.findings
        (52, [])
        >>> print(audit.claims[0])
        DYN001 play ends: proved (all 52 states)
        """
        from fogspiel.api.rules.check import audited

        return audited(self, playouts, seed=seed)

    def playouts(
        self,
        count: int | None = None,
        *,
        seed: int = 0,
        max_steps: int = DEFAULT_MAX_STEPS,
        on_done: Callable[[int], object] | None = None,
    ) -> PlayoutReport:
        """Random games from the beginning: mean payoffs, lengths and speed.

        Every player plays uniformly at random, chance by its weights.
        count: the number of games; 100,000 by default, 20 on the reference reasoner.
        seed: equal seeds give equal results.
        max_steps: steps after which a game is given up.
        on_done: told now and then how many games were added.

        >>> game.playouts(10_000, seed=1).playouts
        10000
        """
        from fogspiel.api.analysis.playout_report import play_out

        return play_out(self, count, seed=seed, max_steps=max_steps, on_done=on_done)

    def solve(
        self,
        method: str = "auto",
        *,
        target: float | None = None,
        seconds: float | None = None,
        iterations: int | None = None,
        seed: int = 0,
        max_nodes: int = DEFAULT_MAX_NODES,
        on_point: OnPoint | None = None,
    ) -> Solution:
        """Compute an equilibrium, its value and its exploitability.

        method: a name that `fogspiel solve --methods` lists; `auto` chooses by kind and size.
        target: exploitability at which to stop, in the unit of the game; by default 0.001 of a win.
        seconds, iterations: other limits; the first that is reached ends the work.
        seed: for methods that sample.
        max_nodes: the largest tree that is built.
        on_point: told the exploitability now and then; if it returns True the solver stops.
        Raises `UsageError` SOL030 or SOL031 for a method that is unknown or does not fit, and
        `LimitError` TRE001 where the tree is too large.

        >>> solution = game.solve()
        >>> round(solution.value["first"], 6)
        -0.055556
        """
        from fogspiel.api.solving import solve

        return solve(
            self,
            method,
            target=target,
            seconds=seconds,
            iterations=iterations,
            seed=seed,
            max_nodes=max_nodes,
            on_point=on_point,
        )

    def analyze(self, *, max_nodes: int = 2_000_000, seconds: float = 20.0) -> Analysis:
        """Find out the size and kind of the game, its equilibria, its value, and a method for it.

        max_nodes: the largest tree that is built; beyond it, random walks tell what they can.
        seconds: time to find the value, and as much for the class of the equilibria.

        >>> analysis = game.analyze()
        >>> analysis.kind.infosets, analysis.game_class, analysis.method
        (12, 'mixed', 'lp')
        """
        from fogspiel.api.analysis.analysis import analyze

        return analyze(self, max_nodes=max_nodes, seconds=seconds)

    def compare(
        self,
        other: Comparable,
        *,
        labels: bool = False,
        any_unit: bool = False,
        merge_chance: bool = False,
        max_nodes: int = 1_000_000,
    ) -> Comparison:
        """Compare the game with another one, or with the rules of one: true if they are the same.

        other: a game, its rules, a bundled name or a path.
        labels: whether players and actions must have the same names, too.
        any_unit: whether payoffs of each player may be in another unit: a positive multiple plus a
        constant.
        merge_chance: whether several moves of chance in a row count as one.
        max_nodes: the largest tree that is built.
        Raises errors as `fogspiel.compare`.

        >>> game.compare("kuhn_poker_pogddl", any_unit=True).same
        True
        """
        from fogspiel.api.analysis.comparison import compare

        return compare(
            self,
            other,
            labels=labels,
            any_unit=any_unit,
            merge_chance=merge_chance,
            max_nodes=max_nodes,
        )

    def tree(self, *, max_nodes: int = DEFAULT_MAX_NODES) -> Tree:
        """The whole game tree as flat arrays.

        max_nodes: the largest tree that is built.
        Raises `LimitError` TRE001 if it is too large.

        >>> game.tree()
        Tree('kuhn_poker', 58 nodes, 12 information sets)
        """
        from fogspiel.api.tree import Tree
        from fogspiel.tree.build.build import build

        refuse_count("max_nodes", max_nodes)
        tree = None if self._tree is None else self._tree()
        if tree is None or len(tree) > max_nodes:
            tree = Tree(self, build(self.machine, title=self.name, max_nodes=max_nodes))
            self._tree = ref(tree)
        return tree

    def strategy(self, source: AnyStrategy | str | Path) -> Strategy:
        """A strategy from a mapping or a function of views, or from a strategy file.

        source: the strategy, or the path of a file that `Solution.save` wrote.
        Raises `UsageError` SOL020 for what is no strategy file, SOL022 for one of other rules.

        >>> always_first = game.strategy(lambda view: {view.legal[0]: 1.0})
        >>> always_first[game.begin().play("(deal jack)").play("(deal king)").view("first")]
        {Move('bet'): 1.0, Move('pass'): 0.0}
        """
        from fogspiel.api.strategy import Strategy
        from fogspiel.solve.files.strategy_file import read_strategy, rules_digest

        if isinstance(source, str | Path):
            digest = rules_digest(self.loaded.sources)
            return Strategy.of_roles(self, read_strategy(Path(source), rules_digest=digest).roles)
        return Strategy.of(self, source)

    def exploitability(self, strategy: AnyStrategy, *, max_nodes: int = DEFAULT_MAX_NODES) -> float:
        """The mean over the players of what each could gain alone against a strategy.

        strategy: the strategy of all players.
        max_nodes: the largest tree that is built.
        Raises `UsageError` API006 where the strategy says nothing, or no probabilities.

        >>> round(game.exploitability(lambda view: {view.legal[0]: 1.0}), 3)
        0.333
        """
        tree = self.tree(max_nodes=max_nodes)
        return tree.exploitability(tree.probabilities(strategy))

    def evaluate(
        self,
        strategy: AnyStrategy,
        *,
        name: str = "a strategy of one's own",
        max_nodes: int = DEFAULT_MAX_NODES,
    ) -> Solution:
        """The value of a strategy of one's own, and what each player could gain against it.

        strategy: a strategy of all players, as `exploitability` takes it.
        name: what stands for the method in the solution, and in the file that `Solution.save`
        writes.
        max_nodes: the largest tree that is built.
        Returns: a solution with `value`, `best_value` and `exploitability`.
        Raises `UsageError` API006 where the strategy says nothing, or no probabilities.

        >>> passing = game.evaluate(lambda view: {"pass": 1.0})
        >>> round(passing.exploitability, 6)
        1.0
        """
        from fogspiel.api.solution import evaluated

        return evaluated(self, strategy, name=name, max_nodes=max_nodes)

    def induce(
        self,
        player: AnyPlayer,
        *,
        seconds: float | None = None,
        simulations: int | None = None,
        start_seconds: float | None = None,
        draws: int = 1,
        seed: int = 0,
        max_nodes: int = 1_000_000,
    ) -> Solution:
        """The strategy that the decisions of a player make when they are put together.

        A new player decides at each information set, in all roles; what it loses at most is the
        exploitability of the result (Richards 2012, definition 4).

        player: as in `match`.
        seconds, simulations, start_seconds: the clock for each decision, as in `match`.
        draws: seeds that decisions are averaged over.
        seed: with simulations, the same seed gives the same strategy.
        max_nodes: the largest tree that is built.
        Returns: a solution with `value`, `best_value` and `exploitability`.
        Raises `LimitError` TRE001 where the tree is too large, `PlayError` MAT001 for a player that
        makes a move that is not legal.

        >>> round(game.induce("random", simulations=1).exploitability, 6)
        0.458333
        """
        from fogspiel.api.analysis.induced import induce

        return induce(
            self,
            player,
            seconds=seconds,
            simulations=simulations,
            start_seconds=start_seconds,
            draws=draws,
            seed=seed,
            max_nodes=max_nodes,
        )

    def best_response(
        self, strategy: AnyStrategy, role: str, *, max_nodes: int = DEFAULT_MAX_NODES
    ) -> Response:
        """A best response of a player to a strategy of the others, with its value.

        strategy: a strategy of all players, as `exploitability` takes it.
        role: the player who responds.
        max_nodes: the largest tree that is built.
        Raises `UsageError` API001 for an unknown role, API006 for what is no strategy.

        >>> game.best_response(lambda view: {"pass": 1.0}, "second").value
        1.0
        """
        from fogspiel.api.analysis.responses import best_response

        return best_response(self, strategy, role, max_nodes=max_nodes)

    def restricted_nash_response(
        self,
        strategy: AnyStrategy,
        role: str,
        confidence: float,
        *,
        max_nodes: int = DEFAULT_MAX_NODES,
    ) -> Response:
        """A response to a guess of the other's strategy that stays safe if the guess is wrong.

        With some probability, the confidence, the other player follows the strategy; otherwise it
        plays freely, and as well as can be (Johanson, Zinkevich and Bowling 2007).

        strategy: a strategy of all players; that of the other player is the guess.
        role: the player who responds.
        confidence: from 0, which gives an equilibrium, to 1, which gives a best response.
        max_nodes: the largest tree that is built.
        Returns: the response, with its value against the strategy and in the worst case.
        Raises `UsageError` SOL014 for a confidence that is no probability, SOL002 and SOL003 for
        games other than those of two players with a constant sum.

        >>> response = game.restricted_nash_response(lambda view: {"pass": 1.0}, "first", 0.0)
        >>> round(response.worst, 6)
        -0.055556
        """
        from fogspiel.api.analysis.responses import restricted_nash_response

        return restricted_nash_response(
            self, strategy, role, confidence=confidence, max_nodes=max_nodes
        )

    def best_response_to_uniform(self, role: str) -> ResponseToUniform:
        """A best response to others who play uniformly at random, without the tree of the game.

        All that matters is how probable each state is, so that histories with the same
        probabilities are one: games are solved whose trees have 10^12 nodes.
        role: the player who responds.
        Returns: its value, and that of each first move.
        Raises `UsageError` API001 for an unknown role, `LimitError` TRE001 for too many beliefs.

        >>> round(game.best_response_to_uniform("first").value, 6)
        0.5
        """
        from fogspiel.api.analysis.responses import best_response_to_uniform

        return best_response_to_uniform(self, role)

    def match(
        self,
        *players: AnyPlayer,
        seconds: float | None = None,
        simulations: int | None = None,
        start_seconds: float | None = None,
        seed: int = 0,
        on_fault: Literal["raise", "replace"] = "raise",
        isolate: bool = False,
        **by_role: AnyPlayer,
    ) -> Match:
        """Let players play one match.

        players: one for each role in the order of the rules; or as keyword arguments by role,
        `match(first="ismcts", second=solution)`. A player is a name that `fogspiel players` lists,
        a player of one's own (a subclass of `Player`, or an object of it), or a strategy.
        by_role: the same as keyword arguments.
        seconds or simulations: the clock for each move, 1,000 simulations by default; with
        simulations the same seed gives the same match.
        start_seconds: time to get ready before the first move.
        seed: the seed of chance, and of the players' own random choices.
        on_fault: "raise" the error of a player that fails, or "replace" its move by a legal one.
        isolate: let players of one's own play in processes of their own, with limits on time and
        memory, as in tournaments.
        Raises `UsageError` for unknown players (PLY002) and roles (API001), and a wrong number of
        players (MAT003).

        >>> game.match("ismcts", "random", simulations=100, seed=7)
        Match('kuhn_poker', first=ismcts, second=random; 5 steps; first -2, second 2)
        """
        from fogspiel.api.matches.playing import by_order_or_name, play_match

        return play_match(
            self,
            by_order_or_name(self, players, by_role),
            seconds=seconds,
            simulations=simulations,
            start_seconds=start_seconds,
            seed=seed,
            on_fault=on_fault,
            isolate=isolate,
        )

    def series(
        self,
        *players: AnyPlayer,
        games: int | None = None,
        swap: bool = False,
        paired: bool = False,
        seconds: float | None = None,
        simulations: int | None = None,
        start_seconds: float | None = None,
        seed: int = 0,
        record: str | Path | None = None,
        on_match: Callable[[], object] | None = None,
        isolate: bool = False,
    ) -> Series:
        """Let the same players play many matches, with 95 % intervals of their mean payoffs.

        players: as in `match`, in the order of the roles.
        games: 100 by default, or the next number that all seatings share evenly.
        swap: rotate seats after each game, so that all play every role as often.
        paired: with `swap`, let chance draw alike in all games of a round of seats.
        seconds, simulations, start_seconds, seed: as in `match`.
        record: a folder to which every match is written.
        on_match: called after each match.
        isolate: as in `match`; moves that a player fails to make are replaced by legal ones, and
        counted.
        Raises `UsageError` for unknown players (PLY002), a wrong number of them (MAT003), and games
        that rotated seats cannot share (MAT006).

        >>> game.series("first", "random", games=20, swap=True, seed=1).totals[0].games
        20
        """
        from fogspiel.api.matches.series import play_games

        return play_games(
            self,
            players,
            games=games,
            swap=swap,
            paired=paired,
            seconds=seconds,
            simulations=simulations,
            start_seconds=start_seconds,
            seed=seed,
            record=record,
            on_match=on_match,
            isolate=isolate,
        )

    def _row(self, bits: NDArray[Any]) -> NDArray[np.uint64]:
        """Bits as a row of the machine's states. Raises `ValueError` for another shape or type."""
        expected = self.machine.initial().shape
        # Machines that number facts as they meet them have rows of any length.
        fits = bits.shape == expected if self.machine.engine == "compiled" else bits.ndim == 1
        if not fits or bits.dtype.kind not in "ui":
            raise ValueError(
                f"the bits of a state are whole numbers of the shape {expected}; "
                f"got {bits.dtype} of the shape {bits.shape}"
            )
        return bits.astype(np.uint64)

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Game):
            return self is other
        own, its = self.loaded, other.loaded
        return self.machine is other.machine or (
            bool(own.sources)
            and own.python is None  # other machines have other numbers for the same states
            and own.sources == its.sources
            and self.machine.engine == other.machine.engine
        )

    def __hash__(self) -> int:
        return hash((self.name, self.roles))

    def __repr__(self) -> str:
        chance = "" if self.chance is None else f", chance={str(self.chance)!r}"
        return f"Game({self.name!r}, players={self.players!r}{chance})"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.loaded.python is not None:
            return _python_game_again, (self.loaded.python, self.name)
        return _game_again, (self.rules, self.machine.engine)


def _game_again(rules: Rules, engine: Engine) -> Game:
    """The same game in another process, or after it was stored."""
    return rules.load(engine=engine)


def _python_game_again(game: PythonGame, name: str) -> Game:
    """The same game in Python in another process, or after it was stored."""
    return Game(load_python(game, name=name))
