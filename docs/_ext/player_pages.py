"""The players as Markdown."""

from __future__ import annotations

from fogspiel import available_players


def player_table() -> str:
    """All players by name, as `fogspiel players` lists them."""
    lines = ["| name | what it does | fits | source |", "|---|---|---|---|"]
    lines += [
        f"| `{player.name}` | {player.what} | {player.fits} | {player.source} |"
        for player in available_players()
    ]
    return "\n".join(lines) + "\n"
