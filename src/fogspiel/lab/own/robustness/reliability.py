"""Random players in random games under random clocks: is any move illegal, or any choice late?

Source: our own promise rather than a published table. A player answers before its deadline, always
with a legal move; at clocks of half a second none is late by more than 50 ms on an idle machine.
Deadlines are in processor time unless the setting `clock` is `wall`: it stands still while other
programs have the processor, so that a busy machine measures what an idle one would. Getting ready
is measured as well. Long matches are cut where their clocks add up to `match_seconds`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from fogspiel.core.budget import Budget, Clock
from fogspiel.core.findings import FogspielError
from fogspiel.games.library import bundled_games
from fogspiel.games.load import load
from fogspiel.lab.framework.presentation import markdown
from fogspiel.lab.framework.study import Document, Settings, Study, bundled_cells, grouped
from fogspiel.machine.protocol import Machine, player_roles
from fogspiel.play.clocks import START, Timing
from fogspiel.play.loop import play_match
from fogspiel.play.series import Entrant, warm_up
from fogspiel.players.catalogue import PLAYERS, make_player

CLOCKS: Mapping[str, Clock] = {"processor": time.process_time, "wall": time.monotonic}
ENDLESS = "MAT002"
PROMISED_SECONDS = 0.05  #: The promised bound on the lateness of a choice
LONG_CLOCK_SECONDS = 0.5  #: The shortest clock for which the bound was promised


def run(settings: Settings, seed: int, game: str) -> list[Document]:
    """Play the matches of a game; the total is split evenly over the bundled games."""
    names = list(bundled_games())
    place, total = names.index(game), settings["matches"]
    count = total * (place + 1) // len(names) - total * place // len(names)
    machine = load(game).machine
    warm: set[str] = set()
    return [_match(machine, game, settings, [seed, place, match], warm) for match in range(count)]


def _match(
    machine: Machine, game: str, settings: Settings, seeds: list[int], warm: set[str]
) -> Document:
    """warm: players whose kernels are built already."""
    rng = np.random.default_rng(seeds)
    players = settings["players"] or list(PLAYERS)
    roles = player_roles(machine)
    chosen = [str(name) for name in rng.choice(players, len(roles))]
    seconds = float(rng.choice(settings["seconds"]))
    entrants = [Entrant(name, partial(make_player, name)) for name in chosen]
    if not set(chosen) <= warm:
        warm_up(machine, entrants)
        warm |= set(chosen)
    timings: list[Timing] = []
    budget = partial(Budget.of, seconds=seconds, clock=CLOCKS[settings["clock"]])
    error, steps = None, max(1, int(settings["match_seconds"] / seconds / len(roles)))
    try:
        match = play_match(
            machine,
            {role: entrant.make() for role, entrant in zip(roles, entrants, strict=True)},
            start_budget=budget,
            turn_budget=budget,
            seed=int(rng.integers(1 << 31)),
            max_steps=steps,
            on_timing=timings.append,
        )
        steps = len(match.joints)
    except FogspielError as failure:
        error = None if failure.findings[0].code == ENDLESS else str(failure)
    return {
        "game": game,
        "players": chosen,
        "seconds": seconds,
        "steps": steps,
        "error": error,
        "choices": [sum(t.role == role for t in timings) for role in roles],
        "late": [list(_late(timings, role)) for role in roles],
    }


def _late(timings: Sequence[Timing], role: int) -> Iterator[Document]:
    """The choices of a role that came after their deadline."""
    for timing in timings:
        if timing.role == role and timing.over_seconds > 0.0:
            phase = "start" if timing.step == START else "choice"
            yield {"phase": phase, "step": timing.step, "seconds": timing.over_seconds}


def table(records: Sequence[Document]) -> str:
    """Counts by clock, then by player; then whether the promise was kept."""
    counted = ["matches", "choices", "faults", "late", "more than 50 ms late", "latest, ms"]
    rows = [
        _row(f"{seconds:g}", [(record, None) for record in own])
        for seconds, own in sorted(grouped(records, "seconds").items())
    ]
    rows.append(_row("all", [(record, None) for record in records]))
    seats: dict[str, list[tuple[Document, int | None]]] = {}
    for record in records:
        for seat, player in enumerate(record["players"]):
            seats.setdefault(player, []).append((record, seat))
    broken = len(broken_promises(records))
    long = sum(record["seconds"] >= LONG_CLOCK_SECONDS for record in records)
    return "\n".join(
        [
            markdown(["clock, s", *counted], rows),
            "",
            markdown(["player", *counted], [_row(name, seats[name]) for name in sorted(seats)]),
            "",
            f"The promise was broken in {broken} of {len(records)} matches, of which {long} had "
            "clocks for which answers in time are promised.",
        ]
    )


def _row(label: str, seats: Sequence[tuple[Document, int | None]]) -> list[str]:
    """seats: matches, with the seat that counts; None for all."""
    choices, late = 0, list[float]()
    for record, seat in seats:
        own = slice(None) if seat is None else slice(seat, seat + 1)
        choices += sum(record["choices"][own])
        late += [choice["seconds"] for role in record["late"][own] for choice in role]
    matches = len({id(record) for record, _ in seats})
    faults = len({id(record) for record, _ in seats if record["error"] is not None})
    far = sum(seconds > PROMISED_SECONDS for seconds in late)
    counts = [str(matches), f"{choices:,}", str(faults), str(len(late)), str(far)]
    return [label, *counts, f"{1000 * max(late):.0f}" if late else ""]


def broken_promises(records: Sequence[Document]) -> list[Document]:
    """Matches with a fault, or with a choice that was promised and came too late."""
    return [
        record
        for record in records
        if record["error"] is not None
        or (
            record["seconds"] >= LONG_CLOCK_SECONDS
            and any(c["seconds"] > PROMISED_SECONDS for role in record["late"] for c in role)
        )
    ]


STUDY = Study(
    name="reliability",
    what="Legal moves in time",
    source="the project's own promise: no illegal move, and no choice more than 50 ms late at "
    "clocks of half a second on an idle machine",
    settings={
        "games": (),
        "players": (),
        "matches": 1_000,
        "seconds": (0.05, 0.05, 0.05, 0.1, 0.1, 0.2, 0.5),
        "match_seconds": 1.0,
        "clock": "processor",
    },
    quick={
        "games": ("nim", "goofspiel_4", "kuhn_poker", "monty_hall"),
        "players": ("random", "uct", "ismcts", "shodan"),
        "matches": 100,
        "seconds": (0.1,),
        "match_seconds": 0.4,
    },
    cells=bundled_cells,
    run=run,
    table=table,
)
