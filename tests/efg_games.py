"""Games in extensive form for the tests: written by hand, and made at random."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

from fogspiel.core.findings import Finding, RulesError
from fogspiel.core.source import Source
from fogspiel.rules.efg.checks import read_and_check, steps_of
from fogspiel.rules.efg.syntax import CHANCE, ExtensiveGame, Infoset, Node, Outcome

CARDS = ("jack", "queen", "king")
MAX_NODES = 40


def kuhn_efg() -> str:
    """Kuhn's poker (1950) with one draw of chance: each of six deals has probability 1/6."""
    deals = [(mine, yours) for mine in range(3) for yours in range(3) if mine != yours]
    listed = " ".join(f'"{CARDS[mine]}-{CARDS[yours]}" 1/6' for mine, yours in deals)
    lines = ['EFG 2 R "Kuhn poker" { "first" "second" }', f'c "deal" 1 "" {{ {listed} }} 0']
    for mine, yours in deals:
        sign = 1 if mine > yours else -1
        show = {stake: _payoff(sign * stake) for stake in (1, 2)}
        lines += [
            f'p "" 1 {mine + 1} "{CARDS[mine]}" {{ "pass" "bet" }} 0',
            f'p "" 2 {yours + 1} "{CARDS[yours]}, pass" {{ "pass" "bet" }} 0',
            f't "" {show[1]}',
            f'p "" 1 {mine + 4} "{CARDS[mine]}, pass, bet" {{ "pass" "bet" }} 0',
            f't "" {_payoff(-1)}',
            f't "" {show[2]}',
            f'p "" 2 {yours + 4} "{CARDS[yours]}, bet" {{ "pass" "bet" }} 0',
            f't "" {_payoff(1)}',
            f't "" {show[2]}',
        ]
    return "\n".join(lines) + "\n"


def _payoff(first: int) -> str:
    return f'{first + 3} "{first:+}" {{ {first} {-first} }}'


# Rose looks at a coin and bets or not; Colin, who did not see it, answers a bet. Actions, names and
# payoffs stand at their first mention only, and the ante is paid at the root.
COIN = """\
EFG 2 D "A bet on a coin" { "Rose" "Colin" }
"Written for the tests."
c "toss" 1 "" { "heads" 0.5 "tails" .50 } 1 "ante" { -1, -1 }
  p "" 1 1 "heads" { "bet" "pass" } 0
    p "" 2 1 "a bet" { "call" "fold" } 0
      t "" 2 "Rose wins the call" { 3, -1.0 }
      t "" 3 "fold" { 2 0 }
    t "" 3
  p "" 1 2 "tails" { "bet" "pass" } 0
    p "" 2 1 0
      t "" 4 { -1 3 }
      t "" 3
    t "" 5 "Colin keeps it" { 0 2/1 }
"""


def game_of(text: str) -> ExtensiveGame:
    """The game of a text that has no errors."""
    game, findings = read_and_check(Source("game.efg", text))
    assert game is not None, "\n".join(map(str, findings))
    return game


def findings_of(text: str) -> list[Finding]:
    """The findings about a text."""
    return read_and_check(Source("game.efg", text))[1]


class RandomGame:
    """Makes a small game with perfect recall to which a clock fits.

    Infosets join nodes after the same own choices, at any depth; games with crossing infosets are
    thrown away. There are forced moves, outcomes inside the tree and, on demand, impossible draws.
    """

    def __init__(self, rng: Random, texts: Sequence[str] = ()) -> None:
        self._rng = rng
        self._texts = texts
        self._players = rng.randint(2, 3)

    def game(self) -> ExtensiveGame:
        """The first of many tries to which a clock fits."""
        while True:
            game = self._any_game()
            try:
                steps_of(game)
            except RulesError:
                continue
            return game

    def _any_game(self) -> ExtensiveGame:
        self._nodes: list[Node] = []
        self._infosets: list[Infoset] = []
        self._outcomes: list[Outcome] = []
        self._open: dict[tuple[int, tuple[tuple[int, int], ...], int], list[int]] = {}
        nothing: tuple[tuple[int, int], ...] = ()
        work = [(0, (nothing,) * self._players)]
        while work:
            depth, histories = work.pop()
            full = len(self._nodes) + len(work) >= MAX_NODES
            if depth > 5 or full or (depth > 0 and self._rng.random() < 0.3):
                self._nodes.append(Node(self._text(""), None, self._outcome()))
                continue
            infoset = self._infoset(histories)
            own = self._infosets[infoset]
            outcome = self._outcome() if self._rng.random() < 0.15 else None
            self._nodes.append(Node(self._text(""), infoset, outcome))
            for action in reversed(range(len(own.actions))):
                after = list(histories)
                if own.player != CHANCE:
                    after[own.player - 1] = (*histories[own.player - 1], (infoset, action))
                work.append((depth + 1, tuple(after)))
        return ExtensiveGame(
            title=self._text("random"),
            players=tuple(self._text(f"player {n}") for n in range(1, self._players + 1)),
            comment=self._text(""),
            infosets=tuple(self._infosets),
            outcomes=tuple(self._outcomes),
            nodes=tuple(self._nodes),
        )

    def _infoset(self, histories: tuple[tuple[tuple[int, int], ...], ...]) -> int:
        rng = self._rng
        player = rng.randint(CHANCE, self._players)
        arity = rng.choice((1, 2, 2, 2, 3))
        history = () if player == CHANCE else histories[player - 1]
        candidates = self._open.setdefault((player, history, arity), [])
        if candidates and rng.random() < 0.6:
            return rng.choice(candidates)
        number = 1 + sum(own.player == player for own in self._infosets)
        actions = tuple(self._text(f"{'abc'[place]}{number}") for place in range(arity))
        chances: tuple[Fraction, ...] = ()
        if player == CHANCE:
            weights = [rng.randint(1, 5) for _ in actions]
            if arity > 1 and rng.random() < 0.2:
                weights[rng.randrange(arity)] = 0
            chances = tuple(Fraction(weight, sum(weights)) for weight in weights)
        name = self._text(f"set {player}.{number}")
        self._infosets.append(Infoset(player, number, name, actions, chances))
        candidates.append(len(self._infosets) - 1)
        return len(self._infosets) - 1

    def _outcome(self) -> int | None:
        rng = self._rng
        if rng.random() < 0.1:
            return None
        if self._outcomes and rng.random() < 0.3:
            return rng.randrange(len(self._outcomes))
        payoffs = tuple(
            Fraction(rng.randint(-6, 6), rng.choice((1, 1, 2, 3))) for _ in range(self._players)
        )
        number = len(self._outcomes) + 1
        self._outcomes.append(Outcome(number, self._text(f"outcome {number}"), payoffs))
        return number - 1

    def _text(self, otherwise: str) -> str:
        return self._rng.choice(self._texts) if self._texts else otherwise


def random_game(seed: int, texts: Sequence[str] = ()) -> ExtensiveGame:
    """A small game, the same for the same seed."""
    return RandomGame(Random(seed), texts).game()
