"""Published tree searches as combinations of parts: keys, a selection rule, and who learns.

    Algorithm(keys="knowledge", rule=EagerUcb(constant=0.4))

is IS-MCTS: all that Cowling et al. (2012) change in UCT is that decisions are found by what roles
know. A combination of one's own is written in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TypeAlias

from fogspiel.core.budget import BATCH_SHARE
from fogspiel.search.mcts.kernels.selection import (
    BestWorth,
    EagerUcb,
    Exp3,
    JointUcb,
    OutcomeSampling,
    RegretMatching,
    Ucb,
)
from fogspiel.search.mcts.keys import KeyName

MOST_TOGETHER = 4096
KNOWING_TOGETHER = 2048
MIXING_TOGETHER = 256
"""Simulations under way of rules that mix: learning late makes them swing. After 200,000
simulations of biased rock-paper-scissors by EXP3, averages were 0.09 from the equilibrium; with
2,048 under way, 0.17."""
UCT_CONSTANT = 0.4  #: Shafiei's C of 40, for goals of 100; less where goals are closer together
TYPED_CONSTANT = 1.0  #: A smaller one never finds out that rolling the dice pays in Meier
NORNS_CONSTANT = sqrt(2.0)
"""The constant of UCB1, which Geisser et al. name (Auer, Cesa-Bianchi & Fischer 2002)."""
DOUBT = 1.0 / 32.0  #: See `BestWorth`
GAMMA = 0.05  #: Cerny (2014), section 6.1: the share of exploration
OOS_EXPLORATION = 0.4  #: Lisy, Lanctot & Bowling (2015), section 5.2
REGRET_SHARE = 64
"""The `share` of regret matching: a swing at the beginning takes long to forget. After 10,000
simulations of goofspiel with four cards the strategy at the root lost 4.2 goals of 100 to a best
response (95% interval 0.7, 200 seeds); with a share of 8 it lost 6.2 (1.2), one by one 3.9 (0.6).
"""
SLIP = 0.01
"""Exploration of roles that do not learn: without it, what follows from moves that they never make
would not be learnt."""

Rule: TypeAlias = Ucb | EagerUcb | JointUcb | BestWorth | Exp3 | RegretMatching | OutcomeSampling
"""The settings of a selection rule. A rule of one's own is a `NamedTuple` with a `constant` too."""
BONUS_RULES = (Ucb, EagerUcb, JointUcb, BestWorth)  #: Rules whose constant is the factor of a bonus
MIXING_RULES = (Exp3, RegretMatching, OutcomeSampling)
"""Rules that keep an average strategy; all others keep mean values of moves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm:
    """A tree search, as a combination of parts.

    >>> fs.parts.Algorithm(keys="knowledge", rule=fs.parts.RegretMatching(0.05)).keys
    'knowledge'
    """

    keys: KeyName
    """What decisions are found by: `state`; `knowledge`, what the choosing role did and saw;
    `observer`, what the searching role did and saw; or `past`, the same with nodes by state."""
    rule: Rule  #: The rule by which a decision chooses its moves and learns
    only_observer: bool = False  #: Whether only the searching role learns, and others draw moves
    has_types: bool = False
    """Whether opponents are of two types, one of which draws its moves and the other learns."""
    plays_on: bool = False  #: Whether simulations go on through known nodes where a decision is new
    one_learns: bool = False  #: Whether roles take turns at learning, one in each simulation
    together: int = MOST_TOGETHER  #: Simulations under way at once, at most
    share: int = BATCH_SHARE
    """The number of simulations made for each that may be under way, from the first few on."""

    @property
    def has_bonus(self) -> bool:
        """Whether the constant of the rule is that of a bonus."""
        return isinstance(self.rule, BONUS_RULES)

    @property
    def needs_knowledge(self) -> bool:
        """Whether simulations must know at their roots what roles other than the observer know."""
        return self.keys == "knowledge"

    def with_constant(self, constant: float) -> Algorithm:
        """The same with another constant."""
        return replace(self, rule=self.rule._replace(constant=constant))


UCT = Algorithm(keys="state", rule=Ucb(UCT_CONSTANT))
"""Kocsis & Szepesvari (2006), for any number of players."""
SIMULTANEOUS_UCT = Algorithm(keys="state", rule=JointUcb(UCT_CONSTANT))
"""Shafiei (2010), algorithm 1: every role keeps values of its own moves; in a state in which
several roles choose, all joint moves are tried before any role takes its best bound."""
SIMULTANEOUS_EXP3 = Algorithm(keys="state", rule=Exp3(GAMMA), together=MIXING_TOGETHER)
"""Auer et al. (2002); Teytaud & Flory (2011)."""
SIMULTANEOUS_MATCHING = Algorithm(
    keys="state", rule=RegretMatching(GAMMA), together=MIXING_TOGETHER, share=REGRET_SHARE
)
"""Hart & Mas-Colell (2000); Lanctot, Lisy & Winands (2013)."""
ISMCTS = Algorithm(keys="knowledge", rule=EagerUcb(UCT_CONSTANT), together=KNOWING_TOGETHER)
"""Cowling, Powley & Whitehouse (2012), with many observers."""
SINGLE_OBSERVER_ISMCTS = Algorithm(
    keys="observer", rule=EagerUcb(UCT_CONSTANT), together=KNOWING_TOGETHER
)
"""Cowling, Powley & Whitehouse (2012), with a single observer."""
SHODAN = Algorithm(keys="knowledge", rule=Exp3(GAMMA), together=KNOWING_TOGETHER)
"""Cerny (2014), section 5.4: EXP3 on information sets."""
NORNS = Algorithm(
    keys="past",
    rule=BestWorth(NORNS_CONSTANT, DOUBT),
    only_observer=True,
    plays_on=True,
    together=KNOWING_TOGETHER,
)
"""Geisser, Keller & Mattmueller (2014), section 3.3: a tree of own actions and observations.

Departures: the paper names UCB1 and means, with which its scores were not reached here."""
NORNS_BELIEF = Algorithm(
    keys="belief", rule=EagerUcb(NORNS_CONSTANT), only_observer=True, together=KNOWING_TOGETHER
)
"""The same with one decision for equal beliefs (Kaelbling, Littman & Cassandra 1998)."""
OPPONENT_TYPES = Algorithm(
    keys="memory", rule=EagerUcb(TYPED_CONSTANT), has_types=True, together=1024
)
"""Harsanyi (1967): own decisions by memory, those of opponents that see everything by state."""
OUTCOME_SAMPLING = Algorithm(
    keys="knowledge",
    rule=OutcomeSampling(OOS_EXPLORATION, SLIP, is_alone=False),
    one_learns=True,
    together=MIXING_TOGETHER,
)
"""Lisy, Lanctot & Bowling (2015), algorithm 1, with information set targeting."""
