"""Entries of the published players for games with hidden information."""

from __future__ import annotations

from collections.abc import Callable

from fogspiel.players.modelling.bayes import AnswerPlayer, bayes
from fogspiel.players.modelling.outguess import OutguessPlayer
from fogspiel.players.protocol import Agent, PlayerEntry
from fogspiel.players.search_arguments import leaves_in
from fogspiel.players.searching.average_strategies import OosPlayer, ShodanPlayer
from fogspiel.players.searching.hyperplay import Hyperplay2Player, HyperplayPlayer
from fogspiel.players.searching.norns import NornsBeliefPlayer, NornsPlayer
from fogspiel.search.evaluation.leaf import ARGUMENT


def _entry(
    name: str, make: Callable[..., Agent], *, what: str, source: str, fits: str
) -> PlayerEntry:
    """A player whose only argument is an evaluation of leaves."""
    return PlayerEntry(
        name=name,
        what=what,
        source=source,
        fits=fits,
        make=lambda arguments: make(leaves_in(arguments)),
        argument=ARGUMENT,
    )


HIDDEN_KINDS = (
    _entry(
        "shodan",
        ShodanPlayer,
        what="EXP3 on information sets; the others' strategies in the search weigh possible states",
        source="Cerny (2014), section 5.4, equations 5.1 to 5.6",
        fits="hidden information with simultaneous moves or bluffs",
    ),
    _entry(
        "norns",
        NornsPlayer,
        what="a belief state tree, and UCT on own actions and observations",
        source="Geisser, Keller & Mattmueller (2014), section 3",
        fits="one player and chance, where information has a value; others are taken as random",
    ),
    _entry(
        "norns-belief",
        NornsBeliefPlayer,
        what="as norns, with one decision for equal beliefs; bounds or exact values of few beliefs",
        source="Geisser, Keller & Mattmueller (2014); Smith & Simmons (2004)",
        fits="one player and chance, where different observations lead to the same belief",
    ),
    _entry(
        "answer",
        AnswerPlayer,
        what="the exact best response to uniform random opponents, or a search if that is too slow",
        source="Kaelbling, Littman & Cassandra (1998)",
        fits="weak opponents in games with few beliefs: some millions of states in all of them",
    ),
    PlayerEntry(
        name="bayes",
        what="a best response to opponents that play at random or see all, weighed by their moves",
        source="Harsanyi (1967); Southey et al. (2005)",
        fits="hidden information, opponents that are weak or search as if nothing were hidden",
        make=bayes,
        argument=f"prior probability of random opponents, 0.75 if not given; or {ARGUMENT}",
    ),
    _entry(
        "outguess",
        OutguessPlayer,
        what="a best response to opponents that play at random or search as if they saw all",
        source="Harsanyi (1967); Frank & Basin (1998)",
        fits="hidden information with few states: some hundred thousand; elsewhere as ismcts",
    ),
    _entry(
        "oos",
        OosPlayer,
        what="online outcome sampling towards its information set; plays the average strategy",
        source="Lisy, Lanctot & Bowling (2015)",
        fits="hidden information with two players, where mixing matters",
    ),
    _entry(
        "hyperplay",
        HyperplayPlayer,
        what="random playouts of every move from sampled histories, weighed by their probability",
        source="Schofield, Cerexhe & Thielscher (2012)",
        fits="hidden information, where neither hiding nor gathering information pays",
    ),
    _entry(
        "hyperplay2",
        Hyperplay2Player,
        what="as hyperplay, with playouts by players that sample histories themselves",
        source="Schofield & Thielscher (2015, 2019)",
        fits="hidden information in small games, where gathering information pays",
    ),
)
