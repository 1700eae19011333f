"""Richards (2012), table 4.1: histories found in 30 seconds, in Racko, Battleship and GOPS.

For each instance ten random positions; the table gives the histories that were found by depth-first
search and by constraint satisfaction. That its entries for GOPS are multiples of 30 suggests sums
over the positions with at most 30 each; we compare every single position with the entry, which is
the harder reading.

Departures: a method stops when it has found 100 times the entry: more would only cost time. `csp`
has the 30 seconds of the table, the methods beside it 10. What is compiled at first use is compiled
before the clock starts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fogspiel.belief.methods import make_belief
from fogspiel.belief.positions import Position, position_after, random_course
from fogspiel.belief.protocol import Belief, BeliefLimits, Histories
from fogspiel.belief.replay import consistent
from fogspiel.core.findings import LimitError
from fogspiel.core.ids import RoleId
from fogspiel.games.load import load
from fogspiel.lab.framework.markdown import markdown
from fogspiel.lab.framework.study import RICHARDS, Document, Settings, Study
from fogspiel.lab.richards.figure_4_1 import plot
from fogspiel.machine.protocol import Machine

PUBLISHED: Mapping[str, Mapping[tuple[int, int], tuple[int, int]]] = {
    # (row, column): (constraint satisfaction, depth-first search)
    "racko": {
        (6, 30): (131, 0), (6, 40): (106, 30), (6, 50): (109, 0), (6, 60): (149, 0),
        (7, 30): (175, 0), (7, 40): (158, 0), (7, 50): (126, 0), (7, 60): (158, 0),
        (8, 30): (278, 0), (8, 40): (146, 0), (8, 50): (180, 0), (8, 60): (228, 0),
        (9, 30): (260, 0), (9, 40): (158, 0), (9, 50): (118, 0), (9, 60): (87, 0),
        (10, 30): (308, 0), (10, 40): (273, 0), (10, 50): (106, 0), (10, 60): (179, 0),
    },
    "battleship": {
        (1, 4): (86, 86), (1, 6): (287, 232), (1, 8): (177, 114), (1, 10): (555, 166),
        (2, 4): (70, 70), (2, 6): (121, 117), (2, 8): (2161, 141), (2, 10): (792, 36),
        (3, 4): (39, 39), (3, 6): (656, 65), (3, 8): (318, 0), (3, 10): (792, 0),
        (4, 4): (1598, 194), (4, 6): (90, 1), (4, 8): (345, 0), (4, 10): (865, 0),
        (5, 6): (173, 0), (5, 8): (1087, 0), (5, 10): (1074, 0),
    },
    "gops": {
        (rounds, extra): (300, depth_first)
        for rounds, row in {
            2: (300, 300, 60, 30), 4: (0, 30, 0, 30), 6: (0, 0, 0, 0), 8: (0, 0, 0, 0),
            10: (0, 0, 0, 0),
        }.items()
        for extra, depth_first in zip((10, 20, 30, 40), row, strict=True)
    },
}  # fmt: skip
FIRST_BATCH = 256
WARM_UP = "gops(2,10)"
WARM_UP_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class TableCell:
    """One instance of a game with its published figures."""

    game: str
    row: int
    column: int
    csp: int
    dfs: int

    @property
    def member(self) -> str:
        """The game of ours: `racko(60,10)`. Rows and columns stand in different orders."""
        if self.game == "gops":
            return f"gops({self.row},{self.column})"
        return f"{self.game}({self.column},{self.row})"


def cells(games: Sequence[str]) -> list[TableCell]:
    """All cells of some games, in the order of the table; none of a game that is not in it."""
    return [
        TableCell(game, row, column, *figures)
        for game in games
        for (row, column), figures in PUBLISHED.get(game, {}).items()
    ]


def parts(settings: Settings) -> list[str]:
    """The members that are asked for: each cell runs by itself."""
    return [cell.member for cell in cells(settings["games"]) if _wanted(cell, settings)]


def _wanted(cell: TableCell, settings: Settings) -> bool:
    return not settings["cells"] or cell.member in settings["cells"]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """One record for each position and method of a cell."""
    (cell,) = (cell for cell in cells(tuple(PUBLISHED)) if cell.member == part)
    return list(_records(cell, settings, seed))


def _records(cell: TableCell, settings: Settings, seed: int) -> Iterator[Document]:
    machine = load(cell.member).machine
    most = settings["factor"] * max(cell.csp, 1)
    _warm_up(settings["methods"], seed)
    for number in range(settings["positions"]):
        position = random_position(machine, seed=seed * 1_000 + number)
        for method in settings["methods"]:
            seconds = settings["seconds" if method == "csp" else "seconds_beside"]
            yield {
                "game": cell.game,
                "member": cell.member,
                "row": cell.row,
                "column": cell.column,
                "position": number,
                "steps": len(position.observations),
                "role": machine.roles[position.role],
                "method": method,
                "published_csp": cell.csp,
                "published_dfs": cell.dfs,
                "sought": most,
                "allowed_seconds": seconds,
                **search(machine, position, method, most, seconds, seed + number),
            }


def _warm_up(methods: Sequence[str], seed: int) -> None:
    """Use every method once on a small game, so that all kernels are there."""
    machine = load(WARM_UP).machine
    for method in methods:
        search(machine, random_position(machine, seed), method, 1, WARM_UP_SECONDS, seed)


def random_position(machine: Machine, seed: int) -> Position:
    """A decision of a player, drawn evenly from those of a random game."""
    course = random_course(machine, 10_000, seed)
    decisions: list[tuple[int, RoleId]] = []
    state = machine.initial()
    for step, joint in enumerate(course):
        decisions += [
            (step, role)
            for role in map(RoleId, range(len(machine.roles)))
            if role != machine.chance_role and len(machine.legal(state, role)) > 1
        ]
        state = machine.step(state, joint)
    step, role = decisions[int(np.random.default_rng(seed).integers(len(decisions)))]
    return position_after(machine, course[:step], role)


def search(
    machine: Machine, position: Position, method: str, most: int, seconds: float, seed: int
) -> Document:
    """Histories that a method finds in some seconds, each played again to be sure."""
    began = time.perf_counter()
    # A method may hold more than it is asked for: states on the way to the last step.
    limits = BeliefLimits(histories=max(8 * most, 1_000_000), seconds=seconds)
    belief = make_belief(method, machine, position.role, limits)
    try:
        for observation in position.observations:
            belief.limits = belief.limits.within(began + seconds - time.perf_counter())
            belief.advance(observation)
        found = _find(belief, most, began + seconds, seed)
    except LimitError as error:
        spent = time.perf_counter() - began
        return _record(0, complete=False, size=None, seconds=spent, stopped=error.findings[0].code)
    spent = time.perf_counter() - began
    joints = np.unique(found.joints, axis=0)
    good = consistent(machine, position.role, position.observations, joints)
    assert good.all(), f"{method} gave a history that does not fit"
    return _record(
        len(joints), complete=found.complete, size=belief.size(), seconds=spent, stopped=None
    )


def _find(belief: Belief, most: int, deadline: float, seed: int) -> Histories:
    """All histories or as many as asked for; where enumerating ends too early, drawn ones too."""
    belief.limits = belief.limits.within(deadline - time.perf_counter())
    found = belief.enumerate(most)
    batch = FIRST_BATCH
    while not found.complete and len(found) < most and time.perf_counter() < deadline:
        belief.limits = belief.limits.within(deadline - time.perf_counter())
        try:
            more = belief.sample(batch, seed)
        except LimitError:
            break
        found = _together(found, more)
        seed += 1_000_003
        batch *= 2
    return found


def _together(found: Histories, more: Histories) -> Histories:
    """The different histories of both; what is wanted here is their number, not their weights."""
    joints, first = np.unique(
        np.concatenate([found.joints, more.joints]), axis=0, return_index=True
    )
    return Histories(
        joints=joints,
        states=np.concatenate([found.states, more.states])[first],
        weights=np.ones(len(joints)),
        complete=False,
    )


def _record(
    found: int, *, complete: bool, size: int | None, seconds: float, stopped: str | None
) -> Document:
    return {
        "found": found,
        "complete": complete,
        "size": size,
        "search_seconds": round(seconds, 4),
        "stopped": stopped,
    }


def table(records: Sequence[Document]) -> str:
    """A row for each cell: the published figures, and the least of ours over the positions."""
    methods = list(dict.fromkeys(record["method"] for record in records))
    head = ["game", "CSP (2012)", "DFS (2012)", *methods]
    rows = list[list[str]]()
    for member in dict.fromkeys(record["member"] for record in records):
        own = [record for record in records if record["member"] == member]
        row = [member, str(own[0]["published_csp"]), str(own[0]["published_dfs"])]
        row += [_summary([r for r in own if r["method"] == method]) for method in methods]
        rows.append(row)
    return markdown(head, rows)


def _summary(records: Sequence[Document]) -> str:
    """How many positions were solved as a whole, and otherwise the least number found."""
    whole = sum(record["complete"] for record in records)
    partial = [record["found"] for record in records if not record["complete"]]
    slowest = max((record["search_seconds"] for record in records), default=0.0)
    parts = [f"{whole} of {len(records)} whole"] if whole else []
    parts += [f"at least {min(partial):,}"] if partial else []
    return f"{', '.join(parts)} ({slowest:.1f} s)"


STUDY = Study(
    name="richards-4-1",
    what="Histories found in information sets of Racko, Battleship and GOPS",
    source=f"{RICHARDS}, table 4.1",
    settings={
        "games": ("racko", "battleship", "gops"),
        "cells": (),
        "positions": 10,
        "seconds": 30.0,
        "seconds_beside": 10.0,
        "methods": ("csp", "dfs", "exact", "sat"),
        "factor": 100,
    },
    quick={"positions": 2, "seconds": 5.0, "seconds_beside": 2.0},
    parts=parts,
    run_part=run_part,
    table=table,
    plot=plot,
)
