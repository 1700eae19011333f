"""The first session of a user, line by line as typed, with what Python prints."""

from __future__ import annotations

from pathlib import Path

import pytest

import fogspiel as fs
from transcripts import failures_of

GAME_TO_BELIEF = """
>>> game = fs.load("kuhn_poker")
>>> game
Game('kuhn_poker', players=('first', 'second'), chance='random')
>>> game.players, game.chance
(('first', 'second'), 'random')
>>> game.players[0] == "first", type(game.players[0]).__name__
(True, 'Role')

>>> h = game.begin()
>>> h
History('kuhn_poker', 0 steps, to move: random)
>>> h.chance
{Move('(deal jack)'): Fraction(1, 3), Move('(deal king)'): Fraction(1, 3), \
Move('(deal queen)'): Fraction(1, 3)}
>>> h = h.play(random="(deal queen)")
>>> h.sees["first"]
(Percept('(holds first queen)'),)
>>> h = h.play(random="(deal king)")
>>> h.to_move
('first',)
>>> h.legal["first"]
(Move('bet'), Move('pass'))
>>> "bet" in h.legal["first"]
True
>>> h.sees["first"]
()
>>> h.sees["second"]
(Percept('(holds second king)'),)
>>> h.state
State((holds first queen) (holds second king) (turn open))
>>> h.over
False
>>> h.play(first="bet").play(second="pass").payoffs
{'first': 1.0, 'second': -1.0}
>>> h.play(first="bet").play(second="pass").goals
{'first': Fraction(75, 1), 'second': Fraction(25, 1)}
>>> h.payoffs
Traceback (most recent call last):
...
fogspiel.core.findings.UsageError: API004 error: the game is not over, so that nobody has a payoff \
yet
  fix: play on until `over`; `legal` names the moves
>>> h.play(first="call")
Traceback (most recent call last):
...
fogspiel.core.findings.UsageError: API002 error: first has no legal move 'call' here
  fix: legal: bet, pass

>>> view = h.view("first")
>>> view
View('first', 'noop: (holds first queen); noop')
>>> belief = view.belief()
>>> belief
Belief(2 histories, 2 states, exact)
>>> belief.probability("(holds second king)")
0.5
>>> len(belief.sample(100, seed=1))
100
>>> set(belief.sample(100, seed=1)) == {h, h.before.play(random="(deal jack)")}
True
>>> for world in belief.states:
...     print(world)
(State((holds first queen) (holds second jack) (turn open)), 0.5)
(State((holds first queen) (holds second king) (turn open)), 0.5)
"""

CHOICE_OF_METHOD_AND_MODEL = """
>>> view = game.begin().play("(deal queen)").play("(deal king)").play("bet").view("second")
>>> belief = view.belief(method="csp")
>>> belief.method, [share for history, share in belief.histories()]
('csp', [0.5, 0.5])
>>> said = {"(holds first jack)": 0.5, "(holds first queen)": 1.0}
>>> def bluffer(view):
...     bets = next((said[card] for step in view.steps for card in step.sees if card in said), 0.0)
...     return {"bet": bets, "pass": 1 - bets} if "bet" in view.legal else {"noop": 1.0}
>>> round(view.belief(opponents=bluffer).probability("(holds first queen)"), 4)
0.6667
"""

SOLUTIONS = """
>>> h = game.begin().play("(deal queen)").play("(deal king)")
>>> view = h.view("first")
>>> solution = game.solve(target=1e-3)
>>> solution
Solution('kuhn_poker', first -0.05556, second +0.05556, exploitability ..., by lp)
>>> solution.strategy[view]
{Move('bet'): 0.0, Move('pass'): 1.0}
>>> round(solution.exploitability, 9), round(solution.value["first"], 9)
(0.0, -0.055555556)
>>> solution.method, dict(solution.parameters), solution.seconds > 0
('lp', {}, True)
>>> solution.save("kuhn.json")
>>> fs.Solution.open("kuhn.json", game)
Solution('kuhn_poker', first -0.05556, second +0.05556, exploitability ..., by lp)
>>> fs.Solution.open("kuhn.json", game).strategy[view] == solution.strategy[view]
True
>>> always_passing = {at: {"pass": 1.0} for at in solution.strategy}
>>> round(game.exploitability(always_passing), 9)
1.0
>>> round(game.exploitability(lambda view: {move: 1 / len(view.legal) for move in view.legal}), 6)
0.458333
>>> round(game.exploitability(solution), 9)
0.0
"""

MATCHES = """
>>> solution = game.solve(target=1e-3)
>>> match = game.match(first="ismcts", second=solution, simulations=1000, seed=7)
>>> match
Match('kuhn_poker', first=ismcts, second=strategy; 5 steps; first ..., second ...)
>>> sum(match.payoffs.values())
0.0
>>> match.history
History('kuhn_poker', 5 steps, over: first ..., second ...)
>>> [dict(step.moves) for step in match.steps] == list(match.history.moves)
True
>>> match.steps[2].number, match.steps[2].moves["second"], match.steps[2].faults
(3, Move('noop'), {})

>>> series = game.series("auto", "random", games=10, swap=True, simulations=20)
>>> series
Series('kuhn_poker', 10 games: auto ... ± ...; random ... ± ...)
>>> [row.games for row in series.rows], [row.player for row in series.totals]
([5, 5, 5, 5], ['auto', 'random'])
>>> report = game.playouts(100_000, seed=1)
>>> print(report)
kuhn_poker: 100,000 random playouts, mean payoffs first +0.127..., second -0.127...; \
4.25 steps on average; ... playouts a second

>>> class Cautious(fs.Player):
...     def choose(self, view, legal, clock):
...         return "pass" if "pass" in legal else legal[0]
>>> match = game.match(first=Cautious, second="auto", seconds=0.1)
>>> match
Match('kuhn_poker', first=Cautious, second=auto; ... steps; first ..., second ...)
>>> {str(step.moves["first"]) for step in match.steps} == {"noop", "pass"}
True
"""


@pytest.mark.parametrize(
    "session",
    [GAME_TO_BELIEF, CHOICE_OF_METHOD_AND_MODEL, SOLUTIONS, MATCHES],
    ids=["game", "beliefs", "solutions", "matches"],
)
def test_the_session_prints_what_it_says(
    session: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {"fs": fs, "game": fs.load("kuhn_poker")}
    assert failures_of(session, names, "session") == ""
