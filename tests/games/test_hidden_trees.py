"""Trees of the hidden-information games: node and infoset counts, and what roles must know."""

from __future__ import annotations

import pytest
from histories import Knowledge, check_knowledge_by_resampling, count_tree, explorer, extend
from scripted import start

from fogspiel.games.library import GDL, bundled_games
from games_by_language import games_in

WHOLE_TREES = [
    "kuhn_poker", "leduc_poker", "simple_poker", "coin_flip", "monty_hall", "exploding_bomb",
    "hidden_goofspiel_4", "hidden_goofspiel_5",
]  # fmt: skip
SAMPLED_TREES = {
    "liars_dice": 40, "meier": 20, "mastermind": 6, "number_guessing_8": 200,
    "number_guessing_16": 200, "latent_tic_tac_toe": 60, "blind_tic_tac_toe": 60,
    "phantom_connect_four": 20, "dark_hex_3": 60, "blind_breakthrough_6": 15, "battleship_4": 15,
}  # fmt: skip
"""Games with the number of random histories that are checked for each role."""


def test_every_hidden_information_game_is_checked_here() -> None:
    games = bundled_games()
    hidden = {name for name in games_in(GDL) if "hidden-information" in games[name].tags}
    assert hidden == {*WHOLE_TREES, *SAMPLED_TREES}


@pytest.mark.parametrize("name", WHOLE_TREES)
def test_tree_has_the_published_counts_and_roles_know_what_they_must(name: str) -> None:
    facts = bundled_games()[name].facts
    count = count_tree(explorer(name))
    if "tree_nodes" in facts:
        nodes = {"chance": count.chance, "decision": count.decision, "terminal": count.terminal}
        assert nodes == facts["tree_nodes"].value
    if "infosets" in facts:
        assert count.infosets == facts["infosets"].value


@pytest.mark.parametrize("name", SAMPLED_TREES)
def test_roles_know_their_moves_the_end_and_their_result(name: str) -> None:
    check_knowledge_by_resampling(explorer(name), walks=SAMPLED_TREES[name], seed=11)


def test_liars_dice_has_the_published_number_of_infosets() -> None:
    # Bids do not depend on the dice, so equal dice for both show every infoset of each player.
    game = explorer("liars_dice")
    infosets = set()
    for face in "123456":
        rolled = start("liars_dice").play(random=f"(roll {face})").play(random=f"(roll {face})")
        empty: list[Knowledge] = [() for _ in game.roles]
        stack = [(rolled.state, empty)]
        while stack:
            state, knowledge = stack.pop()
            position = game.position(state)
            for role, moves in enumerate(position.moves):
                if moves not in ((), ("noop",)):
                    infosets.add((role, face, knowledge[role]))
            stack += [(child.state, extend(knowledge, child)) for child in position.children]
    assert len(infosets) == bundled_games()["liars_dice"].facts["infosets"].value
