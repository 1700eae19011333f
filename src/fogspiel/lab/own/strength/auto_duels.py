"""`auto` against each of the others, in the bundled games that the round robin leaves out.

Those games are many or long, so that pairs without `auto` are not played here. What counts is by
how much `auto` gets more than its opponent from the same deals, in points of 100 as in the round
robin. The player that `auto` hands on to is no opponent, because it would meet itself. Left out
are rules in POGDDL that say the same as others in GDL-II, since `auto` chooses alike in both, and
one player alone, who is in `norns-3`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fogspiel.core.budget import Budget
from fogspiel.games.load import load
from fogspiel.lab.framework.matches import MatchClock
from fogspiel.lab.framework.presentation import markdown
from fogspiel.lab.framework.study import Cell, Document, Settings, Study, grouped
from fogspiel.lab.own.strength.round_robin import (
    AUTO,
    FIELDS,
    Estimate,
    combined,
    mean_of,
    shares_by_deal,
    verdict,
)
from fogspiel.players.auto import choice_for
from fogspiel.players.exploration import explored_kind

KINDS: Mapping[str, str] = {
    "prisoners_dilemma": "open", "goofspiel_4": "open", "goofspiel_7": "open",
    "repeated_rps_9": "open", "simultaneous_breakthrough": "open",
    "hidden_goofspiel_5": "hidden", "blind_tic_tac_toe": "hidden", "difference_9": "hidden",
    "difference_11": "hidden", "racko_12_3": "hidden", "battleship_4_2": "hidden",
    "gops_10_40": "hidden", "phantom_connect_four": "hidden", "blind_breakthrough_6": "hidden",
    "racko_60_10": "hidden", "battleship_10": "hidden",
    "breakthrough_6": "turns", "othello": "turns", "breakthrough_8": "turns", "hex_9": "turns",
    "checkers": "turns", "chess": "turns",
    "smallest": "open",
}  # fmt: skip
FITTING: Mapping[str, Sequence[str]] = {
    "battleship_4_2": ("tignum",), "battleship_10": ("tignum",), "racko_12_3": ("sdpog",),
    "racko_60_10": ("sdpog",), "prisoners_dilemma": ("solved",),
}  # fmt: skip
"""More opponents: players made for such games."""
LONG = (
    "battleship_4_2", "gops_10_40", "phantom_connect_four", "blind_breakthrough_6", "racko_60_10",
    "battleship_10", "breakthrough_6", "othello",
)  # fmt: skip
"""Games of more than ten seconds a match: fewer are played."""
LONGEST = ("breakthrough_8", "hex_9", "checkers", "chess", "smallest")
"""Games of up to minutes a match: still fewer."""
STRONGEST: Mapping[str, Sequence[str]] = {
    "turns": ("ismcts", "bayes"), "hidden": ("tiigr", "ismcts", "bayes"),
    "open": ("sm-uct", "sm-rm", "sm-lp"),
}  # fmt: skip
"""Opponents in both, by the kind of the game."""


def cells(settings: Settings) -> list[Cell]:
    """Each opponent in each game."""
    return [(game, opponent) for game in settings["games"] for opponent in _opponents(game)]


def _opponents(game: str) -> list[str]:
    fields = STRONGEST if game in (*LONG, *LONGEST) else FIELDS
    return [*fields[KINDS[game]], *FITTING.get(game, ())]


def run(settings: Settings, seed: int, game: str, opponent: str) -> list[Document]:
    """What both got in every deal; no record where `auto` would meet itself."""
    # On another machine: what is learnt here is not for the player.
    kind = explored_kind(load(game).machine, Budget.of(simulations=1))
    choice = choice_for(kind, MatchClock(seconds=settings["seconds"]).turn()).player
    if choice == opponent:
        return []
    players = [AUTO, opponent]
    shares = shares_by_deal(
        load(game).machine,
        players,
        matches=settings[_kind_of_matches(game)],
        seconds=settings["seconds"],
        seed=seed,
    )
    return [{"game": game, "choice": choice, "players": players, "shares": shares}]


def _kind_of_matches(game: str) -> str:
    """The setting with the number of matches against each opponent."""
    if game in LONGEST:
        return "longest_matches"
    return "long_matches" if game in LONG else "matches"


def table(records: Sequence[Document]) -> str:
    """The lead of `auto` in each game, then over each opponent in all games."""
    rows = [_row(game, own) for game, own in grouped(records, "game").items()]
    by_game = markdown(["game", "`auto` plays", "deals", "ahead on average", "", "of each"], rows)
    opponents = sorted({record["players"][1] for record in records})
    rows = [_pooled(name, [r for r in records if r["players"][1] == name]) for name in opponents]
    return f"{by_game}\n\n{markdown(['opponent', 'games', '`auto` is ahead by', ''], rows)}"


def _row(game: str, records: Sequence[Document]) -> list[str]:
    """The lead over all opponents, each with the same weight."""
    leads = {record["players"][1]: lead_over(record) for record in records}
    total = mean_of([*leads.values()])
    return [
        game,
        f"`{records[0]['choice']}`",
        str(max(len(record["shares"][0]) for record in records)),
        f"{total:+}",
        verdict(total, 1),
        ", ".join(f"{name} {lead:+}" for name, lead in leads.items()),
    ]


def _pooled(opponent: str, records: Sequence[Document]) -> list[str]:
    """The lead over an opponent in all games, each with the same weight."""
    lead = mean_of([lead_over(record) for record in records])
    return [opponent, str(len(records)), f"{lead:+}", verdict(lead, 1)]


def lead_over(record: Document) -> Estimate:
    """The difference between `auto` and its opponent."""
    _, opponent = record["players"]
    return combined([record], {AUTO: 1.0, opponent: -1.0})


STUDY = Study(
    name="auto-duels",
    what="`auto` against each",
    source="our own: whether `auto` keeps up in the games that the round robin leaves out",
    settings={
        "games": tuple(KINDS),
        "seconds": 0.5,
        "matches": 24,
        "long_matches": 12,
        "longest_matches": 4,
    },
    quick={"games": ("prisoners_dilemma",), "seconds": 0.02, "matches": 2},
    cells=cells,
    run=run,
    table=table,
)
