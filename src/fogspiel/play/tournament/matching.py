"""Perfect matchings: everybody in pairs of two who may meet.

Source: Edmonds (1965), Paths, trees, and flowers, Canadian Journal of Mathematics 17. A matching
grows along paths on which every second pair is in it, and odd cycles on the way are contracted.
Departures: none. A pair can be settled, and the rest stays a perfect matching.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence


class Matching:
    """Pairs of players who may meet, as many as there can be."""

    def __init__(self, players: Sequence[int], may_meet: Callable[[int, int], bool]) -> None:
        self._players, self._may_meet = list(players), may_meet
        self._mate: dict[int, int] = {}
        for player in players:
            if player not in self._mate:
                self._grow(player)

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return len(self._mate) // 2

    @property
    def is_perfect(self) -> bool:
        """Whether everybody is paired."""
        return len(self._mate) == len(self._players)

    def take(self, one: int, other: int) -> bool:
        """Settle a pair, unless others could not all be paired then."""
        if not self._may_meet(one, other):
            return False
        before, players = dict(self._mate), self._players
        left = self._mate.pop(one), self._mate.pop(other)
        self._players = [player for player in players if player not in (one, other)]
        if left != (other, one):
            for player in left:
                del self._mate[player]
            if not self._grow(left[0]):
                self._mate, self._players = before, players
                return False
        return True

    def _grow(self, root: int) -> bool:
        """Add one pair, from a player without; False if there is no way."""
        mate = self._mate
        before: dict[int, int] = {}
        """The player before on the path from the root, of each player at an odd distance."""
        base = {player: player for player in self._players}
        """The base of the contracted cycle that a player belongs to."""
        even, queue = {root}, deque([root])
        while queue:
            player = queue.popleft()
            for other in self._players:
                if base[player] == base[other] or mate.get(player) == other:
                    continue
                if not self._may_meet(player, other):
                    continue
                if other == root or mate.get(other) in before:
                    for member in self._contract(player, other, before, base):
                        if member not in even:
                            even.add(member)
                            queue.append(member)
                elif other not in before:
                    before[other] = player
                    if other not in mate:
                        self._flip(other, before)
                        return True
                    even.add(mate[other])
                    queue.append(mate[other])
        return False

    def _contract(
        self, one: int, other: int, before: dict[int, int], base: dict[int, int]
    ) -> list[int]:
        """Make one of the players on an odd cycle, which two at an even distance close."""
        mate, above, at = self._mate, set[int](), base[one]
        while True:
            above.add(at)
            if at not in mate:
                break
            at = base[before[mate[at]]]
        meeting = base[other]
        while meeting not in above:
            meeting = base[before[mate[meeting]]]
        cycle = set[int]()
        for start, next_to in ((one, other), (other, one)):
            player, child = start, next_to
            while base[player] != meeting:
                cycle |= {base[player], base[mate[player]]}
                before[player], child = child, mate[player]
                player = before[mate[player]]
        members = [player for player in self._players if base[player] in cycle]
        for player in members:
            base[player] = meeting
        return members

    def _flip(self, end: int, before: dict[int, int]) -> None:
        """Exchange the pairs on a path for those between them."""
        player: int | None = end
        while player is not None:
            other = before[player]
            following = self._mate.get(other)
            self._mate[player], self._mate[other] = other, player
            player = following
