"""Richards' tables of SDPOG: as printed, as counted, and as strong as the algorithm should be."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from quick_runs import quick_run, written_page

from fogspiel.core.terms import RoleId
from fogspiel.core.values import wilson
from fogspiel.games.load import load
from fogspiel.lab.framework.matches import MatchClock, play_pair
from fogspiel.lab.richards import tables_5
from fogspiel.solve.response.belief_mdp import solve_belief_mdp

STUDY = tables_5.STUDY


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)],
)
def test_intervals_of_shares_are_the_published_ones(
    wins: int, games: int, low: float, high: float
) -> None:
    """R. G. Newcombe (1998), Statistics in Medicine 17, table I, method 3."""
    assert wilson(wins, games) == pytest.approx((low, high), abs=5e-5)


def test_the_best_of_his_players_against_random() -> None:
    """Richards (2012), tables 5.1 and 5.2."""
    best = {name: game.best_against_random() for name, game in tables_5.GAMES.items()}
    assert best["difference(9,1)"] == (175, 25)
    assert best["battleship_4_2"] == (188, 12)
    assert best["racko(30,6)"] == (199, 1)
    assert best["gops(10,0)"] == (121, 74)
    cells = [wins for game in tables_5.GAMES.values() for wins in game.published.values()]
    assert all(195 <= sum(wins) <= 200 for wins in cells)


def test_a_document_has_ours_beside_the_published(tmp_path: Path) -> None:
    document = quick_run(STUDY, games=("difference(9,1)",), matches=2)
    records = document["records"]
    assert [(record["row"], record["column"]) for record in records] == [
        *tables_5.DIFFERENCE,
        ("random", "tiigr"),
        ("random", "ismcts"),
        ("random", "answer"),
    ]
    for record in records:
        # Equal scores are won by the second player, so that nobody shares a game.
        assert sum(record["wins"]) == 2
    assert records[5]["simulations"] == [800, 8_000]  # eight histories for either
    assert [result["games"] for result in records[5]["results"]] == [1, 1, 1, 1]
    page = written_page(STUDY, document, tmp_path)
    assert "| Difference, 9 cards | random - mcts1000 | 25-175 |" in page
    assert "175-25; 0.891 is possible |" in page


def test_his_wins_are_possible_where_the_first_cards_are_those_of_the_appendix() -> None:
    share = sum(_best_share(9, seat) for seat in (0, 1)) / 2
    assert share == pytest.approx(tables_5.MOST_POSSIBLE["difference(9,1)"], abs=5e-5)
    assert share > 175 / 200
    machine = load("difference(9,1)").machine
    answers = [solve_belief_mdp(machine, RoleId(role)).value for role in (1, 2)]
    assert sum(answers) / 2 == pytest.approx(share)


def test_sdpog_wins_against_random_as_it_would_not_by_chance() -> None:
    """A player that chose at random would win 10 of 12 games once in fifty times."""
    played = play_pair(
        "battleship_4_2",
        ["sdpog:mcts100", "random"],
        games=12,
        seed=1,
        allowance=MatchClock(simulations=800),
        swap=True,
    )
    assert played["totals"][0]["wins"] >= 10


def _best_share(cards: int, seat: int) -> float:
    """What a best response to random play wins in a seat; equal scores are won by the second.

    Both begin with a card that the other knows. A random player whose card is known plays it or
    the one that it drew; later it plays any card that was not seen, since the one that it kept and
    the one that it drew are as probable to be any of them.
    """
    won = float(seat == 1)

    def ended(lead: int) -> float:
        return 1.0 if lead > 0 else won if lead == 0 else 0.0

    @cache
    def own_turn(
        kept: int, theirs: int | None, centre: int, unseen: frozenset[int], lead: int, left: int
    ) -> float:
        if not left:
            return ended(lead)
        total = 0.0
        for drawn in unseen:
            rest = unseen - {drawn}
            total += max(
                other_turn(other, theirs, played, rest, lead + abs(played - centre), left - 1)
                for played, other in ((kept, drawn), (drawn, kept))
            )
        return total / len(unseen)

    @cache
    def other_turn(
        kept: int, theirs: int | None, centre: int, unseen: frozenset[int], lead: int, left: int
    ) -> float:
        if not left:
            return ended(lead)

        def played(card: int, still: int | None) -> float:
            behind = lead - abs(card - centre)
            return own_turn(kept, still, card, unseen - {card}, behind, left - 1)

        drawn = sum(played(card, theirs) for card in unseen) / len(unseen)
        return drawn if theirs is None else (drawn + played(theirs, None)) / 2.0

    deck = frozenset(range(1, cards - 2))
    if seat == 0:
        return own_turn(cards - 2, cards - 1, cards, deck, 0, cards - 3)
    return other_turn(cards - 1, cards - 2, cards, deck, 0, cards - 3)
