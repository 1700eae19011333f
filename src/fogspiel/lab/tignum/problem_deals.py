"""The problem deals, each played single dummy against defenders who see all cards."""

from __future__ import annotations

from collections.abc import Sequence

from fogspiel.cases.bridge.matches.board_play import Pairing
from fogspiel.cases.bridge.pbn.files import problem_schemes, problems_of
from fogspiel.lab.framework.markdown import markdown
from fogspiel.lab.framework.study import Document, Settings, Study


def parts(settings: Settings) -> list[str]:
    """A scheme and a declarer each."""
    schemes = settings["schemes"] or problem_schemes()
    return [f"{scheme} {name}" for scheme in schemes for name in settings["declarers"]]


def run_part(settings: Settings, seed: int, part: str) -> list[Document]:
    """A record for each deal, with how often it was solved over the seeds."""
    scheme, name = part.split()
    pairing = Pairing(declarer=name, defence="double-dummy", objective="contract")
    return [
        {
            "scheme": scheme,
            "declarer": name,
            "board": record.number,
            "contract": str(record.contract),
            "solved": [
                pairing.play(record, seed + attempt).is_made
                for attempt in range(settings["attempts"])
            ],
        }
        for record in problems_of(scheme)
    ]


def table(records: Sequence[Document]) -> str:
    """Solved deals by scheme and declarer; the sum over attempts, and which boards were missed."""
    names = list(dict.fromkeys(record["declarer"] for record in records))
    rows = []
    for scheme in [*dict.fromkeys(record["scheme"] for record in records), ""]:
        row = [scheme or "all"]
        for name in names:
            mine = [r for r in records if r["declarer"] == name and scheme in ("", r["scheme"])]
            solved = sum(sum(record["solved"]) for record in mine)
            tries = sum(len(record["solved"]) for record in mine)
            missed = [str(r["board"]) for r in mine if scheme and not all(r["solved"])]
            note = f" (not always: {', '.join(missed)})" if missed else ""
            share = f", {solved / tries:.1%}" if tries and not scheme else ""
            row.append(f"{solved} of {tries}{share}{note}")
        rows.append(row)
    return markdown(["scheme", *names], rows)


STUDY = Study(
    name="bridge-problems",
    what="Problem deals of declarer play, single dummy",
    source="our own deals; the schemes are those of books on declarer play",
    settings={"schemes": (), "declarers": ("tignum", "pimc:50"), "attempts": 2},
    quick={"schemes": ("simple-squeeze",), "declarers": ("tignum",), "attempts": 1},
    parts=parts,
    run_part=run_part,
    table=table,
)
