"""Swiss tournaments: in every round players with the same score meet, and nobody meets twice.

Source: FIDE Handbook C.04.3, the Dutch system, as the idea: players are ranked by score and then by
pairing number (article 1.2), those with the same score form a score group (1.3), of an odd number
of players one has a bye that counts as a win (1.5), nobody meets the same opponent or has a bye
twice, and in a group the upper half meets the lower half. Buchholz's tie-break is the sum of the
scores of a player's opponents.
Departures:
- Pairing numbers are drawn by the seed, since there are no ratings.
- The best player who is not paired yet gets the best opponent with whom everybody else can still be
  paired: one with the highest score, then one who wants the other seat, then one from the lower
  half. FIDE pairs a whole score group at a time.
- Seats (colours) are evened out as far as the scores allow; they never forbid a pair.
- Where rematches cannot be avoided, players meet again who met the fewest times.
- Two who meet play all games of the plan, in every repetition; the seats change between
  repetitions. The score of a round is the share of its matches that were won, a draw is half a win,
  and a match that failed is a draw.
- In Buchholz's sum a bye counts as an opponent with the player's own score.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

from fogspiel.core.findings import Finding, UsageError
from fogspiel.play.tournament.matching import Matching
from fogspiel.play.tournament.plan import GameRules, TournamentPlan
from fogspiel.play.tournament.schedule import (
    FormatTable,
    MatchResult,
    ScheduledMatch,
    refuse_too_many,
    seed_of,
)

PAIR = 2
WIN_POINTS = 2  #: Points are counted in halves of a win: 2 for a win, 1 for a draw


@dataclass(frozen=True, slots=True)
class SwissRound:
    """The pairs of a round. Players are named by their pairing numbers, from 0."""

    pairs: tuple[tuple[int, int], ...]
    """Two players who meet, the one in the first seat first; the best player's pair comes first."""
    bye: int | None  #: The player without an opponent


class SwissHistory:
    """Everything about earlier rounds that a pairing depends on, by pairing number."""

    def __init__(self, players: int) -> None:
        self.points = [0] * players
        """Halves of wins."""
        self.byes = [0] * players
        self.seats = [0] * players
        """Rounds in the first seat minus rounds in the second."""
        self.last_seat = [0] * players
        """1 for the first seat, -1 for the second, 0 before the first round."""
        self.meetings = [Counter[int]() for _ in range(players)]
        """The number of meetings with each other player."""

    def add(self, paired: SwissRound, points: Counter[int], bye_points: int) -> None:
        """Take note of a round. points: halves of wins that each player got in it."""
        for first, second in paired.pairs:
            self.meetings[first][second] += 1
            self.meetings[second][first] += 1
            for player, seat in ((first, 1), (second, -1)):
                self.points[player] += points[player]
                self.seats[player] += seat
                self.last_seat[player] = seat
        if paired.bye is not None:
            self.byes[paired.bye] += 1
            self.points[paired.bye] += bye_points

    def may_meet(self, most: int, one: int, other: int) -> bool:
        """Whether two players have met so many times at most."""
        return self.meetings[one][other] <= most

    def ranking(self) -> list[int]:
        """All players, the best first."""
        return sorted(range(len(self.points)), key=lambda player: (-self.points[player], player))


def pair_round(history: SwissHistory) -> SwissRound:
    """The pairs of the next round."""
    ranking = history.ranking()
    byes: list[int | None] = [None]
    if len(ranking) % PAIR:
        fewest = min(history.byes)
        byes = [player for player in reversed(ranking) if history.byes[player] == fewest]
    for most in count():
        for bye in byes:
            playing = [player for player in ranking if player != bye]
            matching = Matching(playing, partial(history.may_meet, most))
            if matching.is_perfect:
                return SwissRound(tuple(_pairs(history, playing, matching)), bye)
    raise AssertionError("players who may meet as often as they like can always be paired")


def _pairs(
    history: SwissHistory, playing: Sequence[int], matching: Matching
) -> Iterator[tuple[int, int]]:
    """Settle pairs from the best player down; `matching` knows who can still be paired."""
    free = list(playing)
    for number in range(len(playing) // PAIR):
        best = free.pop(0)
        wanted = _wanted(history, best, free)
        opponent = next(other for other in wanted if matching.take(best, other))
        free.remove(opponent)
        yield _seated(history, best, opponent, number)


def _wanted(history: SwissHistory, player: int, others: Sequence[int]) -> list[int]:
    """The opponents of a player, the one that suits it best first. others: ranked."""
    points = history.points
    same = [other for other in others if points[other] == points[player]]
    # The player is the best of its group: its opponent is the first of the lower half.
    middle = (len(same) + 1) // PAIR - 1
    place = {other: (index - middle) % len(same) for index, other in enumerate(same)}
    return sorted(
        others,
        key=lambda other: (
            -points[other],
            _clash(history, player, other),
            place.get(other, 0),
            other,
        ),
    )


def _clash(history: SwissHistory, one: int, other: int) -> int:
    """The degree to which two players want the same seat; 0 if they do not."""
    seats, last = history.seats, history.last_seat
    if seats[one] * seats[other] > 0:
        return 1 + min(abs(seats[one]), abs(seats[other]))
    return int(seats[one] == seats[other] == 0 and last[one] * last[other] > 0)


def _seated(history: SwissHistory, best: int, opponent: int, number: int) -> tuple[int, int]:
    """Two players in their seats: the first is for the one who sat there less, or longer ago."""
    ours, theirs = (
        (history.seats[player], history.last_seat[player]) for player in (best, opponent)
    )
    # Between equals the better player changes its seat; at the beginning pairs take turns.
    goes_first = ours < theirs or (
        ours == theirs and (history.last_seat[best] < 0 or (not ours[1] and number % PAIR == 0))
    )
    return (best, opponent) if goes_first else (opponent, best)


class SwissSchedule:
    """The rounds of a plan, paired by the results of earlier rounds. Implements `Schedule`."""

    def __init__(self, plan: TournamentPlan, games: Sequence[GameRules]) -> None:
        unfit = [game for game in games if len(game.roles) != PAIR]
        if unfit:
            raise UsageError(map(_unfit, unfit))
        if len(plan.players) < PAIR:
            raise UsageError.of(
                "TOU004", "a Swiss tournament needs two players at least", fix="add players"
            )
        self._plan, self._games, self._rounds = plan, games, plan.options["rounds"]
        names = [player.name for player in plan.players]
        self._names = sorted(names, key=lambda name: _draw(plan.seed, name))
        """Names by pairing number."""
        encounter = len(games) * plan.repetitions
        self._win, self._round = WIN_POINTS * encounter, len(names) // PAIR * encounter
        """Points for winning all matches of a round, and the number of matches in a round."""
        self.planned = self._rounds * self._round
        refuse_too_many(self.planned, "`rounds` or `repetitions`")

    def settled(self, results: Sequence[MatchResult]) -> Sequence[ScheduledMatch]:
        """The matches of all rounds that are over, and of the one after them."""
        return [match for own, _ in self._played(results) for match in own]

    def first_repeatable(self, results: Sequence[MatchResult]) -> int:
        """The first match of the last round that was begun."""
        last = max((result.number for result in results), default=0)
        return last // self._round * self._round

    def table(self, results: Sequence[MatchResult]) -> FormatTable:
        """Standings by score, and by Buchholz's sum among equal scores."""
        points, opponents = Counter[int](), [list[int]() for _ in self._names]
        byes = Counter[int]()
        known = {result.number: result for result in results}
        for matches, paired in self._played(results):
            scored = self._scored(matches, known)
            if not scored:
                break
            points.update(scored)
            for first, second in paired.pairs:
                opponents[first].append(second)
                opponents[second].append(first)
            if paired.bye is not None:
                points[paired.bye] += self._win
                opponents[paired.bye].append(paired.bye)
                byes[paired.bye] += 1
        rows = []
        for own, name in enumerate(self._names):
            buchholz = sum(points[met] for met in opponents[own])
            rows.append((name, points[own] / self._win, buchholz / self._win, byes[own]))
        rows.sort(key=lambda row: (-row[1], -row[2], row[0]))
        columns = ("player", "score", "Buchholz", "byes")
        return FormatTable(title="Swiss standings", columns=columns, rows=tuple(rows))

    def _played(
        self, results: Sequence[MatchResult]
    ) -> Iterator[tuple[list[ScheduledMatch], SwissRound]]:
        """The rounds that are over, and the one after them."""
        known = {result.number: result for result in results}
        history = SwissHistory(len(self._names))
        for number in range(self._rounds):
            paired = pair_round(history)
            matches = list(self._matches(number, paired))
            yield matches, paired
            if any(match.number not in known for match in matches):
                return
            history.add(paired, self._scored(matches, known), self._win)

    def _matches(self, number: int, paired: SwissRound) -> Iterator[ScheduledMatch]:
        numbers, repetitions = count(number * self._round), self._plan.repetitions
        for repetition in range(repetitions):
            for game in self._games:
                seed = seed_of(self._plan.seed, game.name, number * repetitions + repetition)
                for pair in paired.pairs:
                    seats = pair[::-1] if repetition % PAIR else pair
                    players = tuple(self._names[player] for player in seats)
                    yield ScheduledMatch(next(numbers), game.name, players, seed)

    def _scored(
        self, matches: Sequence[ScheduledMatch], known: dict[int, MatchResult]
    ) -> Counter[int]:
        """Halves of wins by pairing number."""
        points = Counter[int]()
        index = {name: number for number, name in enumerate(self._names)}
        for match in matches:
            if match.number in known:
                first, second = known[match.number].goals or (0, 0)
                won = (first > second) - (first < second)
                points[index[match.players[0]]] += 1 + won
                points[index[match.players[1]]] += 1 - won
        return points


def _draw(seed: int, name: str) -> bytes:
    """A place in the drawing of lots, the same on every machine and in every version."""
    return hashlib.sha256(f"{seed}\n{name}".encode("utf-8", "backslashreplace")).digest()


def _unfit(game: GameRules) -> Finding:
    return Finding(
        "TOU004",
        f"{game.name} has {len(game.roles)} roles; a Swiss tournament pairs two players",
        fix='leave the game out, or write format = "round-robin"',
    )
