"""Translation of a game in extensive form to POGDDL: one domain for all trees, the tree as facts.

Source: Richards (2012), theorem 2: there is a POGDDL description for every game in extensive form.
Departures: the proof writes an action for each edge, whose name would tell the mover where in the
tree it is. Here the mover names a label, and what happens depends on the node that play is at. Two
conditions that the proof takes for granted are checked: perfect recall, and a clock that fits the
information sets, since every role counts the steps. Waiting steps make it fit.

Actions of chance with probability 0 are left out, with all that follows them.

Names are those of the file where the rules are played, and plain ones that POGDDL can write where
they are converted. One name may stand for a player, an action and an information set at once; the
types of the domain allow it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import gcd, lcm

from fogspiel.core.findings import LimitError, RulesError, Severity
from fogspiel.core.source import Source
from fogspiel.rules.efg.checks import check_recall, steps_of
from fogspiel.rules.efg.labels import EfgNames, OwnNames, PlainNames
from fogspiel.rules.efg.syntax import CHANCE, NO_PARENT, ExtensiveGame, without_impossible
from fogspiel.rules.pogddl import syntax
from fogspiel.rules.pogddl.read.read import read_pogddl

MAX_NODES = 1_000_000  #: Nodes with those that wait

FOLLOW_EDGE = """\
                 (forall (?n ?m - node)
                   (when (and (at ?n) (edge ?n ?a ?m))
                     (and (not (at ?n)) (at ?m))))
                 (forall (?n ?m - node ?s - role)
                   (when (and (at ?n) (edge ?n ?a ?m) (mover ?m ?s))
                     (whoseturn ?s)))
                 (forall (?n ?m - node ?s - player ?h - infoset)
                   (when (and (at ?n) (edge ?n ?a ?m) (mover ?m ?s) (in ?m ?h))
                     (observe (?s (entered ?h)))))"""
"""The effects of a move along the edge of the label ?a, whoever chose it."""
DOMAIN = f"""\
; Any game in extensive form. The problem holds its tree as facts.
(define (domain extensive-form)
  (:requirements :typing :adl :fluents :derived-predicates :pogddl)
  ; A name may be that of a player, of an action and of an information set.
  (:types player - role player - label label - infoset drawn - node role node infoset outcome)
  (:constants chance - role)
  (:predicates
    (whoseturn ?r - role)
    (at ?n - node)
    (mover ?n - node ?r - role)
    (in ?n - node ?h - infoset)
    (edge ?n - node ?a - label ?m - node)
    (ends ?n - node ?o - outcome)
    (reached ?o - outcome))
  (:functions (weight ?m - drawn))

  (:derived (reached ?o - outcome)
    (exists (?n - node) (and (at ?n) (ends ?n ?o))))

  ; A player names a label; where that leads is a matter of the node, which it may not know.
  (:action choose
    :parameters (?r - player ?a - label)
    :precondition (and (whoseturn ?r)
                       (exists (?n ?m - node) (and (at ?n) (edge ?n ?a ?m))))
    :effect (and (not (whoseturn ?r))
{FOLLOW_EDGE}))

  (:action draw
    :parameters (?a - label)
    :precondition (and (whoseturn chance)
                       (exists (?n ?m - node) (and (at ?n) (edge ?n ?a ?m))))
    :effect (and (not (whoseturn chance))
{FOLLOW_EDGE}))

  (:choose
    :parameters (?n - node ?m - drawn ?a - label)
    :condition (and (whoseturn chance) (at ?n) (edge ?n ?a ?m))
    :select ((weight ?m) (draw ?a)))

  (:terminal (exists (?o - outcome) (reached ?o))))
"""
WAIT = "wait"  #: The label of a step in which nothing happens


def as_pogddl(game: ExtensiveGame, *, with_own_names: bool = False) -> syntax.GameDescription:
    """Rules whose tree is the tree of the game, but for steps without a choice.

    with_own_names: keeps the names of players, actions and information sets as the file has them,
    to be played and shown; otherwise they become plain, to be written.
    Raises `RulesError` EFG020 or EFG021 if a player forgets, EFG022 if no clock fits, and
    `LimitError` EFG007 if too many waiting steps are needed.
    """
    game = without_impossible(game)
    forgotten = check_recall(game, Severity.ERROR)
    if forgotten:
        raise RulesError(forgotten)
    names = OwnNames(game) if with_own_names else PlainNames(game)
    problem = _Facts(game, steps_of(game), names).problem()
    return syntax.GameDescription(_domain(), problem)


@cache
def _domain() -> syntax.Domain:
    description, findings = read_pogddl([Source("extensive-form.pogddl", DOMAIN)])
    assert description.domain is not None, findings
    return description.domain


class _Facts:
    """Writes down a tree as facts."""

    def __init__(self, game: ExtensiveGame, steps: list[int], names: PlainNames) -> None:
        self._game = game
        self._steps = steps
        self._names = names.taken
        self._players, self._infosets, self._labels = names.players, names.infosets, names.labels
        self._wait: str | None = None
        self._nodes = [self._names.take(f"n{index}", "n") for index in range(len(game.nodes))]
        self._waiting: list[str] = []
        self._outcomes = self._outcome_names()
        self.facts: list[syntax.Atom] = []
        self._weights: list[syntax.Assignment] = []

    def problem(self) -> syntax.Problem:
        """The tree as a problem of the one domain."""
        self._turn(0)
        for node in range(len(self._game.nodes)):
            self._node(node)
        infosets = [name for name in self._infosets if name]
        labels = list(dict.fromkeys(name for own in self._labels for name in own))
        if self._wait is not None:
            labels.append(self._wait)
        # One name may stand for several things: the type of the first of them fits them all.
        acting = [name for name in labels if name not in self._players]
        knowing = [
            name for name in dict.fromkeys(infosets) if name not in {*self._players, *labels}
        ]
        objects = (
            *_typed(self._players, "player"),
            *self._typed_nodes(),
            *_typed(knowing, "infoset"),
            *_typed(acting, "label"),
            *_typed(list(dict.fromkeys(self._outcomes.values())), "outcome"),
        )
        return syntax.Problem(
            name=syntax.Name(EfgNames([]).take(self._game.title, "tree")),
            domain=_domain().name,
            objects=objects,
            facts=tuple(self.facts),
            values=tuple(self._weights),
            gains=tuple(self._gains()),
            source=Source("", ""),
        )

    def _typed_nodes(self) -> Iterator[syntax.Typed]:
        """Nodes that chance leads to have weights, and a type of their own."""
        drawn = {weight.fluent.arguments[0] for weight in self._weights}
        for name in map(syntax.Name, [*self._nodes, *self._waiting]):
            yield syntax.Typed(name, (syntax.Name("drawn" if name in drawn else "node"),))

    def _turn(self, node: int) -> None:
        """What holds at the start."""
        self._fact("at", self._nodes[node])
        infoset = self._game.infoset_of(node)
        if infoset is not None:
            self._fact("whoseturn", self._role(infoset.player))

    def _node(self, node: int) -> None:
        """What holds of a node, and the edge that leads to it."""
        game, name = self._game, self._nodes[node]
        parent = game.parents[node]
        if parent != NO_PARENT:
            infoset, action = game.nodes[parent].infoset or 0, game.actions_taken[node]
            own = game.infosets[infoset]
            weight = _weights(own.probabilities)[action] if own.player == CHANCE else None
            before = self._waits(self._steps[node] - self._steps[parent] - 1, node)
            self._edge(self._nodes[parent], self._labels[infoset][action], before, weight)
        above = game.nodes[node].infoset
        if above is None:
            self._fact("ends", name, self._outcomes[node])
            return
        self._fact("mover", name, self._role(game.infosets[above].player))
        if self._infosets[above]:
            self._fact("in", name, self._infosets[above])

    def _waits(self, count: int, node: int) -> str:
        """The first of some waiting nodes that lead to a node; the node itself if there are none.

        A node that ends the game need not wait.
        """
        following = self._nodes[node]
        if self._game.nodes[node].infoset is None:
            return following
        if count and self._wait is None:
            self._wait = self._names.take(WAIT, WAIT)
        if len(self._nodes) + len(self._waiting) + count > MAX_NODES:
            raise LimitError.of(
                "EFG007",
                f"with the steps that wait, this tree has more than {MAX_NODES:,} nodes",
                fix="give a smaller tree",
            )
        for _ in range(count):
            waiting = self._names.take(f"w{len(self._waiting) + 1}", "w")
            self._waiting.append(waiting)
            self._fact("mover", waiting, "chance")
            self._edge(waiting, self._wait or WAIT, following, 1)
            following = waiting
        return following

    def _edge(self, node: str, label: str, after: str, weight: int | None) -> None:
        self._fact("edge", node, label, after)
        if weight is not None:
            fluent = syntax.Fluent(syntax.Name("weight"), (syntax.Name(after),))
            self._weights.append(syntax.Assignment(fluent, syntax.Number(Fraction(weight))))

    def _fact(self, predicate: str, *names: str) -> None:
        self.facts.append(syntax.Atom(syntax.Name(predicate), tuple(map(syntax.Name, names))))

    def _role(self, player: int) -> str:
        return "chance" if player == CHANCE else self._players[player - 1]

    def _outcome_names(self) -> dict[int, str]:
        """The outcome of each leaf: equal ones have equal payoffs for all players."""
        game = self._game
        known: dict[tuple[Fraction, ...], str] = {}
        outcomes: dict[int, str] = {}
        for node, own in enumerate(game.nodes):
            if own.infoset is not None:
                continue
            total = game.collected[node]
            if total not in known:
                name = ""
                if own.outcome is not None and game.outcomes[own.outcome].payoffs == total:
                    name = game.outcomes[own.outcome].name
                known[total] = self._names.take(name, f"outcome-{len(known) + 1}")
            outcomes[node] = known[total]
        return outcomes

    def _gains(self) -> Iterator[syntax.Gain]:
        seen: set[str] = set()
        for node, outcome in self._outcomes.items():
            if outcome in seen:
                continue
            seen.add(outcome)
            reached = syntax.Atom(syntax.Name("reached"), (syntax.Name(outcome),))
            for player, payoff in zip(self._players, self._game.collected[node], strict=True):
                if payoff:
                    yield syntax.Gain(
                        (syntax.Typed(syntax.Name(player)),), syntax.Number(payoff), reached
                    )


def _typed(names: list[str], kind: str) -> tuple[syntax.Typed, ...]:
    return tuple(syntax.Typed(syntax.Name(name), (syntax.Name(kind),)) for name in names)


def _weights(probabilities: Sequence[Fraction]) -> list[int]:
    """The smallest whole numbers in proportion to some probabilities: ones for uniform chance."""
    scale = lcm(*(probability.denominator for probability in probabilities))
    whole = [int(probability * scale) for probability in probabilities]
    return [number // gcd(*whole) for number in whole]
