"""The page of the study `belief-agreement`: a row for each game, and what disagrees below."""

from __future__ import annotations

from collections.abc import Sequence

from fogspiel.lab.framework.presentation import markdown
from fogspiel.lab.framework.study import Document, grouped

SIGNIFICANCE = 0.01
"""The probability that any of the tests fails although every method is right."""


def table(records: Sequence[Document]) -> str:
    """Sets that are the same and the least p-value, by game and method."""
    methods = list(grouped(records, "method"))
    rows = []
    for game, own in grouped(records, "game").items():
        positions = {record["seed"]: record for record in own}.values()
        by_method = grouped(own, "method")
        rows.append(
            [
                game,
                str(len(positions)),
                str(sum(record["too_large"] for record in positions)),
                f"{max(record['size'] for record in positions):,}",
                *(_cell(by_method.get(method, [])) for method in methods),
            ]
        )
    head = ["game", "positions", "cut", "largest set", *methods]
    return "\n".join([markdown(head, rows), "", *_explanation(records)])


def _cell(records: Sequence[Document]) -> str:
    """`9/10, p 0.12`: sets that are the same, of how many, and the least p-value."""
    listing = [record for record in records if "same_set" in record]
    same = sum(record["same_set"] is True for record in listing)
    tested = [record["p_value"] for record in records if is_test(record)]
    pieces = [f"{same}/{len(listing)}"] if listing else []
    pieces += [f"p {min(tested):.2g}"] if tested else []
    return ", ".join(pieces) or "-"


def _explanation(records: Sequence[Document]) -> list[str]:
    tests = [record for record in records if is_test(record)]
    doubtful = [r for r in records if r["p_value"] is not None and not is_test(r)]
    failing = sum(record["p_value"] < least_p(records) for record in doubtful)
    listing = [record for record in records if "same_set" in record]
    low = sum(record["p_value"] < 0.05 for record in tests) / max(1, len(tests))
    stopped = sum(bool(record.get("sampling_stopped")) for record in records)
    wrong = disagreements(records)
    return [
        "`cut`: positions with too many histories, taken back to the last step at which they can "
        "be listed. `9/10`: sets that are the same as that of `exact`; those missing were not "
        "listed in time, unless named below. `p`: the least p-value of a test of the sample "
        "against the posterior.",
        "",
        f"{len(listing):,} enumerations: {_count(listing, True):,} the same, "
        f"{_count(listing, False):,} not, {_count(listing, None):,} stopped by a limit. "
        f"{len(tests):,} samples tested; with Bonferroni's correction for a significance of "
        f"{SIGNIFICANCE:g} of all of them together, a p-value below {least_p(records):.2g} fails. "
        f"{low:.1%} of the p-values are below 0.05. Stopped by a limit: {stopped:,} samples. "
        "Where one history fits there is nothing to test. "
        f"Not marked as unbiased by their method: {len(doubtful):,} samples, of which {failing:,} "
        "fail; they do not count above.",
        "",
        *([f"- {line}" for line in wrong] or ["No disagreement."]),
    ]


def _count(records: Sequence[Document], outcome: bool | None) -> int:
    return sum(record["same_set"] is outcome for record in records)


def is_test(record: Document) -> bool:
    """Whether a sample was tested that should pass."""
    return record["p_value"] is not None and bool(record["unbiased"])


def least_p(records: Sequence[Document]) -> float:
    """The p-value below which one test fails, so that all together keep the significance."""
    return SIGNIFICANCE / max(1, sum(map(is_test, records)))


def disagreements(records: Sequence[Document]) -> list[str]:
    """What is not as it should be, in words."""
    least = least_p(records)
    found = []
    for record in records:
        where = f"{record['game']}, seed {record['seed']}, {record['method']}"
        if not record["true_inside"]:
            found.append(f"{where}: the true history is not inside")
        if record.get("same_set") is False:
            found.append(f"{where}: another set, of {record['found']:,}")
        if (record.get("largest_error") or 0.0) > 1e-9:
            found.append(f"{where}: probabilities off by {record['largest_error']:.2g}")
        if is_test(record) and record["p_value"] < least:
            found.append(f"{where}: p-value {record['p_value']:.2g}")
    return found
