"""The report of a tournament: one page with everything in it, its tables, and a heat map.

The heat map is the cross table. Its colours can be told apart by the colour-blind, and the numbers
stand in the cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from fogspiel.draw.report.markup import NOTHING, Markup, element, facts, joined, table, text
from fogspiel.draw.report.plots import MOST_LINES, ratings_plot, settling_plot
from fogspiel.play.ratings.bradley_terry import PRIOR_DRAWS, Rating
from fogspiel.play.ratings.summary import Meeting, Standing, Summary
from fogspiel.play.tournament.schedule import FormatTable

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What a browser may do with the page: show it. No script runs and nothing is fetched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportHeading:
    """What a report says of itself."""

    title: str
    settings: tuple[tuple[str, str], ...]  #: The settings of the tournament, by name
    provenance: tuple[tuple[str, str], ...]  #: The sources of the results, by name


def report_page(summary: Summary, heading: ReportHeading) -> str:
    """The page as HTML. The same summary and heading give the same text."""
    style = files("fogspiel.draw.report").joinpath("style.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", text(heading.title)),
        element("style", Markup(style)),
    )
    parts = [
        element("h1", text(heading.title)),
        element("p", text(_extent(summary)), class_="extent"),
        _section("Settings", facts(heading.settings)),
        *(_results(summary) if summary.played else ()),
        _failures(summary),
        _section("Provenance", facts(heading.provenance)),
    ]
    body = element("body", element("main", joined(part for part in parts if part)))
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _results(summary: Summary) -> list[Markup]:
    table = summary.table
    return [
        *([] if table is None else [_section(table.title, format_table(table))]),
        _section(
            "Standings",
            _said(
                "A share is a goal divided by 100. Numbers after ± make intervals of 95 % "
                "(Student's t). “Ahead of the next” is the difference to the player below over the "
                "repetitions that both took part in, whose luck they shared; in bold where its "
                "interval leaves out 0."
            ),
            standings_table(summary),
        ),
        *_ratings(summary),
        *_cross(summary),
        _section("Games and seats", games_tables(summary)),
        _section("Faults", faults_table(summary.standings)),
    ]


def _ratings(summary: Summary) -> list[Markup]:
    compared = [own for own in summary.ratings.ratings if own.interval is not None]
    if not compared:
        return []
    explained = _said(
        "Ratings of Bradley and Terry on the scale of Elo: 400 points more are ten points won to "
        f"one. 0 is the mean. Each player is taken to have drawn {PRIOR_DRAWS:g} match with an "
        "imaginary one of rating 0. Lines are intervals of 95 %."
    )
    settling = _said(
        "What ratings would have been after fewer matches, in the order of the schedule"
        f"{_few(compared)}."
    )
    return [
        _section("Ratings", explained, *_groups(summary, compared)),
        _section("How ratings settled", settling, settling_plot(summary.settling)),
    ]


def _groups(summary: Summary, compared: list[Rating]) -> list[Markup]:
    """A plot for each group of players that matches connect."""
    groups = sorted({own.group for own in compared})
    parts = []
    for group in groups:
        if len(groups) > 1:
            parts.append(element("h3", text(f"Group {group + 1}")))
        if group in summary.ratings.held_by_prior:
            parts.append(
                _said(
                    "Some took every point from others here: how far these are apart is for the "
                    "imaginary match to say, and intervals understate how uncertain it is."
                )
            )
        parts.append(ratings_plot([own for own in compared if own.group == group]))
    if len(groups) > 1:
        parts.insert(0, _said("No chain of matches connects the groups: each has a mean of 0."))
    return parts


def _cross(summary: Summary) -> list[Markup]:
    if not summary.cross:
        return []
    explained = _said(
        "The mean share of the player in the row, in matches with the one in the column (numbered "
        "as the rows), and how many these were."
    )
    return [_section("Cross table", explained, heat_map(summary))]


def _failures(summary: Summary) -> Markup:
    if not summary.failures:
        return NOTHING
    explained = _said("These matches came to no result and count for nobody.")
    return _section("Failed matches", explained, failures_table(summary))


def _extent(summary: Summary) -> str:
    """The part of the tournament that the page tells of."""
    matches = f"{summary.played:,} of {summary.planned:,} matches were played"
    failed = f", {len(summary.failures):,} failed" if summary.failures else ""
    return f"{matches}{failed}{'' if summary.finished else '; the tournament is not over'}."


def _few(compared: list[Rating]) -> str:
    return f"; the {MOST_LINES} highest" if len(compared) > MOST_LINES else ""


def _section(title: str, *inside: Markup) -> Markup:
    return element("section", element("h2", text(title)), joined(inside))


def _said(words: str) -> Markup:
    return element("p", text(words), class_="said")


MOST_FAILURES = 50  #: Failed matches that are listed one by one
OPEN_GAMES = 6  #: Games that are shown at once; of more, the reader opens those they want
SHADES = 11  #: Colours from orange over none to blue, as the style sheet has them


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
                with_half(own.mean_share, own.interval),
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


def placed(place: int, player: str) -> Markup:
    """A player with its place in the standings."""
    return Markup(element("span", text(f"{place} "), class_="place") + text(player))


def with_half(mean: float, interval: tuple[float, float] | None, form: str = ".3f") -> Markup:
    """A mean with half of its interval. form: how numbers are written."""
    shown = text(f"{mean:{form}}")
    if interval is None:
        return shown
    half = (interval[1] - interval[0]) / 2
    return Markup(
        shown + element("span", text(f" ± {half:{form.removeprefix('+')}}"), class_="half")
    )


def _game_table(together: Sequence[Standing], seats: Sequence[Standing]) -> Markup:
    roles = list(dict.fromkeys(own.role for own in seats))
    by_role = {(own.player, own.role): own for own in seats}
    rows = []
    for own in together:
        cells = [
            text(own.player),
            text(f"{own.matches:,}"),
            with_half(own.mean_share, own.interval),
        ]
        for role in roles:
            seat = by_role.get((own.player, role))
            cells.append(with_half(seat.mean_share, seat.interval) if seat else NOTHING)
        rows.append(cells)
    return table(("player", "matches", "all seats", *(f"as {role}" for role in roles)), rows)


def _ahead(summary: Summary, player: str, other: str) -> Markup:
    own = summary.ahead(player, other)
    if own is None:
        return NOTHING
    sure = own.interval is not None and (own.interval[0] > 0.0 or own.interval[1] < 0.0)
    return element(
        "span", with_half(own.mean, own.interval, "+.3f"), class_="sure" if sure else None
    )


def _rating(summary: Summary, player: str) -> Markup:
    own = summary.rating(player)
    return NOTHING if own.interval is None else with_half(own.elo, own.interval, "+.0f")


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
    if meeting.interval is not None:
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
