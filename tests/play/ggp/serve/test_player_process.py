"""A player at its desk: what it reports for tasks, also when players and rules are broken."""

from __future__ import annotations

from functools import partial

import pytest

from fogspiel.cli.commands.play.serve import load_rules
from fogspiel.core.budget import Budget
from fogspiel.core.terms import MoveId, Observation
from fogspiel.games.library import resolve
from fogspiel.play.ggp.messages import Told
from fogspiel.play.ggp.scramble import Scrambling
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
from fogspiel.play.series import Entrant
from fogspiel.players.catalogue import make_player
from fogspiel.players.protocol import Agent, Seat

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


def desk(player: Entrant | str) -> PlayerProcess:
    if isinstance(player, str):
        player = Entrant(player, partial(make_player, player))
    return PlayerProcess(ProcessSettings(entrant=player, load=load_rules))


def soon(seconds: float = 5.0, simulations: int | None = None) -> Budget:
    """A budget of simulations alone where they are given, as the server makes it."""
    return Budget.of(seconds=seconds) if simulations is None else Budget(simulations=simulations)


def begin(rules: str, role: str) -> Begin:
    return Begin(rules=rules, role=role, seed=3, budget=soon())


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
        return load_rules(text, "reference")

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
