"""Every study by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from fogspiel.lab import (
    against_random,
    auto_duels,
    belief_agreement,
    bridge_figure_3,
    bridge_match,
    bridge_problems,
    bridge_trees,
    evaluations,
    independent_parts,
    induced_exploitability,
    large_games,
    norns_3,
    reliability,
    richards_4_1,
    richards_5,
    round_robin,
    shafiei_3_2,
    shafiei_3_4,
    shafiei_5_1,
    shafiei_5_2,
    shafiei_5_4,
    shafiei_clocks,
    shafiei_depth,
    shafiei_exploit,
    shafiei_exploit_played,
    shodan_6,
    shodan_6_1,
    solver_agreement,
    tignum_games,
    tournament_kills,
    wire_leaks,
)
from fogspiel.lab.study import Study

STUDIES: Mapping[str, Study] = MappingProxyType(
    {
        study.name: study
        for study in (
            richards_4_1.STUDY,
            richards_5.STUDY,
            belief_agreement.STUDY,
            shafiei_3_2.STUDY,
            shafiei_3_4.STUDY,
            shafiei_5_1.STUDY,
            shafiei_depth.STUDY,
            shafiei_5_2.STUDY,
            shafiei_clocks.STUDY,
            shafiei_5_4.STUDY,
            shafiei_exploit.STUDY,
            shafiei_exploit_played.STUDY,
            shodan_6_1.STUDY,
            *shodan_6.STUDIES,
            against_random.STUDY,
            norns_3.STUDY,
            large_games.STUDY,
            solver_agreement.STUDY,
            round_robin.STUDY,
            auto_duels.STUDY,
            induced_exploitability.STUDY,
            evaluations.STUDY,
            independent_parts.STUDY,
            reliability.STUDY,
            wire_leaks.STUDY,
            bridge_figure_3.STUDY,
            bridge_trees.STUDY,
            bridge_problems.STUDY,
            bridge_match.STUDY,
            tignum_games.STUDY,
            tournament_kills.STUDY,
        )
    }
)
