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
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load
from fogspiel.lab.framework.presentation import columns, figure
from fogspiel.lab.framework.study import CERNY, Document, Settings, Study, grouped
from fogspiel.machine.protocol import States, player_roles
from fogspiel.machine.wrappers.wrapper import ObservationMultiset
from fogspiel.search.mcts.algorithms import MIXING_TOGETHER, Algorithm
from fogspiel.search.mcts.kernels.selection import RegretMatching
from fogspiel.search.mcts.roots import first_roots
from fogspiel.search.mcts.search import Search
from fogspiel.search.mcts.statistics import average_strategy
from fogspiel.solve.response.belief_mdp import solve_belief_mdp

SUM_OF_GOALS = 100.0  #: The sum of both players' goals


def run(settings: Settings, seed: int, game: str) -> list[Document]:
    """Learn for some numbers of seconds, and compute best responses after each."""
    plain = load(game).machine
    machine, players = ObservationMultiset(plain), player_roles(plain)
    algorithm = Algorithm(
        keys="memories", rule=RegretMatching(settings["exploration"]), together=MIXING_TOGETHER
    )
    search = Search(plain, players[0], algorithm, seed=seed)

    def behaviour(role: RoleId, states: States, legal: NDArray[np.bool_]) -> NDArray[np.float64]:
        return average_strategy(search, role, machine.memories(states, role), legal)

    records: list[Document] = []
    spent = 0.0
    for seconds in settings["seconds"]:
        search.run(first_roots(plain), Budget.of(seconds=seconds - spent))
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
                "decisions": search.tree.decision_count,
                "best_responses": [answer.value for answer in answers],
                "exploitability": (sum(answer.value for answer in answers) - SUM_OF_GOALS) / 2,
                "rows": [answer.rows for answer in answers],
                "response_seconds": round(time.perf_counter() - began, 1),
            }
        )
    return records


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
