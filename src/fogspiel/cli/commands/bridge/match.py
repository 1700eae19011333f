"""`fogspiel bridge match`: declarers over the same random deals, compared."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import click

from fogspiel.cli.commands.bridge.boards import defence_option, objective_option, worlds_option
from fogspiel.cli.options import count_option, seed_option
from fogspiel.cli.output import json_option, print_json, print_table, say
from fogspiel.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fogspiel.cases.bridge.matches.deal_series import DealResult, MatchPlan
    from fogspiel.cases.bridge.matches.standings import DeclarerComparison, DeclarerStanding, Mean


@click.command()
@count_option("--deals", least=1, most=100_000, default=20, help="Number of deals.")
@click.option(
    "--declarer",
    "declarers",
    metavar="NAMES",
    default="tignum,pimc",
    show_default=True,
    help="Players of the declaring side, separated by commas.",
)
@defence_option
@objective_option("tricks")
@worlds_option
@seed_option
@count_option("--jobs", least=1, most=256, default=1, help="Number of processes that play deals.")
@json_option
def match(
    *,
    deals: int,
    declarers: str,
    defence: str,
    objective: Literal["tricks", "contract"],
    worlds: int | None,
    seed: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Compare declarers on the same random deals, against the same defence.

    The report has, for each declarer, the tricks lost compared with double-dummy play after the
    lead, with 95 % confidence intervals (Student's t), the contracts made, and the processor time
    per choice. The contracts are chosen from the cards of the declaring side alone.
    """
    from fogspiel.cases.bridge.matches.deal_series import MatchPlan, play_match
    from fogspiel.cases.bridge.matches.standings import comparisons, standings

    plan = MatchPlan(
        deals=deals,
        seed=seed,
        declarers=_names(declarers),
        defence=defence,
        objective=objective,
        worlds=worlds,
    )
    began = time.perf_counter()
    with ProgressBar("deals", deals) as progress:
        results = play_match(plan, jobs=jobs, on_deal=progress.advance)
    spent = time.perf_counter() - began
    accounts, pairs = standings(results), comparisons(results)
    if as_json:
        print_json(_document(plan, jobs, spent, results, accounts, pairs))
    else:
        _print(plan, spent, accounts, pairs)


def _names(text: str) -> tuple[str, ...]:
    """The names of a list; numbers alone belong to the name before them: `alpha-mu:20,2`."""
    names: list[str] = []
    for word in (part.strip() for part in text.split(",")):
        if names and word.isdigit():
            names[-1] += f",{word}"
        else:
            names.append(word)
    if len(set(names)) < len(names) or not all(names):
        raise click.UsageError("--declarer takes different names, separated by commas.")
    return tuple(names)


def _document(
    plan: MatchPlan,
    jobs: int,
    seconds: float,
    results: list[DealResult],
    accounts: list[DeclarerStanding],
    pairs: list[DeclarerComparison],
) -> dict[str, Any]:
    return {
        "settings": {**asdict(plan), "declarers": list(plan.declarers), "jobs": jobs},
        "seconds": seconds,
        "interval": "Student's t",
        "standings": [
            {
                "declarer": account.declarer,
                "deals": account.deals,
                "lost": _mean(account.lost),
                "made": account.made,
                "tricks": account.tricks,
                "choices": account.times.choices,
                "choice_seconds": {
                    "mean": account.times.mean,
                    "p95": account.times.p95,
                    "max": account.times.longest,
                },
                "deal_seconds": account.times.a_deal,
            }
            for account in accounts
        ],
        "comparisons": [
            {
                "one": pair.one,
                "other": pair.other,
                "lost": _mean(pair.difference),
                "time_ratio": pair.time_ratio,
                "verdict": pair.verdict,
            }
            for pair in pairs
        ],
        "results": [
            {
                "deal": result.number + 1,
                "declarer": result.declarer,
                "contract": result.contract,
                "tricks": result.tricks,
                "made": result.is_made,
                "double_dummy": result.double_dummy,
                "seconds": result.seconds,
            }
            for result in results
        ],
    }


def _mean(mean: Mean) -> dict[str, Any]:
    return {"mean": mean.value, "ci95": list(mean.interval) if mean.interval else None}


def _print(
    plan: MatchPlan,
    seconds: float,
    accounts: list[DeclarerStanding],
    pairs: list[DeclarerComparison],
) -> None:
    deals = f"{plan.deals:,} deal{'s' if plan.deals > 1 else ''}"
    say(f"{deals} against {plan.defence}, objective {plan.objective}, in {seconds:.3g} s")
    rows = [
        (
            account.declarer,
            _interval(account.lost),
            f"{account.made} ({100 * account.made / account.deals:.0f} %)",
            f"{1000 * account.times.mean:.3g}",
            f"{1000 * account.times.p95:.3g}",
            f"{1000 * account.times.longest:.3g}",
            f"{account.times.a_deal:.3g}",
        )
        for account in accounts
    ]
    columns = (
        "declarer", ">tricks lost per deal", ">made", ">ms per choice", ">95th percentile",
        ">longest", ">s per deal",
    )  # fmt: skip
    print_table(None, columns, rows)
    for pair in pairs:
        say(pair.verdict)


def _interval(mean: Mean) -> str:
    if mean.interval is None:
        return f"{mean.value:.3f}"
    return f"{mean.value:.3f} ± {mean.interval[1] - mean.value:.3f}"
