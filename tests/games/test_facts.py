"""What is known about the board games from outside: counts, values, means; sources in the index."""

from __future__ import annotations

import numpy as np
import pytest
from game_play import (
    children_of,
    exact_mean_goals,
    machine_of,
    perft,
    state_count,
    value_for_first,
)
from numpy.typing import NDArray

from fogspiel.games.library import GDL, bundled_games
from fogspiel.machine.protocol import Machine, States


def games_with(fact: str) -> list[str]:
    """The board games whose index states a fact."""
    return [
        name
        for name, entry in bundled_games().items()
        if fact in entry.facts and "perfect-information" in entry.tags and entry.language == GDL
    ]


@pytest.mark.parametrize("name", games_with("perft"))
def test_the_number_of_move_sequences(name: str) -> None:
    expected = bundled_games()[name].facts["perft"].value
    assert perft(machine_of(name), len(expected)) == expected


@pytest.mark.parametrize("name", games_with("distinct_states"))
def test_the_number_of_distinct_states(name: str) -> None:
    expected = bundled_games()[name].facts["distinct_states"].value
    assert state_count(machine_of(name)) == expected


@pytest.mark.parametrize("name", games_with("mean_goals"))
def test_the_mean_goals_of_random_play(name: str) -> None:
    expected = bundled_games()[name].facts["mean_goals"].value
    machine = machine_of(name)
    exact = [float(mean) for mean in exact_mean_goals(machine)]
    assert exact == pytest.approx(expected, rel=1e-12)
    # The playouts draw from the same distribution: 200,000 of them stray by 0.4 at most.
    drawn = machine.playouts(machine.initial()[None, :], seed=3, count=200_000).mean_goals
    assert drawn == pytest.approx(exact, abs=0.4)


@pytest.mark.parametrize("name", games_with("value_for_first"))
def test_the_value_under_best_play(name: str) -> None:
    expected = bundled_games()[name].facts["value_for_first"].value
    assert value_for_first(machine_of(name)) == expected


@pytest.mark.parametrize("size", [2, 3])
def test_hex_is_won_by_who_begins(size: int) -> None:
    """Nash (1952), Some Games and Machines for Playing Them: by strategy stealing."""
    assert value_for_first(machine_of(f"hex({size})")) == 100


@pytest.mark.parametrize("heaps", [(1, 2), (2, 2), (1, 2, 3), (1, 4, 5), (2, 3, 4)])
def test_nim_is_lost_just_where_the_binary_sum_is_zero(heaps: tuple[int, ...]) -> None:
    """Bouton (1902)."""
    total = int(np.bitwise_xor.reduce(heaps))
    value = value_for_first(machine_of(f"nim({','.join(map(str, heaps))})"))
    assert value == (100 if total else 0)


def test_othello_on_four_by_four_is_won_by_the_second_player() -> None:
    """Solved by many programs; Wikipedia, Computer Othello, gives 3 discs to 11."""
    assert value_for_first(machine_of("othello(4)")) == 0


def test_checkers_turns_with_a_series_of_jumps_counted_once() -> None:
    expected = bundled_games()["checkers"].facts["perft_by_turns"].value
    assert turns(machine_of("checkers"), len(expected)) == expected


def turns(machine: Machine, depth: int) -> list[int]:
    """Perft where a turn ends when the other role comes on turn. Our rules step jump by jump."""
    counts: list[int] = []
    states: States = machine.initial()[None, :]
    for _ in range(depth):
        on_turn = mover(machine, states)[0]
        finished: list[States] = []
        while len(states):
            children, _ = children_of(machine, states)
            done = mover(machine, children) != on_turn
            finished.append(children[done])
            states = children[~done]
        states = np.concatenate(finished)
        counts.append(len(states))
    return counts


def mover(machine: Machine, states: States) -> NDArray[np.int64]:
    """The role that holds control, for each state."""
    controls = [machine.state_of([("control", name)]) for name in machine.roles]
    holds = np.array([(states & control).any(axis=1) for control in controls])
    movers: NDArray[np.int64] = np.argmax(holds, axis=0)
    return movers
