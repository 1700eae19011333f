"""Counting in binary with rules: how many of a set of things hold, as digits of weight 1, 2, 4, …

The things are numbered from 1 as the nodes of a heap: node n has the children 2n and 2n + 1, and
the total below a node is total(2n) + total(2n + 1) + [n itself holds]. So one chain of full adders
joins three numbers at each node; 63 things take 57 full adders, and no circuit takes fewer.
Every level of the heap has relations of its own, because `digit` depends on `not carry` and GDL
asks for rules that are stratified by their names.
"""

from __future__ import annotations

from fogspiel.games.families._layout import facts

OPENING = """\
; The cells are the nodes of a heap: below node n hang 2n and 2n + 1. The total of a node is that of
; the one, plus that of the other, plus 1 if n itself is counted: the carry into its lowest digit.
; (digitD p n k): the total of node n at depth D has a 1 at weight 2^k.
{double}
{join}
(depth 1 0)
(<= (depth ?l ?e) (join ?n ?l ?r) (depth ?n ?d) (double ?d ?e))
(<= (depth ?r ?e) (join ?n ?l ?r) (depth ?n ?d) (double ?d ?e))

(<= (digit{lowest} ?p ?n 0)
    (depth ?n {lowest}) (counted ?p ?n))
"""

LEVEL = """\
(<= (half{here} ?p ?n ?k)
    (join ?n ?l ?r) (digit{below} ?p ?l ?k) (not (digit{below} ?p ?r ?k)))
(<= (half{here} ?p ?n ?k)
    (join ?n ?l ?r) (digit{below} ?p ?r ?k) (not (digit{below} ?p ?l ?k)))
(<= (carry{here} ?p ?n 0)
    (depth ?n {here}) (counted ?p ?n))
(<= (carry{here} ?p ?n ?j)
    (double ?k ?j) (join ?n ?l ?r) (digit{below} ?p ?l ?k) (digit{below} ?p ?r ?k))
(<= (carry{here} ?p ?n ?j)
    (double ?k ?j) (half{here} ?p ?n ?k) (carry{here} ?p ?n ?k))
(<= (digit{here} ?p ?n ?k)
    (half{here} ?p ?n ?k) (not (carry{here} ?p ?n ?k)))
(<= (digit{here} ?p ?n ?k)
    (carry{here} ?p ?n ?k) (not (half{here} ?p ?n ?k)))
"""


def counting_rules(count: int) -> str:
    """Rules that define `(digit0 ?p 1 ?k)`: digit k of the number of n with `(counted ?p ?n)`.

    The numbers n run from 1 to `count`; digits from 0 to `count.bit_length() - 1`.
    """
    lowest = count.bit_length() - 1
    opening = OPENING.format(
        lowest=lowest,
        double=facts("double", ((k, k + 1) for k in range(lowest))),
        join=facts("join", ((n, 2 * n, 2 * n + 1) for n in range(1, count // 2 + 1))),
    )
    levels = [LEVEL.format(here=depth, below=depth + 1) for depth in reversed(range(lowest))]
    return "\n".join([opening, *levels])


def comparison_rules(first: str, second: str, count: int) -> str:
    """Rules that define `(more ?p)` and `even` from the digits of two players' totals."""
    highest = count.bit_length() - 1
    return f"""\
; The highest digit in which the two totals differ decides.
(rivals {first} {second}) (rivals {second} {first})
(<= (differ ?k) (rivals ?p ?q) (digit0 ?p 1 ?k) (not (digit0 ?q 1 ?k)))
(<= (same_above {highest}) (not (differ {highest})))
(<= (same_above ?k) (double ?k ?j) (same_above ?j) (not (differ ?k)))
(<= (more ?p) (rivals ?p ?q) (digit0 ?p 1 {highest}) (not (digit0 ?q 1 {highest})))
(<= (more ?p) (rivals ?p ?q) (double ?k ?j) (same_above ?j) (digit0 ?p 1 ?k) (differ ?k))
(<= even (same_above 0))
"""
