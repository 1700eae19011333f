"""Games solved by their independent parts and as a whole: answers, and how long each took.

Plans: so many safes, each opened by four turns of its dial, all of which must be open after just as
many steps as that takes; any other move in a safe undoes it. Sums: heaps of Nim. Seconds are of the
processor; `uct` plays the safes for comparison.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from fogspiel.core.budget import Budget
from fogspiel.core.kernels.rows import distinct_rows
from fogspiel.core.source import Source
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load, load_source
from fogspiel.lab.framework.presentation import columns, given
from fogspiel.lab.framework.study import Cell, Document, Settings, Study
from fogspiel.machine.analysis.independent_parts import parts_of
from fogspiel.machine.protocol import Machine
from fogspiel.play.series import Entrant, play_series
from fogspiel.players.catalogue import make_player
from fogspiel.search.parts.impartial import impartial_sum
from fogspiel.search.parts.plans import plan_by_parts
from fogspiel.solve.induction.simultaneous import solve_states
from fogspiel.tree.state_graph import build_state_graph

TURNS = 4  #: Turns of the dial that open a safe
ROOM = Budget(simulations=100_000)

SAFES = """
(role thief)
(<= (init (dial ?s 0)) (safe ?s))
(<= (legal thief (turn ?s)) (safe ?s))
(<= (legal thief (shake ?s)) (safe ?s))
(<= (moved ?s) (does thief (turn ?s)))
(<= (moved ?s) (does thief (shake ?s)))
(<= (next (dial ?s ?n)) (does thief (turn ?s)) (true (dial ?s ?m)) (up ?m ?n))
(<= (next (dial ?s 0)) (does thief (shake ?s)) (safe ?s))
(<= (next (dial ?s ?n)) (true (dial ?s ?n)) (not (moved ?s)))
(<= shut (safe ?s) (not (true (dial ?s {turns}))))
(init (step 0))
(<= (next (step ?n)) (true (step ?m)) (then ?m ?n))
(<= terminal (true (step {last})))
(<= (goal thief 100) (not shut))
(<= (goal thief 0) shut)
"""


def safes(count: int) -> Machine:
    """The game with so many safes."""
    last = TURNS * count
    facts = [f"(safe s{number})" for number in range(count)]
    facts += [f"(up {turn} {(turn + 1) % (TURNS + 1)})" for turn in range(TURNS + 1)]
    facts += [f"(then {step} {step + 1})" for step in range(last)]
    text = SAFES.format(turns=TURNS, last=last) + "\n".join(facts)
    return load_source(Source("safes.gdl", text)).machine


def cells(settings: Settings) -> list[Cell]:
    """All games."""
    names = [f"safes({n})" for n in settings["safes"]] + [f"nim({n})" for n in settings["heaps"]]
    return [(name,) for name in names]


def run(settings: Settings, seed: int, game: str) -> Document:
    """Solve a game in both ways."""
    kind, _, argument = game.rstrip(")").partition("(")
    if kind == "nim":
        return _sum(game)
    return _plan(game, safes(int(argument)), settings, seed)


def _plan(name: str, machine: Machine, settings: Settings, seed: int) -> Document:
    began = time.process_time()
    parts_of(machine)
    plan = plan_by_parts(machine, RoleId(0), machine.initial(), ROOM)
    seconds = time.process_time() - began
    began = time.process_time()
    goal, states = _best_goal(machine)
    whole_seconds = time.process_time() - began
    series = play_series(
        machine,
        [Entrant("uct", partial(make_player, "uct"))],
        games=settings["matches"],
        turn_budget=partial(Budget.of, simulations=settings["simulations"]),
        seed=seed,
    )
    return {
        "game": name,
        "by_parts": None if plan is None else plan.goal,
        "seconds": seconds,
        "whole": goal,
        "whole_states": states,
        "whole_seconds": whole_seconds,
        "uct": series.totals()[0].mean_goal,
    }


def _best_goal(machine: Machine) -> tuple[int, int]:
    """The best goal of one player, and the states that were met to find it, layer by layer."""
    states = machine.initial()[None, :]
    best, met = 0, 1
    while len(states):
        rows, moves = np.nonzero(machine.legal_batch(states, RoleId(0)))
        after = machine.step_batch(states[rows], moves.astype(np.int32)[:, None])
        after = np.ascontiguousarray(after[distinct_rows(after)[0]])
        met += len(after)
        over = machine.terminal_batch(after)
        best = max([best, *machine.goals_batch(after[over])[:, 0].tolist()])
        states = np.ascontiguousarray(after[~over])
    return best, met


def _sum(name: str) -> Document:
    machine = load(name).machine
    began = time.process_time()
    found = impartial_sum(machine, machine.initial(), ROOM)
    seconds = time.process_time() - began
    number = None if found is None else found.number(machine.initial())
    began = time.process_time()
    graph = build_state_graph(machine)
    value = solve_states(graph).values[0]
    return {
        "game": name,
        "by_parts": None if number is None else 100 * (number != 0),
        "seconds": seconds,
        "whole": round(value),
        "whole_states": len(graph),
        "whole_seconds": time.process_time() - began,
        "uct": None,
    }


STUDY = Study(
    name="independent-parts",
    what="Games taken apart, and looked at as a whole",
    source="our own: no table was published. Parts: Guenther, Schiffel & Thielscher (2009); sums: "
    "Sprague (1935), Grundy (1939)",
    settings={
        "safes": (2, 3, 4, 5, 6, 7),
        "heaps": ("3,4,5", "5,6,7", "7,9,11,14"),
        "matches": 5,
        "simulations": 1_000,
    },
    quick={"safes": (2, 3), "heaps": ("1,2,3", "2,4"), "matches": 1, "simulations": 20},
    cells=cells,
    run=run,
    table=columns(
        ("game", "{game}"),
        ("by parts", "{by_parts}"),
        ("seconds", "{seconds:.2f}"),
        ("whole game", "{whole}"),
        ("states", "{whole_states:,}"),
        ("seconds", "{whole_seconds:.2f}"),
        ("`uct`", given("uct", "{0:.0f}")),
    ),
)
