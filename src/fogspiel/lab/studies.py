"""Every study by its name."""

from __future__ import annotations

from fogspiel.core.registry import Registry
from fogspiel.lab.norns import section_5
from fogspiel.lab.own.agreement import (
    belief_agreement,
    induced_exploitability,
    solver_agreement,
    wire_leaks,
)
from fogspiel.lab.own.robustness import reliability, tournament_kills
from fogspiel.lab.own.strength import (
    against_random,
    auto_duels,
    evaluations,
    independent_parts,
    large_games,
    round_robin,
)
from fogspiel.lab.richards import table_4_1, tables_5
from fogspiel.lab.shafiei import (
    against_uct,
    figures_5,
    tables_3,
    tables_5_6,
)
from fogspiel.lab.shodan import tables_6
from fogspiel.lab.tignum import declarer_play, finesse, other_games

STUDIES = Registry(
    "study",
    "LAB001",
    (
        table_4_1.STUDY,
        tables_5.STUDY,
        belief_agreement.STUDY,
        tables_3.CONSTANTS,
        tables_3.TRACE,
        figures_5.CONVERGENCE,
        figures_5.DEPTHS,
        against_uct.GAMES,
        against_uct.CLOCKS,
        against_uct.THREE_PLAYERS,
        tables_5_6.COMPUTED,
        tables_5_6.PLAYED,
        tables_6.MONTY_HALL,
        *tables_6.MATCHES,
        against_random.STUDY,
        section_5.STUDY,
        large_games.STUDY,
        solver_agreement.STUDY,
        round_robin.STUDY,
        auto_duels.STUDY,
        induced_exploitability.STUDY,
        evaluations.STUDY,
        independent_parts.STUDY,
        reliability.STUDY,
        wire_leaks.STUDY,
        finesse.STUDY,
        declarer_play.FIGURE_3,
        declarer_play.TREE_SIZES,
        declarer_play.PROBLEMS,
        declarer_play.RANDOM_DEALS,
        other_games.STUDY,
        tournament_kills.STUDY,
    ),
)
