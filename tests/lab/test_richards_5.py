"""Richards' tables of SDPOG: as printed, as counted, and as strong as the algorithm should be."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from fogspiel.lab import richards_5
from fogspiel.lab.duels import Allowance, duel
from fogspiel.lab.intervals import wilson
from fogspiel.lab.running import run_study
from fogspiel.lab.study import Document, settings_of, write

STUDY = richards_5.STUDY


def run(**changes: object) -> Document:
    return run_study(STUDY, settings=settings_of(STUDY, changes, quick=True), seed=0)


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
    best = {name: game.best_against_random() for name, game in richards_5.GAMES.items()}
    assert best["difference_9"] == best["difference(21)"] == (175, 25)
    assert best["battleship_4_2"] == (188, 12)
    assert best["racko(30,6)"] == (199, 1)
    assert best["gops(10,0)"] == (121, 74)
    cells = [wins for game in richards_5.GAMES.values() for wins in game.published.values()]
    assert all(195 <= sum(wins) <= 200 for wins in cells)


def test_a_document_has_ours_beside_the_published(tmp_path: Path) -> None:
    document = run(games=("difference_9",), matches=2)
    records = document["records"]
    assert [(record["row"], record["column"]) for record in records] == [
        *richards_5.DIFFERENCE,
        ("random", "tiigr"),
        ("random", "answer"),
    ]
    for record in records:
        # Equal scores are counted for the second player, so that nobody shares a game.
        assert sum(record["wins"]) == 2
    assert records[5]["simulations"] == [800, 8_000]  # eight histories for either
    assert [result["games"] for result in records[5]["results"]] == [1, 1, 1, 1]
    write(STUDY, document, tmp_path)
    page = (tmp_path / "richards-5.md").read_text()
    assert "| Difference, 9 cards | random - mcts1000 | 25-175 |" in page
    assert "175-25; 0.823 is possible |" in page


def test_draws_count_for_nobody_where_the_rules_leave_them_so() -> None:
    results = [
        {"entry": 0, "wins": 3, "draws": 2},
        {"entry": 0, "wins": 1, "draws": 4},
        {"entry": 1, "wins": 5, "draws": 2},
    ]
    played = {"results": results}
    assert richards_5._wins(played, 0, draws_to_second=False) == 4
    assert richards_5._wins(played, 0, draws_to_second=True) == 8


def test_no_player_can_expect_more_against_random_with_nine_cards() -> None:
    shares = [_best_share(9, seat) for seat in (0, 1)]
    assert sum(shares) / 2 == pytest.approx(richards_5.MOST_POSSIBLE["difference_9"], abs=5e-5)
    # His 175 of 200 are more.
    assert sum(shares) / 2 < 175 / 200


def test_sdpog_wins_against_random_as_it_would_not_by_chance() -> None:
    """A player that chose at random would win 10 of 12 games once in fifty times."""
    played = duel(
        "battleship_4_2",
        ["sdpog:mcts100", "random"],
        games=12,
        seed=1,
        allowance=Allowance(simulations=800),
        swap=True,
    )
    assert played["totals"][0]["wins"] >= 10


def _best_share(cards: int, seat: int) -> float:
    """What a best response to random play wins in a seat; equal scores are won by the second.

    A random player plays any card that was not seen: the one that it kept and the one that it
    drew are as probable to be any of them.
    """
    won = float(seat == 1)

    def ended(lead: int) -> float:
        return 1.0 if lead > 0 else won if lead == 0 else 0.0

    @cache
    def own_turn(kept: int, centre: int, unseen: frozenset[int], lead: int, left: int) -> float:
        if not left:
            return ended(lead)
        total = 0.0
        for drawn in unseen:
            rest = unseen - {drawn}
            total += max(
                other_turn(other, played, rest, lead + abs(played - centre), left - 1)
                for played, other in ((kept, drawn), (drawn, kept))
            )
        return total / len(unseen)

    @cache
    def other_turn(kept: int, centre: int, unseen: frozenset[int], lead: int, left: int) -> float:
        if not left:
            return ended(lead)
        turns = (
            own_turn(kept, played, unseen - {played}, lead - abs(played - centre), left - 1)
            for played in unseen
        )
        return sum(turns) / len(unseen)

    deck = frozenset(range(1, cards + 1))
    begin = own_turn if seat == 0 else other_turn
    deals = [(kept, centre) for kept in deck for centre in deck if kept != centre]
    return sum(begin(k, c, deck - {k, c}, 0, cards - 3) for k, c in deals) / len(deals)
