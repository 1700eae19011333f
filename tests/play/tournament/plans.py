"""Plans and tournaments for tests: games of a few steps, players that need no time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fogspiel.core.source import Source
from fogspiel.games.load import load_rules, read_rules
from fogspiel.play.tournament.formats import schedule_of
from fogspiel.play.tournament.plan import GameRules, TournamentPlan
from fogspiel.play.tournament.plan_reading import plan_of_text
from fogspiel.play.tournament.schedule import MatchResult, PlayedMatch, ScheduledMatch
from fogspiel.play.tournament.tournament import Tournament, WorkerAssignment

PLAYERS = '[[players]]\nplayer = "random"\n[[players]]\nplayer = "first"\n'
SMALL = f'games = ["kuhn_poker"]\nrepetitions = 3\n[clock]\nsimulations = 2\n{PLAYERS}'


def plan_of(text: str = SMALL) -> TournamentPlan:
    return plan_of_text(Source("league.toml", text), default_name="league")


def game(name: str, *roles: str) -> GameRules:
    return GameRules(name=name, sources=(Source(name, f"; {name}"),), roles=roles)


def tournament_of(text: str = SMALL, folder: Path = Path()) -> Tournament:
    plan = plan_of(text)
    games = {name: read_rules(name, folder) for name in plan.games}
    return Tournament(plan=plan, games=games, schedule=schedule_of(plan, list(games.values())))


def matches_of(plan: TournamentPlan, games: Sequence[GameRules]) -> Sequence[ScheduledMatch]:
    """The matches that are known before the first result."""
    return schedule_of(plan, games).settled(())


def assignment_of(whole: Tournament) -> WorkerAssignment:
    return WorkerAssignment(plan=whole.plan, games=whole.games, load=load_rules)


def played(match: ScheduledMatch, goals: tuple[int, ...] = (25, 75)) -> PlayedMatch:
    return PlayedMatch(
        result=MatchResult(
            number=match.number,
            game=match.game,
            roles=("first", "second"),
            players=match.players,
            seed=match.seed,
            goals=goals,
            goal_scale=1,
            steps=4,
            faults=({"timeout": 2}, {}),
            seconds=0.25,
        )
    )
