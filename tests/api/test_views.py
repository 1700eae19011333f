"""Views and beliefs: what a player may know, and nothing else."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable
from itertools import product

import pytest

import fogspiel as fs
from fogspiel.core.findings import PlayError


@pytest.fixture(scope="module")
def latent() -> fs.Game:
    return fs.load("latent_tic_tac_toe")


def queen_of_first(game: fs.Game, other: str) -> fs.History:
    return game.begin().play(random="(deal queen)").play(random=f"(deal {other})")


def test_a_view_is_what_a_player_did_and_saw(kuhn: fs.Game) -> None:
    view = queen_of_first(kuhn, "king").view("first")
    assert [(step.move, step.sees) for step in view.steps] == [
        ("noop", ("(holds first queen)",)),
        ("noop", ()),
    ]
    assert str(view) == "noop: (holds first queen); noop"
    assert view.legal == ("bet", "pass")


def test_indistinguishable_histories_have_equal_views(kuhn: fs.Game) -> None:
    one, other = queen_of_first(kuhn, "king"), queen_of_first(kuhn, "jack")
    assert one != other
    assert one.view("first") == other.view("first")
    assert hash(one.view("first")) == hash(other.view("first"))
    assert one.view("second") != other.view("second")
    assert one.view("first") != one.view("second")


def test_views_are_hashable_pickled_and_made_from_texts(kuhn: fs.Game) -> None:
    view = queen_of_first(kuhn, "king").view("first")
    assert {view: 1}[pickle.loads(pickle.dumps(view))] == 1
    assert kuhn.view("first", [("noop", ["(holds first queen)"]), ("noop", [])]) == view
    assert kuhn.view("first").after("noop", ["(holds first queen)"]).after("noop") == view


@pytest.mark.parametrize(
    ("make", "code", "told"),
    [
        (lambda game: game.view("random"), "API001", "is chance"),
        (lambda game: game.view("third"), "API001", "no role 'third'"),
        (lambda game: game.view("first", [("fold", [])]), "API002", "no legal move 'fold'"),
        (
            lambda game: game.view("first", [("noop", ["(holds first quen)"])]),
            "API007",
            r"did you mean \(holds first queen\)",
        ),
    ],
)
def test_a_view_that_names_unknown_things_is_refused(
    kuhn: fs.Game, make: Callable[[fs.Game], fs.View], code: str, told: str
) -> None:
    with pytest.raises(ValueError, match=told) as caught:
        make(kuhn)
    assert caught.value.args[0].startswith(code)


def test_a_view_that_no_play_gives_has_no_belief(kuhn: fs.Game) -> None:
    impossible = kuhn.view("first", [("noop", ["(holds first queen)"]), ("bet", [])])
    with pytest.raises(PlayError, match="step 2 is impossible"):
        impossible.belief()
    with pytest.raises(PlayError, match="step 2 is impossible"):
        _ = impossible.legal


def test_a_belief_in_kuhn_poker_is_a_fair_coin(kuhn: fs.Game) -> None:
    belief = queen_of_first(kuhn, "king").view("first").belief()
    assert repr(belief) == "Belief(2 histories, 2 states, exact)"
    assert belief.probability("(holds second king)") == pytest.approx(0.5)
    assert belief.probability("(holds first queen)") == 1.0
    assert belief.probability("(holds first king)") == 0.0
    assert belief.certain == ("(holds first queen)", "(turn open)")
    assert [share for _, share in belief.states] == pytest.approx([0.5, 0.5])
    assert belief.probability(lambda state: "(holds second jack)" in state) == pytest.approx(0.5)
    (state, share), *_ = belief.states
    assert belief.probability(state) == pytest.approx(share)


def test_an_unknown_fact_is_no_probability_of_zero(kuhn: fs.Game) -> None:
    belief = queen_of_first(kuhn, "king").view("first").belief()
    with pytest.raises(ValueError, match="API005"):
        belief.probability("(holds second joker)")
    with pytest.raises(ValueError, match="there is no opponent model 'evil'"):
        queen_of_first(kuhn, "king").view("first").belief(opponents="evil")


def test_a_belief_lists_exactly_the_histories_with_the_same_view(latent: fs.Game) -> None:
    """Compared with all courses of play of two steps, tried one by one."""
    true = latent.begin().play_out(seed=4, steps=2)
    (role, *_) = latent.players
    view, fitting = true.view(role), set[fs.History]()
    start = latent.begin()
    for joint in product(*start.legal.values()):
        after = start.play(dict(zip(latent.roles, joint, strict=True)))
        for second in product(*after.legal.values()):
            reached = after.play(dict(zip(latent.roles, second, strict=True)))
            if reached.view(role) == view:
                fitting.add(reached)
    found = dict(view.belief().histories())
    assert set(found) == fitting
    assert true in found
    assert sum(found.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("method", ["exact", "dfs", "csp", "sat", "rejection"])
def test_methods_agree_on_the_histories(latent: fs.Game, method: str) -> None:
    view = latent.begin().play_out(seed=2, steps=3).view(latent.players[1])
    expected = dict(view.belief("exact").histories())
    found = dict(view.belief(method).histories())
    assert set(found) == set(expected)
    assert all(found[own] == pytest.approx(share) for own, share in expected.items())


def test_samples_follow_the_probabilities_and_the_seed(kuhn: fs.Game) -> None:
    bet = queen_of_first(kuhn, "king").play(first="pass").play(second="bet").view("first")

    def bluffs_rarely(view: fs.View) -> dict[str, float]:
        bets = 0.9 if "king" in str(view) else 0.1
        return {"bet": bets, "pass": 1.0 - bets}

    belief = bet.belief(opponents=bluffs_rarely)
    # Bayes: 0.5 · 0.9 for the king, 0.5 · 0.1 for the jack.
    assert belief.probability("(holds second king)") == pytest.approx(0.9)
    drawn = belief.sample(400, seed=1)
    assert drawn == belief.sample(400, seed=1)
    kings = Counter("(holds second king)" in history.state for history in drawn)[True]
    # Four standard deviations of a share of 0.9 among 400.
    assert abs(kings / 400 - 0.9) < 4 * (0.9 * 0.1 / 400) ** 0.5
    assert all(history.view("first") == bet for history in drawn)


def test_an_opponent_that_follows_a_solution_is_believed_so(kuhn: fs.Game) -> None:
    solution = kuhn.solve("lp")
    view = queen_of_first(kuhn, "king").play(first="pass").play(second="bet").view("first")
    weights = {}
    for card in ("king", "jack"):
        history = queen_of_first(kuhn, card).play(first="pass")
        weights[card] = solution.strategy[history.view("second")]["bet"]
    expected = weights["king"] / sum(weights.values())
    belief = view.belief(opponents=solution)
    assert belief.probability("(holds second king)") == pytest.approx(expected)


def test_visits_of_a_search_are_an_opponent_model(kuhn: fs.Game) -> None:
    view = queen_of_first(kuhn, "king").play(first="pass").play(second="bet").view("first")
    belief = view.belief(opponents="visits", simulations=20_000, seed=1)
    share = belief.probability("(holds second king)")
    # The king bets nearly always and the jack rarely, once both have learnt; evenly it is 0.5.
    assert 0.55 < share < 0.95
    again = view.belief(opponents="visits", simulations=20_000, seed=1)
    assert again.probability("(holds second king)") == share
    assert view.belief(opponents="visits", simulations=1).probability("(holds second king)") == 0.5


def test_what_another_player_knows_is_a_view_of_a_possible_history(kuhn: fs.Game) -> None:
    belief = queen_of_first(kuhn, "king").view("first").belief()
    known = {
        fact
        for history, _ in belief.histories()
        for fact in history.view("second").belief().certain
        if fact.startswith("(holds second")
    }
    assert known == {"(holds second jack)", "(holds second king)"}


def test_a_belief_from_a_sample_says_so() -> None:
    game = fs.load("hidden_goofspiel_5")
    view = game.begin().play_out(seed=3, steps=3).view(game.players[0])
    exact = view.belief("exact")
    sampled = view.belief("hyperplay")
    assert exact.exact
    assert not sampled.exact
    assert "a sample by hyperplay" in repr(sampled)
    for fact, share in exact.fluents.items():
        assert sampled.fluents.get(fact, 0.0) == pytest.approx(share, abs=0.1)
