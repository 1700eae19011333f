"""Tignum and `pimc` declare the same random deals against defenders who see all cards.

A block of deals is a part, so that a long run can be interrupted. Results do not depend on blocks:
every deal follows from the seed and its number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from fogspiel.cases.bridge.matches.deal_series import DealResult, MatchPlan, play_numbered, warm_up
from fogspiel.cases.bridge.matches.standings import comparisons, standings
from fogspiel.lab.framework.markdown import markdown, with_interval
from fogspiel.lab.framework.study import Document, Settings, Study
from fogspiel.lab.tignum.deals import blocks, deals_of


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """A record for each deal and declarer."""
    plan = MatchPlan(
        deals=settings["deals"],
        seed=seed,
        declarers=tuple(settings["declarers"]),
        defence=settings["defence"],
        objective="tricks",
    )
    warm_up(plan.declarers)
    return [asdict(result) for number in deals_of(part) for result in play_numbered(plan, number)]


def table(records: Sequence[Document]) -> str:
    """What each declarer lost and how long it took; then every pair, deal by deal."""
    results = [DealResult(**{**r, "free_seconds": tuple(r["free_seconds"])}) for r in records]
    rows = [
        [
            standing.declarer,
            str(standing.deals),
            with_interval(standing.lost.value, standing.lost.interval, 3),
            str(standing.made),
            f"{1000 * standing.times.mean:.1f}",
            f"{1000 * standing.times.p95:.0f}",
            f"{1000 * standing.times.longest:.0f}",
        ]
        for standing in standings(results)
    ]
    head = ["declarer", "deals", "tricks lost a deal", "made", "ms a choice", "95 %", "most"]
    verdicts = [f"- {pair.verdict[0].upper()}{pair.verdict[1:]}." for pair in comparisons(results)]
    return "\n".join([markdown(head, rows), "", *verdicts])


STUDY = Study(
    name="bridge-match",
    what="Tignum and double-dummy sampling on random deals",
    source="our own; the declarer is that of S. J. J. Smith and D. S. Nau (1993), section 5",
    settings={
        "deals": 500,
        "block": 10,
        "declarers": ("tignum", "tignum:6", "pimc:50", "pimc:6"),
        "defence": "double-dummy",
    },
    quick={"deals": 2, "block": 1, "declarers": ("tignum:4", "pimc:2"), "defence": "natural"},
    parts=blocks,
    run_part=run_part,
    table=table,
)
