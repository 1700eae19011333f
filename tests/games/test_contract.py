"""One suite for every bundled game in GDL: it reads, is checked, plays to an end, scores sanely."""

from __future__ import annotations

import numpy as np
import pytest
from game_play import machine_of, program_of, roles_of

from fogspiel.core.findings import Severity
from fogspiel.games.library import GDL, bundled_games, game_source
from fogspiel.machine.protocol import States
from fogspiel.rules.gdl.check.checks import check
from fogspiel.rules.gdl.read import read_description
from games_by_language import games_in

GAMES = games_in(GDL)
WALKS = 64


def test_there_are_games() -> None:
    assert len(GAMES) >= 9


@pytest.mark.parametrize("name", GAMES)
def test_the_entry_is_complete(name: str) -> None:
    entry = bundled_games()[name]
    assert entry.title
    assert entry.rules_source
    assert entry.description.endswith((".", "?"))
    assert entry.tags
    assert all(fact.source for fact in entry.facts.values())
    assert entry.unit is None or entry.unit.scale != 0


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_are_read_and_checked_without_findings(name: str) -> None:
    description, findings = read_description(game_source(name))
    findings += check(description)
    assert [str(f) for f in findings if f.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("name", GAMES)
def test_the_rule_text_is_readable(name: str) -> None:
    """It opens with a comment, stays within the width of a page and holds no tabs."""
    lines = game_source(name).text.splitlines()
    assert lines[0].startswith(";")
    assert max(map(len, lines)) <= 100
    assert not any("\t" in line or line != line.rstrip() for line in lines)


@pytest.mark.parametrize("name", GAMES)
def test_random_play_ends_and_every_role_can_always_move(name: str) -> None:
    machine = machine_of(name)
    result = machine.playouts(machine.initial()[None, :], seed=7, count=1_000, max_steps=5_000)
    assert result.stuck == 0
    assert result.cut == 0
    assert int(result.counts.sum()) == 1_000
    assert ((result.mean_goals >= 0) & (result.mean_goals <= 100)).all()


@pytest.mark.parametrize("name", GAMES)
def test_random_walks_meet_a_legal_move_for_all_and_one_goal_for_each(name: str) -> None:
    machine = machine_of(name)
    rng = np.random.default_rng(11)
    players = [role for role in roles_of(machine) if role != machine.chance_role]
    states: States = np.repeat(machine.initial()[None, :], WALKS, axis=0)
    while len(states):
        terminal = machine.terminal_batch(states)
        for state in states[terminal]:
            for role in players:
                values = machine.goal_values(state, role)
                assert len(values) == 1, f"{machine.roles[role]} has goals {values}"
                assert 0 <= values[0] <= 100
        states = states[~terminal]
        if len(states) == 0:
            break
        columns = []
        for role in roles_of(machine):
            legal = machine.legal_batch(states, role)
            assert legal.any(axis=1).all(), f"{machine.roles[role]} cannot move"
            columns.append(np.argmax(rng.random(legal.shape) * legal, axis=1))
        states = machine.step_batch(states, np.column_stack(columns).astype(np.int32))


@pytest.mark.parametrize("name", GAMES)
def test_roles_keep_the_order_of_the_rules(name: str) -> None:
    assert machine_of(name).roles == program_of(name).roles
