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
    name: str,
    make: Callable[..., Agent],
    *,
    what: str,
    details: str = "",
    source: str,
    fits: str,
) -> PlayerEntry:
    """A player whose only argument is a leaf evaluation."""
    return PlayerEntry(
        name=name,
        what=what,
        details=details,
        source=source,
        fits=fits,
        make=lambda arguments: make(leaves_in(arguments)),
        argument=ARGUMENT,
    )


HIDDEN_KINDS = (
    _entry(
        "shodan",
        ShodanPlayer,
        what="searches information sets with EXP3",
        details="Possible states are weighted by the strategies of the other roles in the search.",
        source="Cerny (2014), section 5.4, equations 5.1 to 5.6",
        fits="hidden information with simultaneous moves or bluffing",
    ),
    _entry(
        "norns",
        NornsPlayer,
        what="searches a belief state tree by UCT",
        details="The nodes are sequences of own actions and observations. Other roles are assumed "
        "to play uniformly at random.",
        source="Geisser, Keller & Mattmueller (2014), section 3",
        fits="one player and chance, where information has a value",
    ),
    _entry(
        "norns-belief",
        NornsBeliefPlayer,
        what="searches as norns does, with one node for equal beliefs",
        details="Where there are few beliefs, it computes bounds of their values or exact values.",
        source="Geisser, Keller & Mattmueller (2014); Smith & Simmons (2004)",
        fits="one player and chance, where different observations lead to the same belief",
    ),
    _entry(
        "answer",
        AnswerPlayer,
        what="plays an exact best response to uniformly random opponents",
        details="Where that takes too long, it searches.",
        source="Kaelbling, Littman & Cassandra (1998)",
        fits="weak opponents, in games with few beliefs: up to some millions of states in all",
    ),
    PlayerEntry(
        name="bayes",
        what="plays a best response to a Bayesian opponent model",
        details="Opponents either play at random or see everything; their moves update the "
        "probability of each type.",
        source="Harsanyi (1967); Southey et al. (2005)",
        fits="hidden information, against opponents that are weak or ignore hidden information",
        make=bayes,
        argument=f"the prior probability of random opponents (default: 0.75), or {ARGUMENT}",
    ),
    _entry(
        "outguess",
        OutguessPlayer,
        what="plays a best response to random or all-seeing opponents",
        details="Opponents either play at random or search as if nothing were hidden. Games with "
        "too many states it plays as ismcts does.",
        source="Harsanyi (1967); Frank & Basin (1998)",
        fits="hidden information with few states: up to some hundred thousand",
    ),
    _entry(
        "oos",
        OosPlayer,
        what="searches by online outcome sampling",
        details="Samples are directed towards its information set. It plays the average strategy.",
        source="Lisy, Lanctot & Bowling (2015)",
        fits="hidden information with two players, where mixed strategies matter",
    ),
    _entry(
        "hyperplay",
        HyperplayPlayer,
        what="evaluates each move by random playouts from sampled histories",
        details="Histories are weighted by their probability.",
        source="Schofield, Cerexhe & Thielscher (2012)",
        fits="hidden information, where hiding or gathering information does not pay",
    ),
    _entry(
        "hyperplay2",
        Hyperplay2Player,
        what="plays as hyperplay does, with playouts by players that sample too",
        details="The players in the playouts sample histories themselves, so that gathering "
        "information has a value.",
        source="Schofield & Thielscher (2015, 2019)",
        fits="hidden information in small games, where gathering information pays",
    ),
)
