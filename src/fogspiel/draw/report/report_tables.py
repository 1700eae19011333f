"""Tables of a report: standings, games and seats, faults, matches, and the cross table.

The cross table is a heat map. Its colours can be told apart by the colour-blind, and the numbers
stand in the cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogspiel.core.values import FEWEST_VALUES, margin_text
from fogspiel.draw.report.markup import NOTHING, Markup, element, joined, table, text
from fogspiel.play.ratings.summary import Meeting, Standing, Summary
from fogspiel.play.tournament.schedule import FormatTable

MOST_MATCHES = 2_000  #: Matches that are listed
MOST_FAILURES = 50  #: Failed matches that are listed one by one
OPEN_GAMES = 6  #: Games that are shown at once; of more, the reader opens those they want
SHADES = 11  #: Colours from orange over none to blue, as the style sheet has them


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedMatch:
    """What a report says of a match."""

    number: int
    game: str
    seats: str  #: Roles and players
    shares: str  #: The share of each role, in the same order; empty for a failed match
    steps: int
    faults: int  #: Moves that were replaced
    moves: tuple[str, ...] = ()  #: The joint move of each step, if its record was kept


def standings_table(summary: Summary) -> Markup:
    """All players, the best first."""
    columns = (
        "player", "matches", "mean share", "ahead of the next", "wins / draws / losses",
        "rating", "skill mu", "skill sigma",
    )  # fmt: skip
    rows = []
    for place, own in enumerate(summary.standings):
        after = summary.standings[place + 1 : place + 2]
        rows.append(
            (
                placed(place + 1, own.player),
                text(f"{own.matches:,}"),
                _share(own),
                _ahead(summary, own.player, after[0].player) if after else NOTHING,
                text(f"{own.wins:,} / {own.draws:,} / {own.losses:,}"),
                _rating(summary, own.player),
                *_skill(summary, own.player),
            )
        )
    return table(columns, rows)


def format_table(standings: FormatTable) -> Markup:
    """Standings by the rules of the tournament's format."""
    rows = [
        [placed(place, str(row[0])), *(text(f"{value:g}") for value in row[1:])]
        for place, row in enumerate(standings.rows, 1)
    ]
    return table(standings.columns, rows)


def games_tables(summary: Summary) -> Markup:
    """A table for each game: every player in all seats together and in each."""
    games = list(dict.fromkeys(own.game for own in summary.by_game))
    shown = "open" if len(games) <= OPEN_GAMES else None
    return joined(
        element(
            "details",
            element("summary", text(game or "")),
            _game_table(
                [own for own in summary.by_game if own.game == game],
                [own for own in summary.by_seat if own.game == game],
            ),
            open=shown,
        )
        for game in games
    )


def faults_table(standings: Sequence[Standing]) -> Markup:
    """The number of replaced moves by player and kind of fault."""
    kinds = sorted({kind for own in standings for kind in own.faults})
    if not kinds:
        return element("p", text("Every move was the player's own: nothing had to be replaced."))
    columns = ("player", *(kind.replace("_", " ") for kind in kinds), "in all")
    rows = [
        (
            text(own.player),
            *(text(f"{own.faults.get(kind, 0):,}") for kind in kinds),
            text(f"{sum(own.faults.values()):,}"),
        )
        for own in standings
    ]
    return table(columns, rows)


def failures_table(summary: Summary) -> Markup:
    """Matches that came to no end."""
    shown = summary.failures[:MOST_FAILURES]
    told = [(str(own.number), own.game, ", ".join(own.players), own.failed or "") for own in shown]
    rows = [[text(part) for part in row] for row in told]
    more = len(summary.failures) - len(shown)
    note = element("p", text(f"And {more:,} more.")) if more else NOTHING
    return joined([table(("match", "game", "players", "reason"), rows, numbers_from=9), note])


def matches_table(matches: Sequence[ReportedMatch]) -> Markup:
    """All matches, with their moves where they were kept."""
    columns = ("match", "game", "players", "shares", "steps", "faults", "moves")
    rows = [
        (
            *(text(f"{part}") for part in (own.number, own.game, own.seats, own.shares)),
            *(text(f"{part:,}") for part in (own.steps, own.faults)),
            _moves(own),
        )
        for own in matches
    ]
    return table(columns, rows, numbers_from=9)


def _moves(match: ReportedMatch) -> Markup:
    if not match.moves:
        return NOTHING
    lines = "\n".join(f"{number}. {joint}" for number, joint in enumerate(match.moves, 1))
    return element("details", element("summary", text("show")), element("pre", text(lines)))


def placed(place: int, player: str) -> Markup:
    """A player with its place in the standings."""
    return Markup(element("span", text(f"{place} "), class_="place") + text(player))


def with_margin(
    mean: float, interval: tuple[float, float] | None, count: int, form: str = ".3f"
) -> Markup:
    """A mean with its interval, if there are enough values. form: how numbers are written."""
    shown = text(f"{mean:{form}}")
    margin = margin_text(mean, interval, count, form.removeprefix("+"))
    if not margin:
        return shown
    return Markup(shown + element("span", text(f" {margin}"), class_="half"))


def _share(own: Standing) -> Markup:
    return with_margin(own.mean_share, own.interval, own.matches)


def _game_table(together: Sequence[Standing], seats: Sequence[Standing]) -> Markup:
    roles = list(dict.fromkeys(own.role for own in seats))
    by_role = {(own.player, own.role): own for own in seats}
    rows = []
    for own in together:
        cells = [
            text(own.player),
            text(f"{own.matches:,}"),
            _share(own),
        ]
        for role in roles:
            seat = by_role.get((own.player, role))
            cells.append(
                with_margin(seat.mean_share, seat.interval, seat.matches) if seat else NOTHING
            )
        rows.append(cells)
    return table(("player", "matches", "all seats", *(f"as {role}" for role in roles)), rows)


def _ahead(summary: Summary, player: str, other: str) -> Markup:
    own = summary.ahead(player, other)
    if own is None:
        return NOTHING
    sure = own.interval is not None and (own.interval[0] > 0.0 or own.interval[1] < 0.0)
    return element(
        "span",
        with_margin(own.mean, own.interval, own.blocks, "+.3f"),
        class_="sure" if sure else None,
    )


def _rating(summary: Summary, player: str) -> Markup:
    own = summary.rating(player)
    return (
        NOTHING
        if own.interval is None
        else with_margin(own.elo, own.interval, own.comparisons, "+.0f")
    )


def _skill(summary: Summary, player: str) -> tuple[Markup, Markup]:
    skill = summary.skill(player)
    if not skill.matches:
        return NOTHING, NOTHING
    return text(f"{skill.mu:.2f}"), text(f"{skill.sigma:.2f}")


def heat_map(summary: Summary) -> Markup:
    """The mean share of each player, by row, against each other one, by column.

    Columns have the places of the players, because names would not fit over them.
    """
    players = summary.players
    head = [
        element("th", text(str(place)), scope="col", title=player, class_="heat")
        for place, player in enumerate(players, 1)
    ]
    rows = [
        element(
            "tr",
            element("th", placed(place, player), scope="row"),
            *(_cell(player, other, summary.cross.get((player, other))) for other in players),
        )
        for place, player in enumerate(players, 1)
    ]
    inside = (
        element("thead", element("tr", element("th", text("player"), scope="col"), *head)),
        element("tbody", joined(rows)),
    )
    return element("div", element("table", *inside, class_="heat"), class_="scroll", tabindex="0")


def _cell(player: str, other: str, meeting: Meeting | None) -> Markup:
    if player == other:
        return element("td", NOTHING, class_="self")
    if meeting is None:
        return element("td", text("-"), class_="never")
    told = f"{player} against {other}: {meeting.mean_share:.3f} in {meeting.matches:,} matches"
    if meeting.interval is not None and meeting.matches >= FEWEST_VALUES:
        low, high = meeting.interval
        told += f", 95 % between {low:.3f} and {high:.3f}"
    return element(
        "td",
        text(f"{meeting.mean_share:.2f}"),
        element("small", text(f"{meeting.matches:,}")),
        class_=f"shade-{shade(meeting.mean_share)}",
        title=told,
    )


def shade(share: float) -> int:
    """The number of a colour; shares beyond 0 and 1, which some games know, get the last ones."""
    return min(SHADES - 1, max(0, int(share * SHADES)))
