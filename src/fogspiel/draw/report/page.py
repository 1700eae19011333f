"""The report of a tournament: one page with everything in it, the results first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from fogspiel.draw.report.markup import NOTHING, Markup, element, facts, joined, text
from fogspiel.draw.report.plots import MOST_LINES, ratings_plot, settling_plot
from fogspiel.draw.report.report_tables import (
    ReportedMatch,
    failures_table,
    faults_table,
    format_table,
    games_tables,
    heat_map,
    matches_table,
    standings_table,
)
from fogspiel.play.ratings.bradley_terry import PRIOR_DRAWS, Rating
from fogspiel.play.ratings.summary import Summary

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What a browser may do with the page: show it. No script runs and nothing is fetched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportHeading:
    """What a report says of itself."""

    title: str
    settings: tuple[tuple[str, str], ...]  #: The settings of the tournament, by name
    provenance: tuple[tuple[str, str], ...]  #: The sources of the results, by name


def report_page(
    summary: Summary, heading: ReportHeading, matches: Sequence[ReportedMatch] = ()
) -> str:
    """The page as HTML, the results first. The same arguments give the same text."""
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
        *(_results(summary) if summary.played else ()),
        _failures(summary),
        _matches(matches, summary),
        _section("Settings", facts(heading.settings)),
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
                "A share is a goal divided by 100. Numbers after the mean are the interval of 95 % "
                "(Student's t), cut off at the bounds of shares. “Ahead of the next” is the "
                "difference to the player below over the repetitions that both took part in, whose "
                "luck they shared; in bold where its interval leaves out 0."
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


def _matches(matches: Sequence[ReportedMatch], summary: Summary) -> Markup:
    """The list of matches, each with its moves where they were kept."""
    if not matches:
        return NOTHING
    over = summary.played + len(summary.failures)
    explained = "`fogspiel results JOURNAL --match N --record FILE` writes the record of a match."
    if over > len(matches):
        explained = f"The first {len(matches):,} of {over:,} matches. {explained}"
    inside = element(
        "details",
        element("summary", text(f"{len(matches):,} matches")),
        matches_table(matches),
    )
    return _section("Matches", _said(explained), inside)


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
