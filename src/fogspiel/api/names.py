"""Roles, moves and percepts as strings that know their ids, and the vocabulary of one game.

Each is equal to its text, so that users write plain strings, and carries the id under which the
machine of its game knows it.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.terms import GroundTerm, MoveId, PerceptId, RoleId
from fogspiel.machine.protocol import Machine, MeetsPercepts
from fogspiel.rules.sexpr import exact_text, read_term

MOST_SHOWN = 12  #: Names that an error message lists


class Role(str):
    """A role of a game, equal to its name.

    >>> role = fs.load("kuhn_poker").players[0]
    >>> role == "first", role.id
    (True, 1)
    """

    __slots__ = ("id",)
    id: RoleId  #: Index in the order of the rules

    def __new__(cls, name: str, id: RoleId) -> Role:
        """The role of a name and an index."""
        role = super().__new__(cls, name)
        role.id = id
        return role

    def __getnewargs__(self) -> tuple[str, RoleId]:  # type: ignore[override]  # str has one
        """Arguments by which a copy is made."""
        return str(self), self.id


class Move(str):
    """A move of a role, equal to its text in prefix notation: `(deal queen)`.

    >>> move = fs.load("kuhn_poker").begin().legal["random"][0]
    >>> move, move == "(deal jack)", move.id
    (Move('(deal jack)'), True, 0)
    """

    __slots__ = ("id",)
    id: MoveId  #: Index among the moves of the role

    def __new__(cls, text: str, id: MoveId) -> Move:
        """The move of a text and an index."""
        move = super().__new__(cls, text)
        move.id = id
        return move

    def __getnewargs__(self) -> tuple[str, MoveId]:  # type: ignore[override]  # str has one
        """Arguments by which a copy is made."""
        return str(self), self.id

    def __repr__(self) -> str:
        """`Move('(deal queen)')`, which tells it from a plain string."""
        return f"Move({str(self)!r})"


class Percept(str):
    """Something that a role sees, equal to its text in prefix notation.

    >>> dealt = fs.load("kuhn_poker").begin().play("(deal queen)")
    >>> dealt.sees["first"]
    (Percept('(holds first queen)'),)
    """

    __slots__ = ("id",)
    id: PerceptId  #: Index among the percepts of the role

    def __new__(cls, text: str, id: PerceptId) -> Percept:
        """The percept of a text and an index."""
        percept = super().__new__(cls, text)
        percept.id = id
        return percept

    def __getnewargs__(self) -> tuple[str, PerceptId]:  # type: ignore[override]  # str has one
        """Arguments by which a copy is made."""
        return str(self), self.id

    def __repr__(self) -> str:
        """`Percept('(holds queen)')`, which tells it from a plain string."""
        return f"Percept({str(self)!r})"


class Vocabulary:
    """The roles, moves and percepts of one game, from ids to names and back."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.roles = tuple(Role(name, RoleId(at)) for at, name in enumerate(machine.roles))
        self.chance = None if machine.chance_role is None else self.roles[machine.chance_role]
        self.players = tuple(role for role in self.roles if role is not self.chance)
        self._by_name = {str(role): role for role in self.roles}
        self._moves: list[dict[MoveId, Move]] = [{} for _ in self.roles]
        self._read: list[dict[str, Move]] = [{} for _ in self.roles]
        """Moves by what users write for them."""
        self._percepts: list[dict[PerceptId, Percept]] = [{} for _ in self.roles]

    def role(self, name: str) -> Role:
        """The role of a name. Raises `UsageError` API001 for an unknown one."""
        found = self._by_name.get(name) if isinstance(name, str) else None
        if found is None:
            raise UsageError.of(
                "API001",
                f"the game has no role {name!r}",
                fix=meant(str(name), self._by_name, "its roles are"),
            )
        return found

    def player(self, name: str) -> Role:
        """The role of a player. Raises `UsageError` API001 for chance and unknown names."""
        role = self.role(name)
        if role is self.chance:
            raise UsageError.of(
                "API001",
                f"{name} is chance, which knows nothing and plays for nobody",
                fix=f"the players are {', '.join(self.players)}",
            )
        return role

    def move(self, role: RoleId, move: MoveId) -> Move:
        """The move with an id."""
        known = self._moves[role].get(move)
        if known is None:
            text = exact_text(self.machine.move_term(role, move))
            known = self._moves[role][move] = self._read[role][text] = Move(text, move)
        return known

    def moves(self, role: RoleId, ids: Iterable[MoveId]) -> tuple[Move, ...]:
        """The moves with some ids, in their order."""
        known = self._moves[role]
        try:
            return tuple([known[move] for move in ids])
        except KeyError:
            return tuple([self.move(role, move) for move in ids])

    def find_move(self, role: RoleId, text: object) -> Move | None:
        """The move that a text means; None if the rules know none."""
        if not isinstance(text, str):
            return None
        known = self._read[role].get(text)
        if known is None:
            try:
                term = read_term(text)
                known = None if term is None else self.move(role, self.machine.move_id(role, term))
            except PlayError:
                return None
            if known is not None:
                self._read[role][str(text)] = known
        return known

    def chosen(self, role: Role, text: object, legal: Iterable[MoveId]) -> Move:
        """The legal move that a text means. Raises `UsageError` API002 for anything else."""
        found, ids = self.find_move(role.id, text), tuple(legal)
        if found is None or found.id not in ids:
            raise self.illegal(role, text, ids)
        return found

    def illegal(self, role: Role, text: object, legal: Iterable[MoveId]) -> UsageError:
        """The error for a move that is not among the legal ones, which it names."""
        moves = [str(move) for move in self.moves(role.id, legal)]
        return UsageError.of(
            "API002",
            f"{role} has no legal move {text!r} here",
            fix=meant(str(text), moves, "legal:"),
        )

    def percept(self, role: RoleId, percept: PerceptId) -> Percept:
        """The percept with an id."""
        known = self._percepts[role].get(percept)
        if known is None:
            text = exact_text(self.machine.percept_term(role, percept))
            known = self._percepts[role][percept] = Percept(text, percept)
        return known

    def percepts(self, role: RoleId, ids: Iterable[PerceptId]) -> tuple[Percept, ...]:
        """The percepts with some ids, sorted by their text."""
        return tuple(sorted(self.percept(role, percept) for percept in ids))

    def seen(self, role: Role, text: str) -> Percept:
        """The percept that a text means. Raises `UsageError` API007 for one that cannot be."""
        machine, term = self.machine, term_of(text)
        if isinstance(machine, MeetsPercepts):
            return self.percept(role.id, machine.percept_id(role.id, term))
        for percept in map(PerceptId, range(machine.percept_count(role.id))):
            if machine.percept_term(role.id, percept) == term:
                return self.percept(role.id, percept)
        known = [
            str(self.percept(role.id, PerceptId(at)))
            for at in range(machine.percept_count(role.id))
        ]
        raise UsageError.of(
            "API007",
            f"the rules never let {role} see {text!r}",
            fix=meant(text, known, "it may see"),
        )


def term_of(text: str) -> GroundTerm:
    """The term of a text in prefix notation. Raises `UsageError` API005 for anything else."""
    term = read_term(text) if isinstance(text, str) else None
    if term is None:
        raise UsageError.of(
            "API005",
            f"{text!r} is no term in prefix notation",
            fix="write a name, or a functor with its arguments: (cell 1 1 x)",
        )
    return term


def meant(word: str, known: Iterable[str], otherwise: str) -> str:
    """A fix for a wrong name: the nearest ones, and what there is."""
    names = list(known)
    close = get_close_matches(word, names[:1000], n=2)
    shown = ", ".join(names[:MOST_SHOWN]) or "none"
    if len(names) > MOST_SHOWN:
        shown += f" and {len(names) - MOST_SHOWN} more"
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    return f"{hint}{otherwise} {shown}"
