"""A player at its desk: what it reports for tasks, also when players and rules are broken."""

from __future__ import annotations

from functools import partial

import pytest

from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId, Observation
from fogspiel.games.library import resolve
from fogspiel.games.send import load_sent
from fogspiel.play.ggp.messages import Told
from fogspiel.play.ggp.serve import player_process
from fogspiel.play.ggp.serve.observations import LoadEngine, Playable
from fogspiel.play.ggp.serve.player_process import (
    KEPT_GAMES,
    Begin,
    Chosen,
    Done,
    EndTask,
    Failed,
    Fallback,
    PlayerProcess,
    Prepare,
    ProcessSettings,
    Report,
    Task,
    TurnTask,
)
from fogspiel.play.ggp.term_text import Scrambling
from fogspiel.play.series import Entrant
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Agent, Seat
from fogspiel.players.simple import FirstPlayer

TIC_TAC_TOE = Scrambling(None, resolve("tic_tac_toe").text).rules
MONTY_HALL = Scrambling(None, resolve("monty_hall").text).rules


class Mute:
    """A player that cannot tell its legal moves, and chooses none of them."""

    def start(self, seat: Seat, budget: Budget) -> None:
        pass

    def choose(self, budget: Budget) -> MoveId:
        return MoveId(10_000)

    def observe(self, observation: Observation) -> None:
        pass

    def stop(self) -> None:
        pass


class Broken(Mute):
    """A player that fails."""

    def choose(self, budget: Budget) -> MoveId:
        raise ZeroDivisionError("no luck")


class Thoughtful(FirstPlayer):
    """A player that uses the time in which others move, until it has nothing to think about."""

    slices = 1_000

    def ponder(self, budget: Budget) -> None:
        if self.slices:
            self.slices -= 1
            while not budget.is_over:
                pass


class Forgetful(Thoughtful):
    """A player that fails while others move."""

    def ponder(self, budget: Budget) -> None:
        raise ZeroDivisionError("no idea")


def desk(player: Entrant | str) -> PlayerProcess:
    if isinstance(player, str):
        player = Entrant(player, partial(make_player, player))
    return PlayerProcess(ProcessSettings(entrant=player, load=load_sent))


def soon(seconds: float = 5.0, simulations: int | None = None) -> Budget:
    """A budget of simulations alone where they are given, as the server makes it."""
    return Budget.of(seconds=seconds) if simulations is None else Budget(simulations=simulations)


def begin(rules: str, role: str, budget: Budget | None = None) -> Begin:
    """The task of getting ready. A clock would be used up, where players search before play."""
    return Begin(rules=rules, role=role, seed=3, budget=budget or soon(simulations=50))


def reports(seat: PlayerProcess, task: Task) -> list[Report]:
    return list(seat.reports(task))


def test_a_match_where_nothing_is_hidden() -> None:
    seat = desk("uct")
    assert reports(seat, begin(TIC_TAC_TOE, "o")) == [Done()]
    few = soon(simulations=50)
    first = reports(seat, TurnTask(told=Told(), answered=None, budget=few))
    assert first[0] == Fallback("noop")
    assert isinstance(first[1], Chosen)
    told = Told(terms=(("mark", "1", "1"), "noop"))
    fallback, chosen = reports(seat, TurnTask(told=told, answered="noop", budget=few))
    assert fallback == Fallback(("mark", "1", "2"))
    assert isinstance(chosen, Chosen)
    assert chosen.move[0] == "mark"
    end = EndTask(told=Told(terms=("noop", chosen.move)), answered=chosen.move)
    assert reports(seat, end) == [Done()]


@pytest.mark.parametrize("player", ["auto", "ismcts", "random"])
def test_a_match_with_percepts_in_the_older_dialect(player: str) -> None:
    seat = desk(player)
    assert reports(seat, begin(MONTY_HALL, "candidate")) == [Done()]
    answered = None
    for told in (Told(), Told(), Told(terms=()), Told(terms=(("opened", "2"),))):
        task = TurnTask(told=told, answered=answered, budget=soon(simulations=20))
        fallback, chosen = reports(seat, task)
        assert isinstance(fallback, Fallback)
        assert isinstance(chosen, Chosen)
        # The door that the host opened is not the candidate's.
        answered = ("pick", "1") if chosen.move[0] == "pick" else chosen.move
    assert answered in ("stay", "switch")


def test_the_same_seed_and_simulations_choose_the_same() -> None:
    chosen = []
    for _ in range(2):
        seat = desk("ismcts")
        reports(seat, begin(MONTY_HALL, "candidate"))
        reports(seat, TurnTask(told=Told(), answered=None, budget=soon(simulations=50)))
        turn = TurnTask(told=Told(terms=()), answered="noop", budget=soon(simulations=50))
        chosen.append([report.move for report in reports(seat, turn) if isinstance(report, Chosen)])
    assert chosen[0] == chosen[1] != []


@pytest.mark.parametrize("rules", [TIC_TAC_TOE, MONTY_HALL])
def test_a_faulty_player_leaves_a_legal_move_to_fall_back_on(rules: str) -> None:
    role = "x" if rules == TIC_TAC_TOE else "candidate"
    for player, why in ((Mute, "not legal"), (Broken, "ZeroDivisionError: no luck")):
        make: type[Agent] = player
        seat = desk(Entrant("faulty", make))
        reports(seat, begin(rules, role))
        fallback, failed = reports(seat, TurnTask(told=Told(), answered=None, budget=soon()))
        assert fallback == Fallback(("mark", "1", "1") if role == "x" else "noop")
        assert isinstance(failed, Failed)
        assert why in failed.why


def test_a_turn_that_is_over_is_only_taken_note_of() -> None:
    seat = desk("first")
    reports(seat, begin(TIC_TAC_TOE, "o"))
    reports(seat, TurnTask(told=Told(), answered=None, budget=soon()))
    told = Told(terms=(("mark", "1", "1"), "noop"))
    (failed,) = reports(seat, TurnTask(told=told, answered="noop", budget=soon(-1.0)))
    assert isinstance(failed, Failed)
    told = Told(terms=("noop", ("mark", "1", "2")))
    assert reports(seat, TurnTask(told=told, answered="noop", budget=soon()))[0] == Fallback("noop")


@pytest.mark.parametrize(
    ("rules", "role", "why"),
    [
        ("(role x)", "x", "GDL"),
        ("(((", "x", "GDL"),
        ("", "x", "GDL"),
        (TIC_TAC_TOE, "y", "GGP004"),
    ],
)
def test_rules_that_cannot_be_played_are_a_failure_with_its_code(
    rules: str, role: str, why: str
) -> None:
    seat = desk("first")
    (failed,) = reports(seat, begin(rules, role))
    assert isinstance(failed, Failed)
    assert failed.why.startswith(why)
    (failed,) = reports(seat, TurnTask(told=Told(), answered=None, budget=soon()))
    assert isinstance(failed, Failed)


def test_rules_are_loaded_once_and_old_ones_forgotten() -> None:
    loaded: list[str] = []

    def load(text: str, engine: LoadEngine) -> Playable:
        loaded.append(text)
        return load_sent(text, "reference")

    seat = PlayerProcess(
        ProcessSettings(entrant=Entrant("first", partial(make_player, "first")), load=load)
    )
    games = [f"{TIC_TAC_TOE} (unused {number})" for number in range(KEPT_GAMES + 1)]
    reports(seat, Prepare(games[0]))
    reports(seat, begin(games[0], "x"))
    assert loaded == games[:1]
    for rules in games[1:]:
        reports(seat, Prepare(rules))
    reports(seat, Prepare(games[0]))
    assert loaded == [*games, games[0]]


def thinking(player: type[Agent], *, ponders: bool = True) -> PlayerProcess:
    """A process whose player is ready."""
    settings = ProcessSettings(entrant=Entrant("one", player), load=load_sent, ponders=ponders)
    seat = PlayerProcess(settings)
    assert not seat.ponder()
    reports(seat, begin(TIC_TAC_TOE, "o", soon()))
    return seat


def test_a_player_thinks_from_start_to_stop_while_nobody_asks() -> None:
    seat = thinking(Thoughtful)
    assert [seat.ponder() for _ in range(3)] == [True] * 3
    reports(seat, TurnTask(told=Told(), answered=None, budget=soon()))
    assert seat.ponder()
    reports(seat, EndTask(told=Told(terms=(("mark", "1", "1"), "noop")), answered="noop"))
    assert not seat.ponder()


def test_a_player_with_nothing_to_think_about_waits_for_the_next_task() -> None:
    assert not thinking(FirstPlayer).ponder()
    seat = thinking(Thoughtful)
    Thoughtful.slices, before = 0, Thoughtful.slices
    try:
        assert not seat.ponder()
    finally:
        Thoughtful.slices = before


def test_nobody_thinks_ahead_where_budgets_are_of_simulations_or_it_is_not_wanted() -> None:
    assert not thinking(Thoughtful, ponders=False).ponder()
    seat = thinking(Thoughtful)
    few = soon(simulations=10)
    reports(seat, begin(TIC_TAC_TOE, "o", few))
    assert not seat.ponder()
    reports(seat, TurnTask(told=Told(), answered=None, budget=few))
    assert not seat.ponder()


def test_a_player_that_fails_while_others_move_goes_on_without_thinking(
    caplog: pytest.LogCaptureFixture,
) -> None:
    seat = thinking(Forgetful)
    assert not seat.ponder()
    assert not seat.ponder()
    _, chosen = reports(seat, TurnTask(told=Told(), answered=None, budget=soon()))
    assert isinstance(chosen, Chosen)
    assert not seat.ponder()
    assert [record.message for record in caplog.records] == ["a player failed while others moved"]


def test_a_match_that_was_left_does_not_use_the_processor_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(player_process, "PONDER_SECONDS", 0.0)
    assert not thinking(Thoughtful).ponder()


def test_a_player_that_comes_back_late_does_not_think_any_more_while_others_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(player_process, "LONG_SECONDS", 0.0)
    seat = thinking(Thoughtful)
    assert [seat.ponder() for _ in range(player_process.MOST_LONG + 2)] == [True] * 3 + [False] * 2


def test_a_search_goes_on_while_others_move() -> None:
    """Its moves stay legal."""
    seat = desk("ismcts")
    reports(seat, begin(MONTY_HALL, "candidate"))
    for told, answered in ((Told(), None), (Told(), "noop"), (Told(terms=()), ("pick", "1"))):
        task = TurnTask(told=told, answered=answered, budget=soon(0.2))
        _, chosen = reports(seat, task)
        assert isinstance(chosen, Chosen)
        assert seat.ponder()
