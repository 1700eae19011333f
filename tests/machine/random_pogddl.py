"""Random small games as POGDDL text: what both machines play side by side.

Every game is valid by construction and has one mover at a time. It ends by its clock at the latest.
Names say what a thing is for: `at`, `open`, `held` and `flag` change, `link` and `likes` do not,
`busy`, `reach` and `odd` are derived, each from those before it.
Length: one generator, whose parts call each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

Variables: TypeAlias = dict[str, str]
"""Variables in scope, with their types."""

SUBTYPES = {
    "role": ("player",),
    "thing": ("box", "ball"),
    "object": ("role", "player", "thing", "box", "ball", "spot"),
}
CONSTANTS = {
    "player": ["a", "b"], "box": ["b1", "b2"], "ball": ["k1"], "spot": ["s1", "s2"],
    "role": ["a", "b", "chance"], "thing": ["b1", "b2", "k1"],
    "object": ["a", "chance", "k1", "s2"],
}  # fmt: skip
OBJECTS = {
    "player": ["a", "b"],
    "box": ["b1", "b2"],
    "ball": ["k1", "k2"],
    "spot": ["s1", "s2", "s3"],
}
PREDICATES = {
    "at": ("thing", "spot"), "open": ("spot",), "held": ("player", "box"), "flag": (),
    "link": ("spot", "spot"), "likes": ("player", "thing"),
    "busy": ("player",), "reach": ("spot", "spot"), "odd": ("thing",),
}  # fmt: skip
CHANGING = ("at", "open", "held", "flag")
DERIVED = ("busy", "reach", "odd")
BASE = tuple(name for name in PREDICATES if name not in DERIVED)
FUNCTIONS = {"pot": (), "score": ("player",), "load": ("spot",), "price": ("thing",)}
NUMBERS = ("0", "1", "2", "3", "-1", "1/2")
MAX_TIME = 9


@dataclass
class Maker:
    """Draws the parts of one game."""

    random: Random
    known: tuple[str, ...] = tuple(PREDICATES)
    """Predicates that conditions may ask for."""
    fractions: bool = False
    bounded: bool = False
    names: int = 0
    actions: dict[str, list[str]] = field(default_factory=dict)
    """The actions of chance with the types of their parameters."""

    def coin(self, chance: float = 0.5) -> bool:
        return self.random.random() < chance

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    # Terms and atoms

    def term(self, kind: str, scope: Variables, *, loose: bool = False) -> str:
        """A variable or constant of a type; loosely, a variable that may be of it."""
        fitting = [v for v, own in scope.items() if own == kind or own in SUBTYPES.get(kind, ())]
        if kind == "object":
            fitting = list(scope)
        if loose:
            fitting += [v for v, own in scope.items() if kind in SUBTYPES.get(own, ())]
        if fitting and self.coin(0.8):
            return self.random.choice(fitting)
        return self.random.choice(CONSTANTS[kind])

    def atom(self, name: str, scope: Variables, *, loose: bool = False) -> str:
        terms = [self.term(kind, scope, loose=loose) for kind in PREDICATES[name]]
        return f"({' '.join([name, *terms])})"

    def variables(self, scope: Variables, most: int = 2) -> tuple[str, Variables]:
        """A typed list of new variables, some of them `either`, and the scope within it."""
        listed, inner = [], dict(scope)
        for _ in range(self.random.randint(1, most)):
            name = self.fresh("?v")
            kind = self.random.choice(["player", "role", "box", "thing", "spot", "spot", "either"])
            listed.append(f"{name} - {'(either box ball)' if kind == 'either' else kind}")
            inner[name] = "thing" if kind == "either" else kind
        if self.coin(0.1):
            name = self.random.choice(list(scope) or ["?w"])  # hides the one outside
            if f"{name} - " not in " ".join(listed):
                listed.append(f"{name} - spot")
                inner[name] = "spot"
        return " ".join(listed), inner

    # Numbers

    def value(self, scope: Variables, *, static: bool = False) -> str:
        name = "price" if static else self.random.choice(["pot", "score", "score", "load", "price"])
        terms = [self.term(kind, scope, loose=self.coin(0.1)) for kind in FUNCTIONS[name]]
        return f"({' '.join([name, *terms])})"

    def number(self) -> str:
        return self.random.choice(NUMBERS if self.fractions else NUMBERS[:-1])

    def amount(self, scope: Variables) -> str:
        """What a change may take: it lets no number grow like a power of powers."""
        match self.random.randrange(7):
            case 0 | 1 | 2:
                return self.number()
            case 3:
                return self.value(scope, static=True)
            case 4:
                return self.value(scope)
            case 5:
                return f"(- {self.value(scope)} {self.number()})"
            case _:
                return f"(* {self.value(scope, static=True)} {self.random.choice('23')})"

    def expression(self, scope: Variables, depth: int = 2) -> str:
        """What a condition or a gain may ask for."""
        if depth == 0 or self.coin(0.4):
            return self.value(scope) if self.coin(0.7) else self.number()
        inner = [self.expression(scope, depth - 1) for _ in range(2)]
        match self.random.randrange(6):
            case 0:
                return f"(- {inner[0]})"
            case 1:
                divisor = self.random.choice(["2", "-3", "(price b1)", "(price k1)"])
                return f"(/ {inner[0]} {divisor})"
            case 2:
                return f"(* {inner[0]} {inner[1]})"
            case 3:
                return f"(+ {inner[0]} {inner[1]} {self.number()})"
            case _:
                return f"({self.random.choice('+-')} {inner[0]} {inner[1]})"

    # Conditions

    def condition(self, scope: Variables, depth: int = 3) -> str:
        """A condition; the further in, the simpler."""
        if depth == 0 or self.coin(0.3):
            return self.simple(scope)
        match self.random.randrange(7):
            case 0:
                return f"(not {self.condition(scope, depth - 1)})"
            case 1 | 2:
                word = self.random.choice(["and", "or"])
                count = self.random.randint(2, 3)
                parts = [self.condition(scope, depth - 1) for _ in range(count)]
                return f"({word} {' '.join(parts)})"
            case 3:
                pair = [self.condition(scope, depth - 1) for _ in range(2)]
                return f"(imply {pair[0]} {pair[1]})"
            case 4 | 5:
                listed, inner = self.variables(scope)
                word = self.random.choice(["exists", "exists", "forall"])
                return f"({word} ({listed}) {self.condition(inner, depth - 1)})"
            case _:
                return self.simple(scope)

    def simple(self, scope: Variables) -> str:
        choice = self.random.random()
        if choice < 0.65 or (choice < 0.75 and not scope):
            return self.atom(self.random.choice(self.known), scope, loose=self.coin(0.2))
        if choice < 0.75:
            left = self.random.choice(list(scope))
            return f"(= {left} {self.term(scope[left], scope)})"
        operator = self.random.choice(["<", "<=", "=", ">=", ">"])
        return f"({operator} {self.expression(scope)} {self.expression(scope, 1)})"

    # Effects

    def effect(self, scope: Variables, depth: int = 2) -> str:
        """An effect; the deepest ones have no others in them."""
        if depth == 0 or self.coin(0.6):
            kind = self.random.choice(["add", "add", "delete", "change", "change", "observe"])
            atom = self.atom(self.random.choice(CHANGING), scope, loose=self.coin(0.15))
            if kind in {"change", "observe"}:
                return self.change(scope) if kind == "change" else self.observe(scope)
            return atom if kind == "add" else f"(not {atom})"
        kind = self.random.choice(["when", "when", "forall", "and"])
        if kind == "when":
            return f"(when {self.condition(scope, 2)} {self.effect(scope, depth - 1)})"
        if kind == "forall":
            listed, inner = self.variables(scope, most=1)
            return f"(forall ({listed}) {self.effect(inner, depth - 1)})"
        return f"(and {self.effect(scope, depth - 1)} {self.effect(scope, depth - 1)})"

    def change(self, scope: Variables) -> str:
        operator = self.random.choice(["increase", "increase", "decrease", "assign", "scale-up"])
        name = self.random.choice(["pot", "score", "load"])
        terms = [self.term(kind, scope, loose=self.coin(0.1)) for kind in FUNCTIONS[name]]
        target = " ".join([name, *terms])
        amount = self.random.choice("12") if operator == "scale-up" else self.amount(scope)
        return f"({operator} ({target}) {amount})"

    def observe(self, scope: Variables) -> str:
        told = []
        for _ in range(self.random.randint(1, 3)):
            players = [v for v, kind in scope.items() if kind in {"player", "role"}]
            recipient = self.random.choice(
                ["a", "b", "all", "others", "others", *players, *players]
            )
            terms = [
                self.random.choice(["_", *scope, "k1"]) for _ in range(self.random.randint(0, 2))
            ]
            told.append(f"({recipient} ({' '.join([self.random.choice(['saw', 'met']), *terms])}))")
        return f"(observe {' '.join(told)})"

    # Structures

    def action(self, name: str, mover: str, *, is_plain: bool = False) -> str:
        """An action of the players, or of chance, that hands on the turn."""
        scope: Variables = {"?n": "role"}
        listed = ["?n - role"]
        if mover == "?me":
            scope["?me"] = "player"
            listed.append("?me - player")
        if not is_plain and self.coin(0.7):
            more, scope = self.variables(scope, most=2 if mover == "chance" else 1)
            if "?n -" in more or "?me -" in more:
                more, scope = "?x - spot", {**scope, "?n": "role", "?x": "spot"}
                if mover == "?me":
                    scope["?me"] = "player"
                scope = {
                    v: kind for v, kind in scope.items() if f"{v} -" in " ".join([*listed, more])
                }
            listed.append(more)
        parts = [f"(whoseturn {mover})", f"(after {mover} ?n)"]
        if not is_plain and self.coin(0.7):
            parts.insert(self.random.randint(0, 2), self.condition(scope))
        effects = [f"(not (whoseturn {mover}))", "(whoseturn ?n)", "(increase (time) 1)"]
        if not is_plain:
            effects += [self.effect(scope) for _ in range(self.random.randint(1, 4))]
        if mover == "chance":
            kinds = [part.split(" - ")[1].strip() for part in self._split(listed)]
            self.actions[name] = kinds
        return (
            f"(:action {name} :parameters ({' '.join(listed)})\n"
            f"    :precondition (and {' '.join(parts)})\n    :effect (and {' '.join(effects)}))"
        )

    def unasked(self, name: str) -> str:
        """An action of whoever is to move, which does not ask whose turn it is."""
        effects = [
            "(forall (?r - role) (not (whoseturn ?r)))", f"(whoseturn {self.random.choice('ab')})",
            "(increase (time) 1)", self.effect({}), self.observe({}),
        ]  # fmt: skip
        return (
            f"(:action {name} :parameters ()\n    :precondition {self.condition({})}\n"
            f"    :effect (and {' '.join(effects)}))"
        )

    def _split(self, listed: list[str]) -> list[str]:
        """`?x - a ?y - b` as its parts."""
        return [f"?{part}" for part in " ".join(listed).split("?")[1:]]

    def choice(self) -> str:
        """A choice of chance by weight."""
        listed, scope = self.variables({})
        options = []
        for name in self.random.choices(list(self.actions), k=self.random.randint(1, 3)):
            terms = [self.term(_first(kind), scope) for kind in self.actions[name]]
            weight = self.random.choice(["1", "2", "1/3", "0", "(price b1)", self.weight(scope)])
            options.append(f"{weight} ({' '.join([name, *terms])})")
        options.append(f"1 ({' '.join([name, *terms])})")
        return (
            f"(:choose :parameters ({listed}) :condition {self.condition(scope, 2)}\n"
            f"    :select ({' '.join(options)}))"
        )

    def weight(self, scope: Variables) -> str:
        """A weight that depends on the state; only bounded values are known not to be negative."""
        if self.bounded:
            return f"(load {self.term('spot', scope)})"
        return self.value(scope, static=True)

    def gain(self) -> str:
        roles, scope = self.random.choice(
            [("a", {}), ("?p - player", {"?p": "player"}), ("?p", {"?p": "role"}),
             ("(?p ?q - role)", {"?p": "role", "?q": "role"}), ("a b", {})]
        )  # fmt: skip
        variables: Variables = dict(scope)
        condition = "()" if self.coin(0.4) else self.condition(variables, 2)
        return f"(:gain {roles} {self.expression(variables)} {condition})"

    def derived(self) -> list[str]:
        """The derived predicates, each from those before; `reach` also from itself."""
        self.known = BASE
        head = self.random.choice(["?r", "?r - player"])
        lines = [f"(:derived (busy {head}) {self.condition({'?r': 'player'}, 2)})"]
        if self.coin():
            lines.append(f"(:derived (busy ?q) {self.condition({'?q': 'player'}, 2)})")
        self.known = (*BASE, "busy")
        scope = {"?s": "spot", "?t": "spot"}
        inner = {**scope, "?m": "spot"}
        step = f"(and (reach ?s ?m) (link ?m ?t) {self.condition(inner, 1)})"
        lines.append(
            f"(:derived (reach ?s ?t - spot)\n    (or {self.condition(scope, 1)}"
            f" (exists (?m - spot) {step})))"
        )
        self.known = (*BASE, "busy", "reach")
        lines.append(f"(:derived (odd ?x) {self.condition({'?x': 'thing'}, 3)})")
        self.known = tuple(PREDICATES)
        return lines

    def start(self) -> list[str]:
        """Facts and values."""
        facts = ["(whoseturn a)", "(after a b)", "(after b chance)", "(after chance a)"]
        facts += [f"(after {one} {self.random.choice('ab')})" for one in ("a", "b", "chance")]
        for name in BASE:
            for _ in range(self.random.randint(1, 4)):
                terms = [
                    self.random.choice(
                        [o for k in (kind, *SUBTYPES.get(kind, ())) for o in OBJECTS.get(k, [])]
                    )
                    for kind in PREDICATES[name]
                ]
                facts.append(f"({' '.join([name, *terms])})")
        facts += [
            f"(= (price {thing}) {self.random.randint(1, 3)})" for thing in ("b1", "b2", "k1")
        ]
        facts += [f"(= (score {one}) {self.random.randint(-2, 3)})" for one in ("a", "b")]
        facts += ["(= (time) 0)", f"(= (load s2) {self.random.randint(0, 3)})"]
        facts.append(f"(= (pot) {self.number()})")
        return list(dict.fromkeys(facts))


def random_game(seed: int) -> str:
    """A game in one text: domain and problem."""
    random = Random(seed)
    maker = Maker(random, fractions=random.random() < 0.3, bounded=random.random() < 0.5)
    bounds = " - (number 0 12)" if maker.bounded else " - number"
    derived = maker.derived()
    actions = [maker.action(f"act{i}", "?me") for i in range(random.randint(1, 3))]
    actions += [maker.action(f"deal{i}", "chance") for i in range(random.randint(1, 2))]
    if maker.coin(0.8):
        actions.append(maker.action("wait", "?me", is_plain=True))
        actions.append(maker.action("rest", "chance", is_plain=True))
    if maker.coin(0.3):
        actions.append(maker.unasked("noop"))
    choices = [maker.choice() for _ in range(random.randint(0, 3))]
    gains = [maker.gain() for _ in range(random.randint(1, 3))]
    ends = [f"(:terminal (and (> (time) 3) {maker.condition({}, 2)}))"] if maker.coin(0.4) else []
    domain = [
        "(define (domain random)",
        "(:types player - role box ball - thing role thing spot)",
        "(:constants a b - player chance - role b1 b2 - box k1 - ball s1 s2 - spot)",
        "(:predicates (whoseturn ?r - role) (after ?r ?n - role) (at ?t - thing ?s - spot)"
        " (open ?s - spot) (held ?p - player ?b - box) (flag) (link ?s ?t - spot)"
        " (likes ?p - player ?t - (either box ball)) (busy ?p - player)"
        " (reach ?s ?t - spot) (odd ?t - thing))",
        f"(:functions (time) (pot) (score ?p - player) (price ?t - thing) - number"
        f" (load ?s - spot){bounds})",
        *derived, *actions, *choices, *gains, f"(:terminal (> (time) {MAX_TIME}))", *ends,
    ]  # fmt: skip
    problem = [
        "(define (problem start) (:domain random)",
        "(:objects k2 - ball s3 - spot)",
        f"(:init {' '.join(maker.start())})",
        *([maker.gain()] if maker.coin(0.3) else []),
    ]
    return "\n  ".join(domain) + ")\n" + "\n  ".join(problem) + ")\n"


def _first(kind: str) -> str:
    """`(either box ball)` stands for things."""
    return "thing" if kind.startswith("(") else kind
