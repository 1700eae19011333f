"""A game on its way through several languages, as text: written, and read again."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from number_games import URN

from fogspiel.core.source import Source
from fogspiel.games.convert import Format, convert
from fogspiel.games.library import game_source
from fogspiel.games.load import load_source
from fogspiel.machine.protocol import Machine
from fogspiel.rules.efg.checks import read_and_check
from fogspiel.tree.compare.isomorphism import compare
from fogspiel.tree.preorder import PreorderTree, tree_of_efg
from unfolding import in_preorder

MAX_NODES = 20_000


@dataclass(frozen=True, slots=True)
class Trip:
    """A game after some translations, and what its payoffs have become: scale * payoff + offset."""

    source: Source
    scale: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)

    def onwards(self, to: Format) -> Trip:
        """The game in one more language."""
        made = convert([self.source], to, max_nodes=MAX_NODES)
        return Trip(
            Source(f"game.{to}", made.text),
            self.scale * made.scale,
            self.offset * made.scale + made.offset,
        )

    def machine(self) -> Machine:
        """The game, played on the compiled machine."""
        return load_source(self.source, engine="compiled").machine

    def tree(self) -> PreorderTree:
        """The tree: as it stands in EFG, or unfolded by play."""
        if self.source.name.endswith(".efg"):
            game, findings = read_and_check(self.source)
            assert game is not None
            assert findings == []
            return tree_of_efg(game)
        return in_preorder(self.machine(), max_nodes=MAX_NODES)


@cache
def trip(name: str, *ways: Format) -> Trip:
    """A game after its way through some languages; shorter ways are remembered."""
    if ways:
        return trip(name, *ways[:-1]).onwards(ways[-1])
    return Trip(Source("urn.pogddl", URN) if name == "urn" else game_source(name))


@cache
def tree(name: str) -> PreorderTree:
    """The tree of a game as its rules stand."""
    return trip(name).tree()


def assert_survives(name: str, *ways: Format) -> None:
    """The tree at the end of the way is the one at its start, goals being what they stand for."""
    end, start = trip(name, *ways), tree(name)
    payoff_map = [(end.scale, end.offset)] * len(start.players)
    # In GDL weights of chance are copies of its moves, which lead to the same and count as one.
    found = compare(start, end.tree(), payoff_map=payoff_map, merge_chance="gdl" in ways)
    assert found, found.difference
