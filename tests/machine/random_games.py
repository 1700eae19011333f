"""Random small games as GDL text: what hypothesis plays on both machines.

Every game is valid by construction. Relations have layers: a rule reads its own layer (so there is
recursion) and those below, and negates only what is below. Arguments have sorts, constants or terms
built from constants, so nothing grows without end. Simplest choices come first: games shrink to
few and short rules.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from hypothesis import strategies as st

CONSTANTS = ("a", "b", "c")
PLAIN = ("?x", "?y", "?z")
BUILT = ("?u", "?v")
CLOCK = [
    "(after 0 1)", "(after 1 2)", "(after 2 3)", "(after 3 4)",
    "(init (clock 0))", "(<= (next (clock ?y)) (true (clock ?x)) (after ?x ?y))",
    "(<= terminal (true (clock 4)))",
]  # fmt: skip
"""Every game ends, and most only after a few steps."""
LINKS = [
    "(<= (joined ?x ?y) (true (on ?x ?y)))",
    "(<= (joined ?x ?z) (joined ?x ?y) (true (on ?y ?z)))",
    "(<= (legal MOVER (hop ?x)) (joined a ?x))",
    "(<= (next (on ?x ?y)) (true (at ?x)) (does MOVER (go ?y)))",
    "(<= (next (on ?x ?y)) (true (on ?x ?y)) (not (does MOVER stay)))",
]
"""Recursion over the state, which random rules seldom bring about."""
CHANCE: st.SearchStrategy[bool] = st.booleans()

# Arguments: `c` a constant, `t` a built term.
FLUENTS = {"at": "c", "on": "cc", "box": "t", "flag": ""}
STATIC = {"item": "c", "edge": "cc", "path": "cc"}
DERIVED = {"near": "c", "held": "c", "reach": "cc", "full": "t"}
CAUSED = {"moved": "c", "clash": "cc"}
TOGETHER = {"near": "held", "held": "near"}
"""Relations that may also depend on each other: they are negated only from above both."""
LAYERS = [*STATIC, *DERIVED, *CAUSED]
ARGUMENTS = {**STATIC, **DERIVED, **CAUSED}


@dataclass(frozen=True, slots=True)
class Context:
    """Relations that a body may use: the first ones by layer, the state, the joint move."""

    layers: int
    state: bool
    joint: bool
    recursive: tuple[str, ...] = ()
    """Relations of the layer itself, which must not be negated."""


def atom(name: str, arguments: tuple[str, ...]) -> str:
    """A relation or term in prefix notation."""
    return f"({name} {' '.join(arguments)})" if arguments else name


def plain_terms(variables: bool = True) -> st.SearchStrategy[str]:
    """A constant, or a variable for one."""
    return st.sampled_from([*PLAIN, *CONSTANTS[:2]] if variables else CONSTANTS)


def built_terms(variables: bool = True) -> st.SearchStrategy[str]:
    """`(f c)`, `(g c c)`, or a variable for such a term."""
    inner = plain_terms(variables)
    made = st.one_of(
        inner.map(lambda one: f"(f {one})"),
        st.tuples(inner, inner).map(lambda two: f"(g {two[0]} {two[1]})"),
    )
    return st.one_of(st.sampled_from(BUILT), made) if variables else made


def arguments(sorts: str, variables: bool = True) -> st.SearchStrategy[tuple[str, ...]]:
    """Arguments of the given sorts."""
    of_sort = {"c": plain_terms(variables), "t": built_terms(variables)}
    return st.tuples(*(of_sort[sort] for sort in sorts))


def literals(context: Context, roles: list[str], variables: bool = True) -> st.SearchStrategy[str]:
    """A positive condition."""
    names = [*LAYERS[: context.layers], *context.recursive]
    kinds = [
        st.sampled_from(names).flatmap(
            lambda name: arguments(ARGUMENTS[name]).map(lambda args: atom(name, args))
        )
    ]
    if context.state:
        kinds.append(
            st.sampled_from(list(FLUENTS)).flatmap(
                lambda name: arguments(FLUENTS[name]).map(lambda a: f"(true {atom(name, a)})")
            )
        )
    if context.joint:
        kinds.append(
            st.tuples(st.sampled_from(roles), moves()).map(lambda d: f"(does {d[0]} {d[1]})")
        )
    return st.one_of(kinds)


def moves(variables: bool = True) -> st.SearchStrategy[str]:
    """A move."""
    return st.one_of(
        st.just("stay"),
        plain_terms(variables).map(lambda one: f"(go {one})"),
        st.tuples(plain_terms(variables), built_terms(variables)).map(
            lambda two: f"(put {two[0]} {two[1]})"
        ),
    )


def variables_of(texts: list[str]) -> list[str]:
    """The variables that occur in some conditions, each once."""
    together = " ".join(texts).replace(")", " ").split()
    return [variable for variable in (*PLAIN, *BUILT) if variable in together]


@st.composite
def bodies(draw: st.DrawFn, context: Context, roles: list[str]) -> list[str]:
    """Positive conditions, then tests of what they bind: `distinct`, `not`, `or`."""
    body: list[str] = draw(st.lists(literals(context, roles), min_size=1, max_size=3))
    bound = variables_of(body)
    plain = [v for v in bound if v in PLAIN]
    with_distinct: bool = draw(CHANCE)
    if plain and with_distinct:
        other = draw(st.sampled_from([*plain, *CONSTANTS[:2]]))
        body.append(f"(distinct {draw(st.sampled_from(plain))} {other})")
    below = literals(replace(context, recursive=()), roles)
    tests = [safe(text, bound) for text in draw(st.lists(below, max_size=2))]
    with_or: bool = draw(CHANCE)
    if len(tests) == 2 and with_or:
        body.append(f"(or {tests[0]} (not {tests[1]}))")
    else:
        body += [f"(not {test})" for test in tests]
    return body


def safe(text: str, bound: list[str]) -> str:
    """The text with variables that nothing binds replaced by constants."""
    for variable, value in zip((*PLAIN, *BUILT), ("a", "b", "a", "(f a)", "(g a b)"), strict=True):
        if variable not in bound:
            text = text.replace(variable, value)
    return text


def rule(head: str, body: list[str]) -> str:
    """A rule whose head is made safe."""
    return f"(<= {safe(head, variables_of(body))} {' '.join(body)})"


@st.composite
def rules(
    draw: st.DrawFn, heads: st.SearchStrategy[str], context: Context, roles: list[str]
) -> str:
    """A rule with a head of some kind."""
    return rule(draw(heads), draw(bodies(context, roles)))


def fluents(variables: bool = True) -> st.SearchStrategy[str]:
    """A fluent."""
    return st.sampled_from(list(FLUENTS)).flatmap(
        lambda name: arguments(FLUENTS[name], variables).map(lambda args: atom(name, args))
    )


@st.composite
def games(draw: st.DrawFn) -> str:
    """The text of a game with one to three roles, chance maybe among them."""
    roles = draw(st.sampled_from([["p"], ["p", "q"], ["p", "random"], ["random", "p", "q"]]))
    lines = [f"(role {role})" for role in roles]
    lines += [f"(item {constant})" for constant in CONSTANTS]
    edges = st.lists(arguments("cc", variables=False), min_size=1, max_size=4, unique=True)
    lines += [atom("edge", pair) for pair in draw(edges)]
    lines += ["(<= (path ?x ?y) (edge ?x ?y))", "(<= (path ?x ?z) (edge ?x ?y) (path ?y ?z))"]
    started = st.lists(fluents(variables=False), min_size=1, max_size=4, unique=True)
    lines += [f"(init {fluent})" for fluent in draw(started)]
    lines += draw(derived_rules(roles))
    lines += draw(play_rules(roles))
    return "\n".join(dict.fromkeys(lines))


@st.composite
def derived_rules(draw: st.DrawFn, roles: list[str]) -> list[str]:
    """Rules for the relations of the state, and for those of the joint move."""
    lines = []
    for name in (*DERIVED, *CAUSED):
        together = sorted({name, TOGETHER.get(name, name)}, key=LAYERS.index)
        base = Context(LAYERS.index(together[0]), state=True, joint=name in CAUSED)
        heads = arguments(ARGUMENTS[name]).map(partial(atom, name))
        # The first rule needs no relation of its own layer, so that this one can hold at all.
        lines.append(draw(rules(heads, base, roles)))
        own = replace(base, recursive=tuple(together))
        lines += draw(st.lists(rules(heads, own, roles), max_size=2))
    return lines


@st.composite
def play_rules(draw: st.DrawFn, roles: list[str]) -> list[str]:
    """Legality, successors, the end, goals, and maybe percepts."""
    here = Context(len(STATIC) + len(DERIVED), state=True, joint=False)
    step = Context(len(LAYERS), state=True, joint=True)
    lines = []
    for role in roles:
        lines.append(
            draw(
                st.sampled_from([f"(legal {role} stay)", f"(<= (legal {role} (go ?x)) (item ?x))"])
            )
        )
        heads = moves().map(f"(legal {role} {{}})".format)
        lines += draw(st.lists(rules(heads, here, roles), min_size=1, max_size=2))
    mover = draw(st.sampled_from(roles))
    lines.append(f"(<= (legal {mover} (go ?x)) (item ?x))")
    lines.append(f"(<= (next (at ?x)) (does {mover} (go ?x)))")
    if draw(CHANCE):
        lines.append(f"(<= (next ?f) (true ?f) (does {mover} stay))")
    if draw(CHANCE):
        lines += [line.replace("MOVER", mover) for line in LINKS]
    heads = fluents().map(lambda fluent: f"(next {fluent})")
    lines += draw(st.lists(rules(heads, step, roles), min_size=2, max_size=5))
    lines += CLOCK
    for body in draw(st.lists(bodies(here, roles), max_size=1)):
        lines.append(rule("terminal", [*body, "(not (true (clock 0)))"]))
    for value in draw(st.lists(st.sampled_from(["0", "50", "100"]), min_size=1, max_size=3)):
        role = draw(st.sampled_from(roles))
        lines.append(draw(rules(st.just(f"(goal {role} {value})"), here, roles)))
    heads = st.tuples(st.sampled_from(roles), built_terms()).map(lambda s: f"(sees {s[0]} {s[1]})")
    return lines + draw(st.lists(rules(heads, step, roles), max_size=2))
