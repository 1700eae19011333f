"""The kind of game, by exploring: small games that have one trait each, on both machines."""

from __future__ import annotations

import numpy as np
import pytest

from fogspiel.core.source import Source
from fogspiel.games.load import load, load_source
from fogspiel.machine.analysis.features import GameKind, explore
from fogspiel.machine.analysis.random_walks import draw_joints, random_walks
from fogspiel.machine.protocol import Engine

FRAME = """
(role random) (role white) (role black)
(init (step 1)) (<= (next (step 2)) (true (step 1))) (<= terminal (true (step 2)))
(legal random noop) (legal white noop) (legal black noop)
(goal white 100) (goal black 100)
"""
TOLD = "(<= (sees ?r (did ?q ?m)) (role ?r) (does ?q ?m))"


def traits(rules: str, engine: Engine) -> GameKind:
    game = load_source(Source("small.gdl", FRAME + rules), engine=engine)
    return explore(game.machine, hides=game.hides)


@pytest.mark.parametrize("engine", ["compiled", "reference"])
@pytest.mark.parametrize(
    ("rules", "found"),
    [
        ("", (False, False, False)),
        ("(legal white go)", (False, False, False)),
        ("(legal white go) (legal black go)", (True, False, False)),
        ("(legal random go)", (False, True, False)),
        # Chance is no player: its choice beside a player's is not simultaneous play.
        ("(legal random go) (legal white go)", (False, True, False)),
        ("(legal white go) (<= (sees white x) (does white go))", (False, False, True)),
        (f"(legal white go) {TOLD}", (False, False, False)),
        # Nothing is hidden where nothing can be chosen.
        ("(<= (sees white x) (does white noop))", (False, False, False)),
    ],
)
def test_each_trait_is_found_where_it_is(
    rules: str, found: tuple[bool, bool, bool], engine: Engine
) -> None:
    seen = traits(rules, engine)
    assert (seen.simultaneous, seen.chance, seen.hidden_information) == found
    assert seen.explored_steps > 0


def test_a_game_that_is_over_at_once_has_no_traits() -> None:
    assert traits("(<= terminal (true (step 1)))", "compiled").explored_steps == 0


def test_walks_end_where_a_role_is_stuck() -> None:
    game = load_source(Source("small.gdl", FRAME + "(role grey)"))
    assert list(random_walks(game.machine, 3, np.random.default_rng(0))) == []


def test_moves_are_drawn_uniformly_from_the_legal_ones() -> None:
    mask = np.tile([True, False, True, True], (30_000, 1))
    joints = draw_joints((mask,), np.random.default_rng(1))
    counts = np.bincount(joints[:, 0], minlength=4)
    assert counts[1] == 0
    # Chi-square with two degrees of freedom: 13.8 is passed by one run in a thousand.
    assert ((counts[[0, 2, 3]] - 10_000) ** 2 / 10_000).sum() < 13.8


@pytest.mark.parametrize(
    ("game", "least", "most"),
    # Dark moves: all of the other's, but for those that fail. Ships are laid unseen, shots are not.
    [("chess", 0.0, 0.0), ("kuhn_poker", 0.2, 0.5), ("phantom_connect_four", 0.8, 1.0),
     ("battleship_4_2", 0.05, 0.2), ("battleship_10", 0.02, 0.1)],
)  # fmt: skip
def test_secrecy_is_how_much_of_what_others_do_is_not_seen(
    game: str, least: float, most: float
) -> None:
    assert least <= explore(load(game).machine, hides=True).secrecy <= most
