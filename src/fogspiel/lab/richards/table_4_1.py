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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogspiel.belief.methods import make_belief
from fogspiel.belief.positions import Position, position_after, random_history
from fogspiel.belief.protocol import Belief, BeliefLimits
from fogspiel.belief.verify import consistent
from fogspiel.core.findings import LimitError
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.lab.framework.presentation import figure, markdown
from fogspiel.lab.framework.study import RICHARDS, Cell, Document, Settings, Study, grouped
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

TITLES: Mapping[str, str] = {
    "racko": "Racko (cards, slots)",
    "battleship": "Battleship (cells a side, ships)",
    "gops": "GOPS (rounds, extra cards)",
}
COLOURS = {"csp": "#1b6ca8", "dfs": "#b5651d", "exact": "#2e7d32", "sat": "#7b3fa0"}
OTHER_COLOUR = "#555555"
SPREAD = 0.16  #: The distance between the marks of two methods; instances are 1 apart


@dataclass(frozen=True, slots=True)
class GameInstance:
    """One instance of a game with its published figures."""

    game: str
    row: int
    column: int
    csp: int
    dfs: int

    @property
    def member(self) -> str:
        """The bundled game: `racko(60,10)`. Rows and columns stand in different orders."""
        if self.game == "gops":
            return f"gops({self.row},{self.column})"
        return f"{self.game}({self.column},{self.row})"


def instances(games: Sequence[str] = tuple(PUBLISHED)) -> dict[str, GameInstance]:
    """All instances of some games by name, in the order of the table."""
    found = (
        GameInstance(game, row, column, *figures)
        for game in games
        for (row, column), figures in PUBLISHED.get(game, {}).items()
    )
    return {instance.member: instance for instance in found}


def cells(settings: Settings) -> list[Cell]:
    """The instances that are asked for."""
    wanted = settings["cells"]
    return [(name,) for name in instances(settings["games"]) if not wanted or name in wanted]


def run(settings: Settings, seed: int, member: str) -> list[Document]:
    """Search with every method at every position of an instance."""
    instance, machine = instances()[member], load(member).machine
    most = settings["factor"] * max(instance.csp, 1)
    _warm_up(settings["methods"], seed)
    records = []
    for number in range(settings["positions"]):
        position = random_decision(machine, seed=seed * 1_000 + number)
        for method in settings["methods"]:
            seconds = settings["seconds" if method == "csp" else "seconds_beside"]
            found = search(machine, position, method, most, seconds, seed + number)
            records.append(
                {
                    "game": instance.game,
                    "member": member,
                    "row": instance.row,
                    "column": instance.column,
                    "position": number,
                    "steps": len(position.observations),
                    "role": machine.roles[position.role],
                    "method": method,
                    "published_csp": instance.csp,
                    "published_dfs": instance.dfs,
                    "sought": most,
                    "allowed_seconds": seconds,
                    **found,
                }
            )
    return records


def _warm_up(methods: Sequence[str], seed: int) -> None:
    """Use every method once on a small game, so that all kernels are there."""
    machine = load(WARM_UP).machine
    for method in methods:
        search(machine, random_decision(machine, seed), method, 1, WARM_UP_SECONDS, seed)


def random_decision(machine: Machine, seed: int) -> Position:
    """A decision of a player, drawn uniformly from those of a random match."""
    history = random_history(machine, 10_000, seed)
    decisions: list[tuple[int, RoleId]] = []
    state = machine.initial()
    for step, joint in enumerate(history):
        decisions += [
            (step, role)
            for role in map(RoleId, range(len(machine.roles)))
            if role != machine.chance_role and len(machine.legal(state, role)) > 1
        ]
        state = machine.step(state, joint)
    step, role = decisions[int(np.random.default_rng(seed).integers(len(decisions)))]
    return position_after(machine, history[:step], role)


def search(
    machine: Machine, position: Position, method: str, most: int, seconds: float, seed: int
) -> Document:
    """Find histories with a method in some seconds; each is played again to be sure."""
    began = time.perf_counter()
    # A method may hold more than it is asked for: states on the way to the last step.
    limits = BeliefLimits(histories=max(8 * most, 1_000_000), seconds=seconds)
    belief = make_belief(method, machine, position.role, limits)
    try:
        for observation in position.observations:
            belief.limits = belief.limits.within(began + seconds - time.perf_counter())
            belief.advance(observation)
        joints, complete = _find(belief, most, began + seconds, seed)
    except LimitError as error:
        spent, stopped = time.perf_counter() - began, error.findings[0].code
        return {
            "found": 0,
            "complete": False,
            "size": None,
            "search_seconds": round(spent, 4),
            "stopped": stopped,
        }
    spent = time.perf_counter() - began
    joints = np.unique(joints, axis=0)
    good = consistent(machine, position.role, position.observations, joints)
    assert good.all(), f"{method} gave a history that does not fit"
    return {
        "found": len(joints),
        "complete": complete,
        "size": belief.size(),
        "search_seconds": round(spent, 4),
        "stopped": None,
    }


def _find(belief: Belief, most: int, deadline: float, seed: int) -> tuple[NDArray[np.int32], bool]:
    """Histories, and whether these are all; where enumeration ends early, drawn ones too."""
    belief.limits = belief.limits.within(deadline - time.perf_counter())
    found = belief.enumerate(most)
    joints, batch = found.joints, FIRST_BATCH
    while not found.complete and len(joints) < most and time.perf_counter() < deadline:
        belief.limits = belief.limits.within(deadline - time.perf_counter())
        try:
            more = belief.sample(batch, seed)
        except LimitError:
            break
        joints = np.unique(np.concatenate([joints, more.joints]), axis=0)
        seed += 1_000_003
        batch *= 2
    return joints, found.complete


def table(records: Sequence[Document]) -> str:
    """A row for each instance: the published figures, and the least of ours over the positions."""
    methods = list(grouped(records, "method"))
    rows = []
    for member, own in grouped(records, "member").items():
        row = [member, str(own[0]["published_csp"]), str(own[0]["published_dfs"])]
        by_method = grouped(own, "method")
        rows.append([*row, *(_summary(by_method.get(method, [])) for method in methods)])
    return markdown(["game", "CSP (2012)", "DFS (2012)", *methods], rows)


def _summary(records: Sequence[Document]) -> str:
    """The number of positions solved as a whole, and the least number found at the others."""
    whole = sum(record["complete"] for record in records)
    partial = [record["found"] for record in records if not record["complete"]]
    slowest = max((record["search_seconds"] for record in records), default=0.0)
    told = [f"{whole} of {len(records)} whole"] if whole else []
    told += [f"at least {min(partial):,}"] if partial else []
    return f"{', '.join(told)} ({slowest:.1f} s)"


def plot(records: Sequence[Document], path: Path) -> None:
    """Draw a panel for each game, with the published figures and ours."""
    by_game = grouped(records, "game")
    games = [game for game in TITLES if game in by_game]
    with figure(path, (9, 3.2 * len(games)), rows=len(games)) as panels:
        for panel, game in zip(panels, games, strict=True):
            _draw(panel, TITLES[game], by_game[game])


@dataclass(frozen=True, slots=True)
class Mark:
    """The result of a method in one instance."""

    place: float  #: Position on the axis of the instances
    least: int
    """Over positions with histories left to find; where there are none, over all positions."""
    whole: bool  #: Whether every position's information set was found as a whole


def marks(records: Sequence[Document], method: str, shift: float = 0.0) -> list[Mark]:
    """The marks of a method, instance by instance, in the order of the records."""
    found = []
    for place, own in enumerate(grouped(records, "member").values()):
        mine = [record for record in own if record["method"] == method]
        if mine:
            open_ones = [record for record in mine if not record["complete"]]
            least = min(record["found"] for record in open_ones or mine)
            found.append(Mark(place + shift, least, not open_ones))
    return found


def _draw(panel: Any, title: str, records: Sequence[Document]) -> None:
    names = list(grouped(records, "member"))
    published = {record["member"]: record["published_csp"] for record in records}
    panel.set_title(title, loc="left")
    panel.plot(
        range(len(names)),
        [published[name] for name in names],
        linestyle="none",
        marker="_",
        markersize=16,
        markeredgewidth=2,
        color="black",
        label="CSP, published",
    )
    methods = list(grouped(records, "method"))
    for number, method in enumerate(methods):
        shift = SPREAD * (number - (len(methods) - 1) / 2)
        _draw_method(panel, method, marks(records, method, shift))
    # Logarithmic from 1 up, with a place for 0: some methods find nothing.
    panel.set_yscale("symlog", linthresh=1)
    panel.set_ylim(bottom=0)
    panel.set_ylabel("histories, least of all positions")
    # The parameters alone: the title names the game.
    short = [name[name.index("(") + 1 : -1] for name in names]
    panel.set_xticks(range(len(names)), short, rotation=60)
    panel.grid(axis="y", linewidth=0.3)
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


def _draw_method(panel: Any, method: str, found: Sequence[Mark]) -> None:
    """Filled where histories were left to find, hollow squares where all were found."""
    colour = COLOURS.get(method, OTHER_COLOUR)
    for whole, marker, label in ((False, "o", method), (True, "s", f"{method}, whole sets")):
        chosen = [mark for mark in found if mark.whole is whole]
        if chosen:
            panel.plot(
                [mark.place for mark in chosen],
                [mark.least for mark in chosen],
                linestyle="none",
                marker=marker,
                markersize=4,
                color=colour,
                markerfacecolor="none" if whole else colour,
                label=label,
            )


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
    cells=cells,
    run=run,
    table=table,
    plot=plot,
)
