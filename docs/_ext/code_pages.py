"""The catalogue of codes as Markdown."""

from __future__ import annotations

from itertools import groupby

from fogspiel.core.findings import CodeEntry, codes

FAMILIES = {
    "GDL": "Rules in GDL and GDL-II",
    "POG": "Rules in POGDDL",
    "EFG": "Games in extensive form (EFG)",
    "GRD": "Grounding",
    "MCH": "Play",
    "GAM": "Finding a game",
    "OWN": "Games and players of one's own in Python",
    "CLI": "The command line",
    "BEN": "Measurements",
    "TRE": "From a game to its tree",
    "BEL": "Beliefs",
    "LAB": "Studies",
    "PLN": "Methods and plans",
    "BRI": "Bridge",
    "DYN": "What must hold in play",
    "API": "The objects of the Python library",
    "TRN": "Translation",
    "SOL": "Solving and strategy files",
    "SEA": "Search",
    "PLY": "Players",
    "MAT": "Matches and their records",
    "GGP": "The GGP protocol",
    "NET": "Addresses and connections",
    "MAN": "Managing matches",
    "TOU": "Tournaments",
}


def code_sections() -> str:
    """Every code with meaning, example and remedy, by family."""
    parts = []
    for family, entries in groupby(codes().values(), key=lambda entry: entry.code[:3]):
        parts.append(f"## {FAMILIES.get(family, family)}\n")
        parts.extend(_section(entry) for entry in entries)
    return "\n".join(parts)


def _section(entry: CodeEntry) -> str:
    lines = [f"({entry.code.lower()})=", f"### {entry.code}: {entry.title}", "", entry.meaning, ""]
    if entry.example.strip():
        lines += ["```text", entry.example.rstrip("\n"), "```", ""]
    lines += [f"**What to do.** {entry.remedy}", ""]
    return "\n".join(lines)
