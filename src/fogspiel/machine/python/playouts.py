"""Random playouts of a game class, from value to value: no states are numbered, no memory is used.

One guard is around all steps, and answers are used as they come. Where a step fails, it is made
again with care, so that the error names the method and its line.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NoReturn

from fogspiel.core.findings import FogspielError
from fogspiel.machine.python.answers import Lotteries, listed
from fogspiel.machine.python.class_rules import ClassRules
from fogspiel.machine.python.watch import OverdueError

MOST_TRIED = 64  #: Joint moves that are tried to find the one that failed


@dataclass(slots=True)
class PlayoutCounts:
    """Counts over some playouts."""

    steps: int = 0
    stuck: int = 0
    cut: int = 0


class PlayoutLoop:
    """Plays a game class at random: players uniformly, chance by its weights."""

    def __init__(self, rules: ClassRules, random: Random, max_steps: int) -> None:
        self.rules, self.counts = rules, PlayoutCounts()
        self._random, self._max_steps = random, max_steps
        self._lotteries = Lotteries()
        game = rules.game
        self._deciders: list[tuple[str, Callable[[Any, str], Any] | None]] = [
            (role, None if role == rules.chance_role else game.legal) for role in rules.roles
        ]
        """Each role with the method that gives its moves; None for chance."""

    def goals_after(self, value: Hashable) -> Sequence[int]:
        """The goals of every role in the end of a playout; zeros if it is given up."""
        rules, watch = self.rules, self.rules.watch
        reached = [value]
        watch.start()
        try:
            try:
                goes_to_end = self._play(reached)
            finally:
                watch.stop()
        except OverdueError as error:
            rules.overdue("next", error)
        except FogspielError:
            raise
        except Exception as error:
            self._explain(reached[-1], error)
        return rules.goals(reached[-1]) if goes_to_end else (0,) * len(rules.roles)

    def _play(self, reached: list[Hashable]) -> bool:
        """Play on from the value reached, and keep the last one; whether it came to an end."""
        rules, random, counts, watch = self.rules, self._random, self.counts, self.rules.watch
        game, noop, asks_end = rules.game, rules.noop, rules.asks_end
        value, made = reached[0], 0
        while not (asks_end and game.terminal(value)):
            joint: dict[str, Any] = {}
            nobody = True
            for role, moves_of in self._deciders:
                if moves_of is None:
                    moves, shares = self._lotteries.of(game.chance(value) or ())
                else:
                    answer = moves_of(value, role)
                    moves = answer if isinstance(answer, list | tuple) else listed(answer, "moves")
                if not moves:
                    joint[role] = noop
                    continue
                nobody = False
                if len(moves) == 1:
                    joint[role] = moves[0]
                elif moves_of is None:
                    joint[role] = random.choices(moves, shares)[0]
                else:
                    joint[role] = moves[int(random.random() * len(moves))]
            if nobody:
                counts.stuck += asks_end
                return not asks_end
            if made == self._max_steps:
                counts.cut += 1
                return False
            if rules.steps_to_check:
                rules.steps_to_check -= 1
                key = rules.key_of("next", value)
                after = rules.checked_state("next", game.next(value, joint))
                rules.refuse_change("next", value, key)
                value = after
            else:
                value = game.next(value, joint)
            reached[-1] = value
            made += 1
            counts.steps += 1
            watch.beat()
        return True

    def _explain(self, value: Hashable, error: Exception) -> NoReturn:
        """Ask again with care for what failed, and raise the error about it."""
        rules, random = self.rules, self._random
        turn = rules.turn(value)
        for _ in range(0 if turn is None or turn.is_stuck else MOST_TRIED):
            assert turn is not None
            joint = {
                role: own[random.randrange(len(own))]
                for role, own in zip(rules.roles, turn.moves, strict=True)
            }
            rules.next(value, joint)
        rules.fail("next", error)
