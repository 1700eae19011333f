"""`hyperplay`: a bag of models of the game, advanced move by move and repaired by backtracking.

Source: Schofield, Cerexhe and Thielscher (2012), "HyperPlay: a solution to general game playing
with imperfect information"; Schofield and Thielscher (2019), JAIR 66.
Departures: all models are advanced side by side; what one of them learns about choices that lead
nowhere holds for all (see `dead_ends`); and models carry importance weights.

A model is a history. At each step it makes a choice that fits, by share. One that cannot go on
takes its last choice back, notes that it leads nowhere, and makes another; if there is none it
goes further back. When the beginning itself leads nowhere, nothing fits.

Whatever the order in which choices fail, a model ends up with each of its choices drawn by share
from those that lead to the last step: it is the first history that fits in a random order of
branches. So it is proposed with probability (product of share / mass), mass being the shares of all
choices at that point that lead to the last step, and its weight is the product of these masses.
They are exact if it is known of every choice beside the path whether it leads there. `sample`
finds that out by scouts: searches from such choices that stop as soon as they meet what is known.
A choice that was not looked at, because the effort was used up, is supposed to lead there; the
sample is then not marked as unbiased.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.base import CallClock, contradiction
from fogspiel.belief.hyperplay.dead_ends import UNTAKEN, DeadEnds, drawn
from fogspiel.belief.protocol import BeliefRequest, Histories
from fogspiel.belief.transitions import Indices, PointBelief, Reals, proportions, sums_by_owner
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import Observation
from fogspiel.machine.protocol import State

MODELS = 2048
SCOUTS = 20_000  #: Choices beside the paths that are looked at in one step of play at most


class HyperplayBelief(PointBelief):
    """A bag of models. Implements `Belief`."""

    method = "hyperplay"

    def __init__(
        self, request: BeliefRequest, *, count: int = MODELS, scouts: int = SCOUTS
    ) -> None:
        super().__init__(request)
        self.scouts = scouts
        count = min(count, self.limits.histories)
        self.paths = np.zeros((count, 1), np.int64)
        """(models, steps + 1) the node in each layer."""
        self.edges = np.zeros((count, 0), np.int64)
        """(models, steps) the choice made in each layer."""
        self._depths = np.zeros(count, np.int64)
        """(models,) the layer that each has reached: the last one, unless a limit stopped it."""
        self._graph = [self._nodes()]
        self._graph[0].numbers(self.transitions.start())
        self._logs: Reals | None = np.zeros(count)
        self._sure = True
        """Whether all choices beside the paths were looked at for the weights."""

    def advance(self, observation: Observation) -> None:
        """Advance all models, and repair those that cannot go on.

        Where nothing fits the bag is spent: it says so again whatever it is asked. Where a limit
        stops the repair it is taken up again by the next call.
        """
        self._refuse_spent()
        self.observations.append(observation)
        self._graph.append(self._nodes())
        self._logs = None
        self.paths = np.pad(self.paths, ((0, 0), (0, 1)))
        self.edges = np.pad(self.edges, ((0, 0), (0, 1)))
        self._repair()

    def _repair(self) -> None:
        """Bring all models to the last step."""
        self._refuse_spent()
        rng = np.random.default_rng([self.seed, len(self.observations)])
        self._completed(self.paths, self.edges, self._depths, rng, self.clock())

    def sample(self, count: int, seed: int) -> Histories:
        """Models from the bag, all different ones as long as there are enough."""
        self._repair()
        rng = np.random.default_rng(seed)
        whole, rest = divmod(count, len(self.paths))
        rows = np.concatenate(
            [np.tile(np.arange(len(self.paths)), whole), rng.permutation(len(self.paths))[:rest]]
        )
        drawn = self._given(rows, proportions(self._weights()[rows]))
        return replace(drawn, unbiased=self._sure)

    def enumerate(self, limit: int) -> Histories:
        """The different histories in the bag. Never known to be all."""
        self._repair()
        _, rows = np.unique(self.edges, axis=0, return_index=True)
        rows = np.sort(rows)[:limit]
        logs = np.zeros(len(rows))
        for depth in range(len(self.observations)):
            logs += np.log(self._graph[depth].shares.rows[self.edges[rows, depth]])
        return self._given(rows, proportions(logs))

    def probability(self, state: State) -> float:
        """The probability by the weights of the models."""
        self._repair()
        points = self._graph[-1].points.rows[self.paths[:, -1]]
        return self.share_of(state, points, proportions(self._weights()))

    def _given(self, rows: Indices, weights: Reals) -> Histories:
        joints = np.empty((len(rows), len(self.observations), len(self.machine.roles)), np.int32)
        for depth in range(len(self.observations)):
            joints[:, depth] = self._graph[depth].joints.rows[self.edges[rows, depth]]
        return self.histories(joints, self._graph[-1].points.rows[self.paths[rows, -1]], weights)

    def _nodes(self) -> DeadEnds:
        return DeadEnds(self.transitions.start().shape[1], len(self.machine.roles))

    def _completed(
        self,
        paths: Indices,
        edges: Indices,
        depths: Indices,
        rng: np.random.Generator,
        clock: CallClock,
        floor: int = 0,
        *,
        scouting: bool = False,
    ) -> None:
        """Carry searches to the last step, in place; none goes back before the layer `floor`.

        A scout stops as well where it is known that the last step can be reached, and where its
        own beginning leads nowhere; a model never finds the beginning dead, or nothing fits.
        """
        last = len(self.observations)
        open_ = np.flatnonzero(depths < last)
        while len(open_):
            clock.check(last)
            depth = int(np.bincount(depths[open_]).argmax())
            rows = open_[depths[open_] == depth]
            self._taken(paths, edges, depths, rows, depth, rng)
            failed = depths < floor
            if failed.any() and not scouting:
                raise contradiction(last)
            done = (depths[open_] == last) | failed[open_]
            if scouting:
                done |= self._known(paths, depths, open_, last)
            self._mark(paths, depths, open_[done & ~failed[open_]], floor, last)
            open_ = open_[~done]

    def _taken(
        self,
        paths: Indices,
        edges: Indices,
        depths: Indices,
        rows: Indices,
        depth: int,
        rng: np.random.Generator,
    ) -> None:
        """Let searches at one layer make a choice, or go one layer back where none is left."""
        layer, below = self._graph[depth], self._graph[depth + 1]
        nodes = paths[rows, depth]
        self._open(depth, nodes)
        owners, choices = layer.edges(nodes, below)
        picks = drawn(owners, layer.shares.rows[choices], len(rows), rng)
        stuck = picks < 0
        layer.dead.rows[nodes[stuck]] = True
        depths[rows[stuck]] -= 1
        going, chosen = rows[~stuck], choices[picks[~stuck]]
        edges[going, depth] = chosen
        paths[going, depth + 1] = self._children(depth, nodes[~stuck], chosen)
        depths[going] += 1

    def _open(self, depth: int, nodes: Indices) -> None:
        new = self._graph[depth].unopened(nodes)
        if not len(new):
            return
        layer = self._graph[depth]
        room = self.transitions.affordable(self.limits, sum(n.bytes for n in self._graph))
        room = min(room, self.limits.histories - sum(map(len, self._graph)))
        if room <= 0:
            raise self.gave_up()
        try:
            following, which = self.transitions.successors(
                layer.points.rows[new], self.observations[depth], room
            )
        except LimitError:
            raise self.gave_up() from None
        layer.open(new, following, which)

    def _children(self, depth: int, nodes: Indices, chosen: Indices) -> Indices:
        """(n,) the nodes that choices lead to. One that was never made is made now."""
        layer, below = self._graph[depth], self._graph[depth + 1]
        untaken, first = np.unique(chosen, return_index=True)
        new = layer.child.rows[untaken] == UNTAKEN
        untaken, first = untaken[new], first[new]
        if len(untaken):
            points = self.transitions.step(
                layer.points.rows[nodes[first]], layer.joints.rows[untaken]
            )
            layer.child.rows[untaken] = below.numbers(points)
        return layer.child.rows[chosen]

    def _known(
        self, paths: Indices, depths: Indices, rows: Indices, last: int
    ) -> NDArray[np.bool_]:
        """(n,) whether searches stand where it is known that the last step can be reached."""
        known = np.zeros(len(rows), np.bool_)
        for depth in np.unique(depths[rows]):
            here = depths[rows] == depth
            known[here] = (
                depth >= 0 and self._graph[depth].reach.rows[paths[rows[here], depth]] == last
            )
        return known

    def _mark(self, paths: Indices, depths: Indices, rows: Indices, floor: int, last: int) -> None:
        """Note along the paths of some searches that they lead to the last step."""
        for depth in range(floor, last + 1):
            through = rows[depths[rows] >= depth]
            self._graph[depth].reach.rows[paths[through, depth]] = last

    def _weights(self) -> Reals:
        """(models,) logarithms of the weights."""
        if self._logs is None:
            clock = self.clock()
            rng = np.random.default_rng([self.seed, len(self.observations), 1])
            left, self._sure = self.scouts, True
            logs = np.zeros(len(self.paths))
            # The last choices first: what they show is known to those who scout before them.
            for depth in range(len(self.observations) - 1, -1, -1):
                left -= self._scouted(depth, left, rng, clock)
                nodes, which = np.unique(self.paths[:, depth], return_inverse=True)
                owners, rows = self._graph[depth].edges(nodes, self._graph[depth + 1])
                self._sure &= not self._unsure(depth, rows).any()
                masses = sums_by_owner(owners, self._graph[depth].shares.rows[rows], len(nodes))
                logs += np.log(masses)[which]
            self._logs = logs
        return self._logs

    def _scouted(self, depth: int, most: int, rng: np.random.Generator, clock: CallClock) -> int:
        """Find out where choices beside the paths lead in one layer. How many were looked at."""
        layer, below, last = self._graph[depth], self._graph[depth + 1], len(self.observations)
        nodes = np.unique(self.paths[:, depth])
        owners, rows = layer.edges(nodes, below)
        unsure = self._unsure(depth, rows)
        owners, rows = owners[unsure][:most], rows[unsure][:most]
        if not len(rows):
            return 0
        paths = np.zeros((len(rows), last + 1), np.int64)
        paths[:, depth + 1] = self._children(depth, nodes[owners], rows)
        starts = np.full(len(rows), depth + 1)
        try:
            self._completed(paths, paths.copy(), starts, rng, clock, floor=depth + 1, scouting=True)
        except LimitError:
            return most
        return len(rows)

    def _unsure(self, depth: int, edges: Indices) -> NDArray[np.bool_]:
        """(n,) whether it is unknown if choices in a layer lead to the last step."""
        if depth + 1 == len(self.observations):
            # Here each choice is itself the last step.
            return np.zeros(len(edges), np.bool_)
        return self._graph[depth].unsure(edges, self._graph[depth + 1], len(self.observations))

    def _refuse_spent(self) -> None:
        if self._graph[0].dead.rows[0]:
            raise contradiction(len(self.observations))
