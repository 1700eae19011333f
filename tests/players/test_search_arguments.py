"""The argument of a player that simulates changes its settings, or is refused."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fogspiel.core.budget import Budget
from fogspiel.core.findings import UsageError
from fogspiel.games.load import load
from fogspiel.machine.protocol import Machine, States, player_roles
from fogspiel.players.catalogue import PLAYERS, make_player
from fogspiel.players.protocol import Seat
from fogspiel.players.searching.search_player import SearchPlayer
from fogspiel.search.evaluation.evaluations import Evaluation
from fogspiel.search.mcts.algorithms import UCT_CONSTANT
from fogspiel.search.mcts.roots import first_roots
from fogspiel.search.mcts.statistics import root_statistics


@pytest.mark.parametrize(
    ("name", "constant", "evaluation"),
    [
        ("uct", UCT_CONSTANT, None),
        # Shafiei's C of 40 for goals of 100 is the constant of a player without an argument.
        ("sm-uct:c=40", UCT_CONSTANT, None),
        ("uct:c=1", 0.01, None),
        ("ismcts:c=100,mobility", 1.0, "mobility"),
        ("tiigr:mobility", UCT_CONSTANT, "mobility"),
    ],
)
def test_constants_and_evaluations_come_together(
    name: str, constant: float, evaluation: str | None
) -> None:
    player = make_player(name)
    assert isinstance(player, SearchPlayer)
    assert player.setup.algorithm.rule.constant == pytest.approx(constant)
    assert player.setup.leaves.name == evaluation
    assert player.setup.advice == make_player_setup(name.partition(":")[0])


def make_player_setup(name: str) -> str:
    """The advice of a player without an argument."""
    player = make_player(name)
    assert isinstance(player, SearchPlayer)
    return player.setup.advice


@pytest.mark.parametrize(
    ("name", "constant", "evaluation"),
    [
        ("sm-rm:together=1", 0.05, None),
        ("sm-uct:c=100,together=1", 1.0, None),
        ("ismcts:together=1,c=100,mobility", 1.0, "mobility"),
    ],
)
def test_simulations_under_way_are_told_before_or_after_the_constant(
    name: str, constant: float, evaluation: str | None
) -> None:
    player = make_player(name)
    assert isinstance(player, SearchPlayer)
    assert player.setup.algorithm.together == 1
    assert player.setup.algorithm.rule.constant == pytest.approx(constant)
    assert player.setup.leaves.name == evaluation


@pytest.mark.parametrize("name", ["uct", "ismcts", "parts"])
def test_a_player_hands_over_how_many_simulations_may_be_under_way(name: str) -> None:
    machine = load("connect_four").machine
    visits = []
    for argument in ("c=1", "c=1,together=1"):
        player = make_player(f"{name}:{argument}")
        assert isinstance(player, SearchPlayer)
        player.start(Seat(machine, player_roles(machine)[0], 1), Budget.of(simulations=1))
        player.choose(Budget.of(simulations=16))
        visits.append(most_visits(player))
    # The first 16 simulations select before any returns, and share the seven moves equally. One by
    # one, they would go on with a move whose first playout won.
    assert visits[0] == 3
    assert visits[1] > 3


def most_visits(player: SearchPlayer) -> float:
    """The number of visits of the most visited move in the first state."""
    search = player._search
    found = list(root_statistics(search, first_roots(search.machine), player.role))
    return max(float(statistics.visits.max()) for _, statistics in found)


@pytest.mark.parametrize(
    "name",
    [
        "uct:c=", "uct:c=much", "uct:c=-1", "uct:c=inf", "sm-rm:c=40", "uct:c=40,nothing",
        "uct:c=40,c=1", "uct:together=", "uct:together=0", "uct:together=1.5", "uct:together",
        "uct:together=1,together=2", "ismcts:together=-1",
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_player(name)
    assert caught.value.findings[0].code in ("PLY021", "SEA002")


def test_people_are_told_of_the_constant_where_there_is_one() -> None:
    assert "c=C" in PLAYERS["uct"].argument
    assert "c=C" not in PLAYERS["sm-rm"].argument
    assert all("together=N" in PLAYERS[name].argument for name in ("uct", "sm-rm", "ismcts"))


SIMULATING = [
    "auto", "uct", "sm-uct", "sm-exp3", "sm-rm", "tiigr", "ismcts", "so-ismcts", "parts", "shodan",
    "norns", "norns-belief", "answer", "bayes", "bayes:0.5", "outguess", "oos", "hyperplay",
    "hyperplay2", "belp", "sdpog", "domis",
]  # fmt: skip
LOOKING_AHEAD = ["cfr", "cfr:trust=0.5", "sm-lp"]
"""Players that delegate to others under hidden information."""


@pytest.mark.parametrize(
    ("name", "game"),
    [(name, "battleship_4") for name in SIMULATING]
    + [(name, "tic_tac_toe") for name in SIMULATING + LOOKING_AHEAD],
)
def test_every_player_that_simulates_asks_its_evaluation(
    name: str, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = load(game).machine
    asked = []

    def counted(machine: Machine, name: str) -> Evaluation:
        def value(states: States) -> NDArray[np.float64]:
            asked.append(len(states))
            return np.full((len(states), len(machine.roles)), 50.0)

        return value

    monkeypatch.setattr("fogspiel.search.evaluation.leaf.evaluation", counted)
    role = player_roles(machine)[0]
    player = make_player(f"{name}{',' if ':' in name else ':'}mobility")
    player.start(Seat(machine, role, 1), Budget.of(simulations=30))
    player.choose(Budget.of(simulations=30))
    assert sum(asked) > 0
