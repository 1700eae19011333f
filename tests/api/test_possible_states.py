"""Histories that a player must consider possible: all of them or samples, with their states."""

from __future__ import annotations

from collections import defaultdict

import pytest

import fogspiel as fs

CASES = [
    ("kuhn_poker", "first", 2, 0),
    ("leduc_poker", "second", 5, 1),
    ("latent_tic_tac_toe", "x", 3, 2),
    ("hidden_goofspiel_4", "first", 2, 3),
    ("battleship_4_2", "second", 3, 4),
]


def queen(deal: str = "king") -> fs.History:
    """Kuhn poker with the queen for the first player."""
    game = fs.load("kuhn_poker")
    return game.begin().play(random="(deal queen)").play(random=f"(deal {deal})")


def found(game: str, role: str, steps: int, seed: int) -> fs.Histories:
    """All histories that fit what a role did and saw in a random game."""
    return fs.load(game).begin().play_out(seed, steps).view(role).belief().enumerate()


def monty_hall() -> fs.Histories:
    """The candidate picked door 2, and the host opened door 1; the car is behind door 3."""
    history = fs.load("monty_hall").begin().play(random="(hide 3)")
    history = history.play(candidate="(pick 2)").play(random="(open 1)")
    return history.view("candidate").belief().enumerate()


def test_all_histories_are_listed_with_their_probabilities() -> None:
    true, other = queen("king"), queen("jack")
    all_that_fit = true.view("first").belief().enumerate()
    assert (len(all_that_fit), all_that_fit.distinct, all_that_fit.complete) == (2, 2, True)
    assert dict(all_that_fit) == {true: pytest.approx(0.5), other: pytest.approx(0.5)}
    assert true in all_that_fit
    assert other in all_that_fit
    assert true.play(first="bet") not in all_that_fit
    assert fs.load("leduc_poker").begin() not in all_that_fit
    assert repr(all_that_fit) == "Histories(2 histories, all that fit)"


def test_a_list_that_was_cut_is_not_complete() -> None:
    belief = queen().view("first").belief()
    cut = belief.enumerate(1)
    assert (len(cut), cut.complete) == (1, False)
    assert repr(cut) == "Histories(1 history, a sample)"


def test_a_weighted_sample_counts_every_draw() -> None:
    belief = queen().view("first").belief()
    drawn = belief.weighted_sample(100, seed=3)
    assert (len(drawn), drawn.distinct, drawn.complete, drawn.unbiased) == (100, 2, False, True)
    assert sum(share for _, share in drawn) == pytest.approx(1.0)
    assert [history for history, _ in drawn] == belief.sample(100, seed=3)


def test_who_holds_the_queen_considers_two_cards_possible() -> None:
    all_that_fit = queen().view("first").belief().enumerate()
    assert all_that_fit.certain == ("(holds first queen)", "(turn open)")
    assert [share for _, share in all_that_fit.states] == [0.5, 0.5]
    undecided = [fact for fact in all_that_fit.fluents if fact not in all_that_fit.certain]
    assert undecided == ["(holds second jack)", "(holds second king)"]


def test_monty_hall_comes_to_one_third_and_two_thirds() -> None:
    """Selvin (1975): who switches wins with probability 2/3."""
    all_that_fit = monty_hall()
    assert all_that_fit.fluents["(car 3)"] == pytest.approx(2 / 3)
    assert all_that_fit.fluents["(car 2)"] == pytest.approx(1 / 3)
    assert [share for _, share in all_that_fit.states] == pytest.approx([2 / 3, 1 / 3])
    assert "(car 3)" in all_that_fit.states[0][0]


@pytest.mark.parametrize(("game", "role", "steps", "seed"), CASES)
def test_probabilities_of_facts_agree_with_a_count_by_histories(
    game: str, role: str, steps: int, seed: int
) -> None:
    """Terms of each history's state by itself, while `fluents` counts bits of all together."""
    all_that_fit = found(game, role, steps, seed)
    shares: dict[str, float] = defaultdict(float)
    for history, share in all_that_fit:
        for fact in history.state:
            shares[fact] += share
    assert all_that_fit.fluents == pytest.approx(dict(shares))
    everywhere = set.intersection(*(set(history.state) for history, _ in all_that_fit))
    assert set(all_that_fit.certain) == everywhere


@pytest.mark.parametrize(("game", "role", "steps", "seed"), CASES)
def test_the_history_of_a_state_leads_there(game: str, role: str, steps: int, seed: int) -> None:
    all_that_fit = found(game, role, steps, seed)
    for state, _ in all_that_fit.states[:5]:
        history = all_that_fit.leading_to(state)
        assert history.state == state
        assert history in all_that_fit
    shares = [share for _, share in all_that_fit.states]
    assert shares == sorted(shares, reverse=True)
    with pytest.raises(fs.UsageError, match="API005"):
        all_that_fit.leading_to(fs.load(game).begin().state)


def test_the_most_probable_states_are_the_first_of_all() -> None:
    all_that_fit = monty_hall()
    assert all_that_fit.most_probable(1) == all_that_fit.states[:1]
    assert all_that_fit.most_probable(0) == []
    belief = queen().view("first").belief()
    assert belief.most_probable(10) == belief.states
    with pytest.raises(ValueError, match="count must be at least 0; got -1"):
        belief.most_probable(-1)


def test_states_do_not_depend_on_how_they_are_chunked(monkeypatch: pytest.MonkeyPatch) -> None:
    case = ("leduc_poker", "second", 5, 1)
    whole = found(*case).fluents
    monkeypatch.setattr("fogspiel.belief.positions.CHUNK", 2)
    parted = found(*case).fluents
    assert list(parted) == list(whole)
    assert parted == pytest.approx(whole)


def test_the_other_player_knows_its_own_card_and_not_ours() -> None:
    all_that_fit = queen().view("first").belief().enumerate()
    for state, _ in all_that_fit.states:
        belief = all_that_fit.leading_to(state).view("second").belief()
        (own,) = (fact for fact in state if fact.startswith("(holds second"))
        # Its card is one of three: ours is one of the two others.
        assert belief.size == 2
        assert own in belief.certain
        assert "(holds first queen)" not in belief.certain


def test_after_a_showdown_both_players_know_both_cards() -> None:
    shown = queen().play(first="bet").play(second="bet").view("second").belief()
    assert shown.size == 1
    assert {"(holds first queen)", "(holds second king)"} <= set(shown.certain)


def test_too_many_histories_are_a_limit() -> None:
    history = fs.load("battleship_4_2").begin().play_out(seed=7, steps=4)
    with pytest.raises(fs.LimitError, match="BEL002"):
        history.view("second").belief("exact", max_histories=3)
