"""Playing a bundled game by hand: moves and percepts by name, single moves made unasked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from histories import Explorer, explorer

from fogspiel.core.terms import RoleId
from fogspiel.machine.protocol import State


@dataclass(slots=True)
class Game:
    """A game in play: moves by name, percepts remembered."""

    explorer: Explorer
    state: State
    seen: Mapping[str, tuple[str, ...]]

    def play(self, **moves: str) -> Game:
        """One step. A role that is not named must have a single move."""
        game, machine = self.explorer, self.explorer.machine
        joint = []
        for role, name in zip(game.role_ids, game.roles, strict=True):
            legal = machine.legal(self.state, role)
            if name in moves:
                legal = tuple(move for move in legal if game.move(role, move) == moves[name])
            assert len(legal) == 1, f"{name}: {self.moves(name)}"
            joint.append(legal[0])
        self.seen = {
            name: tuple(sorted(game.percept(r, p) for p in machine.percepts(self.state, joint, r)))
            for r, name in zip(game.role_ids, game.roles, strict=True)
        }
        self.state = machine.step(self.state, joint)
        return self

    def moves(self, name: str) -> list[str]:
        """The legal moves of a role, sorted."""
        role = RoleId(self.explorer.roles.index(name))
        legal = self.explorer.machine.legal(self.state, role)
        return sorted(self.explorer.move(role, move) for move in legal)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.explorer.machine.terminal(self.state)

    def goal(self, name: str) -> int:
        """The only goal of a role."""
        role = RoleId(self.explorer.roles.index(name))
        (goal,) = self.explorer.machine.goal_values(self.state, role)
        return goal


def start(name: str) -> Game:
    """A bundled game in its initial state."""
    game = explorer(name)
    return Game(game, game.machine.initial(), {})
