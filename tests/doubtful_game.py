"""A game whose rules do not let a role know its moves.

White hides a stone under one of four cups and may shift it. Black then takes two cups, one by one,
but may only reach for those beside the stone, which it has not seen: it wins by the first cup.
"""

DOUBTFUL = """
(role white) (role black)
(cup 1) (cup 2) (cup 3) (cup 4)
(beside 1 2) (beside 2 3) (beside 3 4) (beside 4 1)
(beside 2 1) (beside 3 2) (beside 4 3) (beside 1 4)
(init (step 1))
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (legal white (hide ?c)) (true (step 1)) (cup ?c))
(<= (legal white (shift ?d)) (true (step 2)) (true (stone ?c)) (beside ?c ?d))
(<= (legal white stay) (true (step 2)))
(<= (legal white wait) (true (step 3)))
(<= (legal white wait) (true (step 4)))
(<= (legal black wait) (true (step 1)))
(<= (legal black wait) (true (step 2)))
(<= (legal black (take ?d)) (true (step 3)) (true (stone ?c)) (beside ?c ?d))
(<= (legal black (take ?d)) (true (step 4)) (true (stone ?c)) (beside ?c ?d))
(<= (next (stone ?c)) (does white (hide ?c)))
(<= (next (stone ?d)) (does white (shift ?d)))
(<= (next (stone ?c)) (true (stone ?c)) (not moved))
(<= moved (does white (shift ?d)))
(<= (next (taken ?n)) (true (step ?n)) (does black (take 1)))
(<= (next (taken ?n)) (true (taken ?n)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (sees white (took ?c)) (does black (take ?c)))
(<= (sees black (felt ?c)) (does black (take ?c)))
(<= (sees black odd) (true (step 1)) (does white (hide 1)))
(<= terminal (true (step 5)))
(<= (goal black 100) (true (taken ?n)))
(<= (goal black 0) (not some))
(<= some (true (taken ?n)))
(<= (goal white 0) some)
(<= (goal white 100) (not some))
"""

UNEVEN = DOUBTFUL.replace("(init (step 1))", "(init (step 1)) (beside 1 3) (beside 1 1)")
"""The same, but with more cups in reach of the first."""

UNKNOWN_MOVES = """
(role a) (role b) (role random) (init (step 1))
(<= (legal random (hide ?x)) (true (step 1)) (bit ?x))
(<= (legal random wait) (true (step 2)))
(bit 0) (bit 1)
(<= (next (hidden ?x)) (does random (hide ?x)))
(<= (legal a (try ?x)) (true (hidden ?x))) (<= (legal a wait) (true (step 1)))
(legal b wait)
(<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
(<= terminal (true (step 3)))
(<= (sees b nothing) (true (step 9)))
(goal a 1) (goal b 1)
"""
"""A role has a move for a bit that it does not see."""
