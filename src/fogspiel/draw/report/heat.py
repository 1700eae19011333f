"""The cross table as a heat map: numbers in cells, colours that the colour-blind can tell apart."""

from __future__ import annotations

from fogspiel.draw.report.markup import NOTHING, Markup, element, joined, text
from fogspiel.draw.report.tables import placed
from fogspiel.play.ratings.pairs import Meeting
from fogspiel.play.ratings.summary import Summary

SHADES = 11
"""From orange over none to blue, as the style sheet has them."""


def heat_map(summary: Summary) -> Markup:
    """What each player, by row, reached against each other one, by column.

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
