"""Entries of the published players for games with hidden information."""

from __future__ import annotations

from collections.abc import Callable

from fogspiel.players.modelling.bayes import AnswerPlayer, BayesPlayer, bayes
from fogspiel.players.modelling.outguess import OutguessPlayer
from fogspiel.players.protocol import Agent, PlayerEntry
from fogspiel.players.searching.hyperplay import Hyperplay2Player, HyperplayPlayer
from fogspiel.players.searching.norns import NornsBeliefPlayer, NornsPlayer
from fogspiel.players.searching.oos import OosPlayer
from fogspiel.players.searching.shodan import ShodanPlayer
from fogspiel.search.evaluation.leaf import ARGUMENT, leaf_evaluation_of


def _entry(
    name: str, make: Callable[..., Agent], *, what: str, source: str, fits: str
) -> PlayerEntry:
    """A player whose only argument is an evaluation of leaves."""
    return PlayerEntry(
        name=name,
        what=what,
        source=source,
        fits=fits,
        make=make,
        argument=ARGUMENT,
        make_with=lambda argument: make(leaf_evaluation_of(argument)),
    )


HIDDEN_KINDS = (
    _entry(
        "shodan",
        ShodanPlayer,
        what="EXP3 on what each role knows, from states weighed by how the search saw others play",
        source="Cerny (2014), section 5.4, equations 5.1 to 5.6",
        fits="hidden information with simultaneous moves or bluffs",
    ),
    _entry(
        "norns",
        NornsPlayer,
        what="a belief state tree, and UCT on own actions and observations",
        source="Geisser, Keller & Mattmueller (2014), section 3",
        fits="one player and chance, where it pays to ask; others are taken as choosing evenly",
    ),
    _entry(
        "norns-belief",
        NornsBeliefPlayer,
        what="one decision for equal beliefs; bounds or solves them where they are few",
        source="Geisser, Keller & Mattmueller (2014); Smith & Simmons (2004)",
        fits="one player and chance, where different questions tell the same",
    ),
    _entry(
        "answer",
        AnswerPlayer,
        what="the exact best answer to opponents that choose evenly, else a search",
        source="Kaelbling, Littman & Cassandra (1998); see solve/best_answer",
        fits="weak opponents in games with few beliefs: some millions of states in all of them",
    ),
    PlayerEntry(
        name="bayes",
        what="the best answer to opponents that choose evenly or see all, by what they did",
        source="Harsanyi (1967); Southey et al. (2005)",
        fits="hidden information, opponents that are weak or search as if nothing were hidden",
        make=BayesPlayer,
        argument=f"how probable even choice is before play, 0.75 if not given; or {ARGUMENT}",
        make_with=bayes,
    ),
    _entry(
        "outguess",
        OutguessPlayer,
        what="the best answer to opponents that choose evenly or search as if all were seen",
        source="Harsanyi (1967); Frank & Basin (1998); see solve/overconfident",
        fits="hidden information with few states: some hundred thousand; elsewhere as ismcts",
    ),
    _entry(
        "oos",
        OosPlayer,
        what="outcome sampling with regret matching, led to what the role knows; an average drawn",
        source="Lisy, Lanctot & Bowling (2015)",
        fits="hidden information with two players, where mixing matters",
    ),
    _entry(
        "hyperplay",
        HyperplayPlayer,
        what="playouts of every move in each model of a bag, by the models' probability",
        source="Schofield, Cerexhe & Thielscher (2012)",
        fits="hidden information, where it does not pay to hide or to find out",
    ),
    _entry(
        "hyperplay2",
        Hyperplay2Player,
        what="the same by playouts of players that have bags themselves",
        source="Schofield & Thielscher (2015, 2019)",
        fits="hidden information in small games, where questions pay",
    ),
)
