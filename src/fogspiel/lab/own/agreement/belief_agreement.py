"""Whether all methods of `belief` say the same, on random positions of every bundled game.

A position is that of a random player after a random number of steps of a random game. Where its
information set is too large to be listed, that is recorded, and play is taken back to the last step
at which it can be. Then:

- Methods that enumerate must give the set that `exact` gives, with the same probabilities; one that
  was stopped by a limit must have given a part of it. The true history must be inside.
- A sample of each method, with its weights, must come from the posterior: the test of `goodness`
  over all histories, of which neighbours in the order of their moves are pooled. Samples that the
  method itself does not mark as unbiased are tested apart: they may fail.

Where a method draws many histories from one random choice, only samples with different seeds are
independent, and the test goes by these: `particles` once it has dropped states. Likewise by the
random parts of a large set from which `sat` draws.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.methods import make_belief
from fogspiel.belief.positions import Position, position_after, random_history
from fogspiel.belief.protocol import Belief, BeliefLimits, BeliefRequest, Histories
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.lab.framework.goodness_of_fit import goodness_of_fit
from fogspiel.lab.framework.study import Document, Settings, Study, bundled_cells
from fogspiel.lab.own.agreement.agreement_table import table
from fogspiel.machine.protocol import Machine

ENUMERATING = ("exact", "dfs", "csp", "sat", "tree")
SAMPLING = ("particles", "hyperplay", "auto")
BLOCKS = 32  #: Independent samples, where one sample is a single random choice
LEAST_BLOCKS = 16  #: The fewest samples from which a test is made
MOST_STEPS = 10_000
HELD = 5  #: States in memory per history of the largest information set: some are dead ends
WARM_UP = "monty_hall"
WARM_UP_SECONDS = 120.0


def run(settings: Settings, seed: int, game: str) -> list[Document]:
    """Try every method at every position of a game."""
    _warm_up(settings)
    machine = load(game).machine
    return [
        record
        for number in range(settings["positions"])
        for record in records_of(game, machine, settings, seed * 1_000 + number)
    ]


def _warm_up(settings: Settings) -> None:
    """Use every method once on a small game, so that all kernels are there."""
    changed = {**settings, "seconds": WARM_UP_SECONDS, "draws": 10}
    list(records_of(WARM_UP, load(WARM_UP).machine, changed, seed=0))


def records_of(game: str, machine: Machine, settings: Settings, seed: int) -> Iterator[Document]:
    """One record for each method, all at the same position."""
    drawn = random_position(machine, seed)
    position, truth = enumerable(machine, drawn, settings["histories"], settings["seconds"])
    true_history = np.array([position.joints], np.int32)
    for method in settings["methods"]:
        trial = Trial(
            machine=machine,
            position=position,
            truth=truth,
            method=method,
            limits=BeliefLimits(seconds=settings["seconds"]),
            seed=seed,
        )
        # With the same seed methods that draw alike would make the same draws, also in games that
        # are alike, and the same chance would be tested many times.
        draw_seed = seed + crc32(f"{game} {method}".encode())
        yield {
            "game": game,
            "seed": seed,
            "role": machine.roles[position.role],
            "drawn_steps": len(drawn.observations),
            "steps": len(position.observations),
            "too_large": len(position.observations) < len(drawn.observations),
            "size": len(truth),
            "true_inside": bool(truth.places(true_history)[0] >= 0),
            "method": method,
            **(trial.enumerated() if method in ENUMERATING else {}),
            **trial.sampled(settings["draws"], draw_seed),
        }


def random_position(machine: Machine, seed: int) -> Position:
    """The position of a random player after a random number of steps of a random match."""
    rng = np.random.default_rng([seed, 1])
    history = random_history(machine, MOST_STEPS, seed)
    players = [role for role in range(len(machine.roles)) if role != machine.chance_role]
    steps = int(rng.integers(1, len(history) + 1))
    return position_after(machine, history[:steps], RoleId(int(rng.choice(players))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """An information set as `exact` gives it."""

    joints: NDArray[np.int32]
    """(n, steps, roles) histories in ascending order: a common prefix puts them side by side."""
    shares: NDArray[np.float64]  #: (n,) the posterior
    numbers: dict[bytes, int]  #: The row of each history in `joints`

    def __len__(self) -> int:
        """The number of histories."""
        return len(self.joints)

    def places(self, joints: NDArray[np.int32]) -> NDArray[np.int64]:
        """(m,) the row of each history; -1 for one outside the information set."""
        found = [self.numbers.get(history.tobytes(), -1) for history in joints]
        return np.array(found, np.int64)


def enumerable(
    machine: Machine, position: Position, most: int, seconds: float
) -> tuple[Position, Truth]:
    """The position, or the last earlier one with at most `most` histories; and these."""
    assert position.joints is not None
    last = _last_enumerable(machine, position, most, seconds)
    cut = position_after(machine, position.joints[:last], position.role)
    belief = ExactBelief(BeliefRequest(machine, position.role, _limits(most, seconds)))
    for observation in cut.observations:
        belief.advance(observation)
    found = belief.enumerate(most)
    assert found.complete, "counted before"
    columns = found.joints.reshape(len(found), -1)
    order = np.lexsort(columns.T[::-1]) if last else np.arange(len(found))
    joints = np.ascontiguousarray(found.joints[order])
    return cut, Truth(
        joints=joints,
        shares=found.weights[order] / found.weights.sum(),
        numbers={history.tobytes(): number for number, history in enumerate(joints)},
    )


def _last_enumerable(machine: Machine, position: Position, most: int, seconds: float) -> int:
    belief = ExactBelief(BeliefRequest(machine, position.role, _limits(most, seconds)))
    deadline = time.perf_counter() + seconds
    last = 0
    for step, observation in enumerate(position.observations, start=1):
        belief.limits = belief.limits.within(deadline - time.perf_counter())
        try:
            belief.advance(observation)
        except LimitError:
            break
        size = belief.size()
        if size is not None and size <= most:
            last = step
    return last


def _limits(most: int, seconds: float) -> BeliefLimits:
    return BeliefLimits(histories=HELD * most, seconds=seconds)


@dataclass(frozen=True, slots=True)
class IndependentDraws:
    """A sample, and what of it is independent."""

    joints: NDArray[np.int32]
    weights: NDArray[np.float64]
    blocks: NDArray[np.int64] | None
    """(n,) ascending numbers of blocks that are independent; None where all draws are."""
    unbiased: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A method at a position."""

    machine: Machine
    position: Position
    truth: Truth
    method: str
    limits: BeliefLimits
    seed: int

    def enumerated(self) -> Document:
        """Whether the method lists what it should."""
        began = time.perf_counter()
        try:
            belief = self._belief(self.seed, began + self.limits.seconds)
            found = belief.enumerate(len(self.truth) + 1)
        except LimitError as error:
            return {"same_set": None, "enumerating_stopped": error.findings[0].code}
        seconds = time.perf_counter() - began
        places = self.truth.places(found.joints)
        sound = bool((places >= 0).all()) and len(np.unique(places)) == len(places)
        if not found.complete:
            return {
                # A part of the set says nothing about the whole, but it can be wrong.
                "same_set": None if sound else False,
                "found": len(found),
                "enumerating_seconds": round(seconds, 4),
                "enumerating_stopped": "incomplete",
            }
        same = sound and len(found) == len(self.truth)
        shares = found.weights / found.weights.sum()
        off = float(np.abs(shares - self.truth.shares[places]).max()) if same else None
        return {
            "same_set": same,
            "found": len(found),
            "largest_error": off,
            "enumerating_seconds": round(seconds, 4),
        }

    def sampled(self, count: int, seed: int) -> Document:
        """Whether the method draws as it should."""
        began = time.perf_counter()
        try:
            draws = self._draws(count, seed, began + self.limits.seconds)
        except LimitError as error:
            return {"p_value": None, "sampling_stopped": error.findings[0].code}
        places = self.truth.places(draws.joints)
        record: Document = {
            "draws": len(places),
            "all_fit": bool((places >= 0).all()),
            "unbiased": draws.unbiased,
            "sampling_seconds": round(time.perf_counter() - began, 4),
        }
        if not record["all_fit"]:
            return {**record, "p_value": 0.0}
        if draws.blocks is not None and draws.blocks[-1] + 1 < LEAST_BLOCKS:
            return {**record, "p_value": None, "sampling_stopped": "too few samples"}
        fit = goodness_of_fit(self.truth.shares, places, draws.weights, draws.blocks)
        return {
            **record,
            "blocks": None if draws.blocks is None else int(draws.blocks[-1]) + 1,
            "effective": round(fit.effective, 1),
            "cells": fit.cells,
            "chi_square": round(fit.statistic, 4),
            "degrees": round(fit.degrees, 4),
            "p_value": fit.p_value,
        }

    def _belief(self, seed: int, deadline: float) -> Belief:
        """Told all that the role did and saw."""
        belief = make_belief(self.method, self.machine, self.position.role, self.limits, seed=seed)
        for observation in self.position.observations:
            belief.limits = belief.limits.within(deadline - time.perf_counter())
            belief.advance(observation)
        belief.limits = belief.limits.within(deadline - time.perf_counter())
        return belief

    def _draws(self, count: int, seed: int, deadline: float) -> IndependentDraws:
        belief = self._belief(seed, deadline)
        drawn = belief.sample(count, seed)
        if self.method == "particles" and belief.size() is None:
            return self._repeated(count, seed, deadline)
        blocks = None
        if self.method == "sat" and np.ptp(drawn.weights) > 0.0:
            # All draws from one part of the set have the same weight, and follow each other.
            blocks = np.cumsum(np.diff(drawn.weights, prepend=drawn.weights[0]) != 0.0)
        return IndependentDraws(drawn.joints, drawn.weights, blocks, drawn.unbiased)

    def _repeated(self, count: int, seed: int, deadline: float) -> IndependentDraws:
        """Samples with different seeds, as long as there is time."""
        found: list[Histories] = []
        while not found or (len(found) < BLOCKS and time.perf_counter() < deadline):
            seed += 1_000_003
            found.append(self._belief(seed, deadline).sample(count // BLOCKS, seed))
        return IndependentDraws(
            joints=np.concatenate([part.joints for part in found]),
            weights=np.concatenate([part.weights / part.weights.mean() for part in found]),
            blocks=np.repeat(np.arange(len(found)), [len(part) for part in found]),
            unbiased=all(part.unbiased for part in found),
        )


STUDY = Study(
    name="belief-agreement",
    what="Whether all methods give the same information sets and draw from the same posterior",
    source="our own; `exact` is the yardstick",
    settings={
        "games": (),
        "positions": 10,
        "histories": 200_000,
        "draws": 2_000,
        "seconds": 20.0,
        "methods": ENUMERATING + SAMPLING,
    },
    quick={"positions": 2, "histories": 5_000, "seconds": 5.0},
    cells=bundled_cells,
    run=run,
    table=table,
)
