"""The comparison of symmetric games agrees with trying every match there is.

Chance draws one of a few equal branches; in each Ann moves, then Ben. Infosets join moves of
different branches at random, so that colours alone often cannot tell two games apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations, product
from random import Random

import pytest

from efg_games import game_of
from fogspiel.tree.compare.isomorphism import compare
from fogspiel.tree.preorder import PreorderTree, tree_of_efg

Table = tuple[tuple[int, int], tuple[int, int]]
PAYOFFS: tuple[Table, ...] = (
    ((0, 0), (0, 0)), ((0, 1), (0, 1)), ((0, 1), (1, 0)), ((0, 0), (1, 1)), ((0, 1), (2, 3)),
)  # fmt: skip
"""What Ann gets by her move and Ben's, in every branch."""


@dataclass(frozen=True)
class Symmetric:
    """The infosets of a game: of Ann by branch, of Ben by branch and Ann's move."""

    ann: tuple[int, ...]
    ben: tuple[tuple[int, int], ...]

    def tree(self, payoffs: Table) -> PreorderTree:
        count = len(self.ann)
        draws = " ".join(f'"{branch}" 1/{count}' for branch in range(count))
        lines = ['EFG 2 R "" { "Ann" "Ben" }', f'c "" 1 "" {{ {draws} }} 0']
        for ann, ben in zip(self.ann, self.ben, strict=True):
            lines.append(f'p "" 1 {ann + 1} "" {{ "a" "b" }} 0')
            for own, row in zip(ben, payoffs, strict=True):
                lines.append(f'p "" 2 {own + 1} "" {{ "x" "y" }} 0')
                lines += [f't "" {payoff + 1} "" {{ {payoff} 0 }}' for payoff in row]
        return tree_of_efg(game_of("\n".join(lines)))


def random_games(rng: Random) -> tuple[Symmetric, Symmetric]:
    """Two games: the second by itself, or the first with its branches mixed, and maybe a swap."""
    count = rng.choice((3, 4))

    def fresh() -> Symmetric:
        ann = tuple(rng.randrange(2) for _ in range(count))
        return Symmetric(ann, tuple((rng.randrange(3), rng.randrange(3)) for _ in range(count)))

    first = fresh()
    if rng.random() < 0.4:
        return first, fresh()
    order = rng.sample(range(count), count)
    ben = [own for branch in order for own in first.ben[branch]]
    if rng.random() < 0.5:
        one, other = rng.randrange(len(ben)), rng.randrange(len(ben))
        ben[one], ben[other] = ben[other], ben[one]
    pairs = tuple(zip(ben[::2], ben[1::2], strict=True))
    return first, Symmetric(tuple(first.ann[branch] for branch in order), pairs)


def same_by_trial(first: Symmetric, second: Symmetric, payoffs: Table) -> bool:
    """Whether some order of the branches, with some of Ann's infosets turned, is a match."""
    count = len(first.ann)
    return any(
        _fits(first, second, payoffs, order, dict(enumerate(turns)))
        for order in permutations(range(count))
        for turns in product((0, 1), repeat=max(first.ann) + 1)
    )


def _fits(
    first: Symmetric,
    second: Symmetric,
    payoffs: Table,
    order: tuple[int, ...],
    turns: dict[int, int],
) -> bool:
    ann: dict[int, int] = {}
    ben: dict[int, int] = {}
    ways: dict[int, set[int]] = {}
    for branch, own in enumerate(first.ann):
        if ann.setdefault(own, second.ann[order[branch]]) != second.ann[order[branch]]:
            return False
        for move in (0, 1):
            moved = move ^ turns[own]
            infoset, partner = first.ben[branch][move], second.ben[order[branch]][moved]
            if ben.setdefault(infoset, partner) != partner:
                return False
            # Which ways to turn this infoset of Ben's keep the payoffs.
            kept = {
                t for t in (0, 1) if all(payoffs[move][y] == payoffs[moved][y ^ t] for y in (0, 1))
            }
            ways[infoset] = ways.get(infoset, {0, 1}) & kept
    is_one_to_one = all(len(set(own.values())) == len(own) for own in (ann, ben))
    return is_one_to_one and all(ways.values())


@pytest.mark.parametrize("payoffs", PAYOFFS)
def test_the_comparison_agrees_with_trying_all_matches(payoffs: Table) -> None:
    rng = Random(7)
    answers = []
    for _ in range(60):
        first, second = random_games(rng)
        expected = same_by_trial(first, second, payoffs)
        found = compare(first.tree(payoffs), second.tree(payoffs))
        assert found.equal == expected, (first, second, found.difference)
        answers.append(expected)
    assert {True, False} == set(answers)
