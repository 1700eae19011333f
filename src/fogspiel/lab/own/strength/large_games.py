"""Games whose trees do not fit: exploitability of strategies that were learnt by sampling.

Latent tic-tac-toe has 2·10^10 histories. Simulations of both players learn by regret matching
what to do for each memory: what a player did and saw, but for its order. The exploitability of such
a strategy is then computed exactly: a best response over beliefs, which forgets nothing, for each
side.

Cerny (2014), section 3.2, quotes more than 17,000 seconds for an exact solution of phantom
tic-tac-toe by a double oracle on sequences.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fogspiel.core.budget import Budget
from fogspiel.games.load import load
from fogspiel.lab.framework.presentation import columns, figure
from fogspiel.lab.framework.study import CERNY, Document, Settings, Study, grouped
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.machine.wrappers.wrapper import ObservationMultiset
from fogspiel.search.mcts.kernels.bandits import REGRET_MATCHING
from fogspiel.search.mcts.learned_strategies import AverageBehaviour
from fogspiel.search.mcts.lockstep import Lockstep, SelectionRule
from fogspiel.search.mcts.roots import SimulationStarts, Source
from fogspiel.solve.response.belief_mdp import solve_belief_mdp

SUM_OF_GOALS = 100.0  #: The sum of both players' goals


def run(settings: Settings, seed: int, game: str) -> list[Document]:
    """Learn for some numbers of seconds, and compute best responses after each."""
    machine = ObservationMultiset(load(game).machine)
    players = player_roles(machine)
    rule = SelectionRule(kind=REGRET_MATCHING, constant=settings["exploration"])
    search = Lockstep(
        machine, players[0], scope="state", rule=rule, seed=seed, state_key=machine.memories
    )
    behaviour = AverageBehaviour(search.decisions, machine.memories)
    records: list[Document] = []
    spent = 0.0
    for seconds in settings["seconds"]:
        search.run(_from_the_start(machine), Budget.of(seconds=seconds - spent))
        spent = seconds
        began = time.perf_counter()
        answers = [
            solve_belief_mdp(machine, role, behaviour, max_rows=settings["max_rows"])
            for role in players
        ]
        records.append(
            {
                "game": game,
                "seconds": seconds,
                "simulations": search.simulations,
                "decisions": search.decisions.node_count,
                "best_responses": [answer.value for answer in answers],
                "exploitability": (sum(answer.value for answer in answers) - SUM_OF_GOALS) / 2,
                "rows": [answer.rows for answer in answers],
                "response_seconds": round(time.perf_counter() - began, 1),
            }
        )
    return records


def _from_the_start(machine: Machine) -> Source:
    state = machine.initial()[None, :]

    def starts(count: int, seed: int) -> SimulationStarts:
        nothing = np.zeros((count, len(machine.roles)), np.uint64)
        return SimulationStarts(states=np.repeat(state, count, axis=0), knowledge=nothing)

    return starts


def plot(records: Sequence[Document], path: Path) -> None:
    """Draw exploitability over seconds."""
    with figure(path, (6, 3.5)) as panels:
        for game, own in grouped(records, "game").items():
            panels[0].loglog(
                [record["seconds"] for record in own],
                [record["exploitability"] for record in own],
                marker="o",
                label=game,
            )
        panels[0].set_xlabel("seconds of sampling")
        panels[0].set_ylabel("exploitability, points of 100")
        panels[0].grid(linewidth=0.3)
        panels[0].legend(frameon=False)


STUDY = Study(
    name="large-games",
    what="Strategies for games whose trees do not fit",
    source=f"{CERNY}, section 3.2",
    settings={
        "games": ("latent_tic_tac_toe",),
        "seconds": (60.0, 300.0, 1_200.0),
        "exploration": 0.05,
        "max_rows": 200_000_000,
    },
    quick={"games": ("kuhn_poker",), "seconds": (1.0, 3.0)},
    cells=("games",),
    run=run,
    table=columns(
        ("game", "{game}"),
        ("seconds", "{seconds:g}"),
        ("simulations", "{simulations:,}"),
        ("decisions", "{decisions:,}"),
        (
            "best responses",
            lambda record: ", ".join(f"{value:.2f}" for value in record["best_responses"]),
        ),
        ("exploitability", "{exploitability:.3f}"),
    ),
    plot=plot,
)
