"""Games in POGDDL that are broken or mean harm, each with the code that must be reported for it.

A code in front of a text says what `fogspiel check --play` finds at least; None stands for games
that look odd and are sound: nothing may be held against them, and they play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

GAME = """\
(define (domain d)
  (:types role thing)
  (:constants ann chance - role a b - thing)
  (:predicates (whoseturn ?r - role) (p ?x - thing))
  (:functions (n))
  (:action go
    :parameters (?x - thing)
    :precondition (and (whoseturn ann) (not (p ?x)))
    :effect (and (p ?x) (not (whoseturn ann)) (whoseturn chance) (observe (ann (went ?x)))))
  (:action roll
    :parameters ()
    :precondition (whoseturn chance)
    :effect (and (not (whoseturn chance)) (increase (n) 2) (observe (all (rolled)))))
  (:gain ann (n) (p a))
  ; more
)
(define (problem q)
  (:domain d)
  (:init (whoseturn ann) (= (n) 1) ; facts
  ))
"""


@dataclass(frozen=True)
class Hostile:
    """A text, and the code that must be reported for it."""

    name: str
    code: str | None
    text: Callable[[], str]
    apart: bool = False
    """Whether to run it in a process of its own: a crash or a hang would take others with it."""


def whole(name: str, code: str | None, text: str) -> Hostile:
    """A case given by all of its text."""
    return Hostile(name, code, lambda: text)


def more(name: str, code: str | None, sections: str) -> Hostile:
    """A case given by sections that are added to the domain of a sound game."""
    return whole(name, code, GAME.replace("; more", sections))


def facts(name: str, code: str | None, stated: str) -> Hostile:
    """A case given by what more is stated at the start."""
    return whole(name, code, GAME.replace("; facts", stated))


def changed(name: str, code: str | None, *replacements: tuple[str, str]) -> Hostile:
    """A case given by what is written in place of parts of the sound game."""
    text = GAME
    for old, new in replacements:
        assert old in text, (name, old)
        text = text.replace(old, new)
    return whole(name, code, text)


def large(name: str, code: str | None, text: Callable[[], str]) -> Hostile:
    """A case that is made only when it is run, and in a process of its own."""
    return Hostile(name, code, text, apart=True)


def named(prefix: str, count: int) -> str:
    """Many names."""
    return " ".join(f"{prefix}{number}" for number in range(count))


def with_sections(
    sections: Callable[[], str], stated: Callable[[], str] = str
) -> Callable[[], str]:
    """The text of a game with more sections and facts."""
    return lambda: GAME.replace("; more", sections()).replace("; facts", stated())


def action(name: str, *, when: str = "", effect: str = "", parameters: str = "") -> str:
    """One more action of ann."""
    return (
        f"(:action {name} :parameters ({parameters}) :precondition (and (whoseturn ann) {when}) "
        f":effect (and {effect}))"
    )


def chain(count: int, relation: str = "next-to") -> str:
    """Facts that link the objects o0, o1, …"""
    return " ".join(f"({relation} o{n} o{n + 1})" for n in range(count - 1))


HIDDEN_COIN = """\
(define (domain coin)
  (:types role side)
  (:constants ann chance - role heads tails - side)
  (:predicates (whoseturn ?r - role) (lies ?s - side))
  (:action toss :parameters (?s - side) :precondition (whoseturn chance)
    :effect (and (not (whoseturn chance)) (whoseturn ann) (lies ?s)))
  (:action take :parameters (?s - side) :precondition (and (whoseturn ann) (lies ?s))
    :effect (not (whoseturn ann)))
  (:gain ann 1 ()))
(define (problem q) (:domain coin) (:init (whoseturn chance)))
"""
GHOSTS = GAME.replace("role thing)", "role thing ghost)").replace(
    "; more",
    "(:predicates (seen ?g - ghost))"
    + " (:action flee :parameters (?g - ghost) :precondition (and (whoseturn ann) (seen ?g)))",
)

TEXT = [
    whole("nothing_but_a_name", "POG001", "(define (domain))"),
    changed("left_open", "GDL002", ("(:gain ann (n) (p a))", "(:gain ann (n) (p a)")),
    changed("closed_too_often", "GDL001", ("(= (n) 1)", "(= (n) 1)))))")),
    whole("nul_bytes", "GDL011", GAME.replace("(p a)", "(p \0a)")),
    large("deep_conditions", "GDL003", with_sections(
        lambda: "(:terminal " + "(not " * 100_000 + "(p a)" + ")" * 100_000 + ")")),
    large("deep_and_never_closed", "GDL003", lambda: GAME + "(" * 300_000),
    large("a_long_name", None, lambda: GAME.replace("roll", "r" * 100_000)),
    changed("other_letters", None, ("roll", "würfeln-🎲"), ("ann", "anné")),
    changed("quotes_and_percents", None, ("roll", "%n'\"`$"), ("- thing", "- th'ing"),
            ("role thing", "role th'ing")),
    changed("numbers_in_names", None, ("(p ", "(1p "), ("go", "0")),
    whole("two_domains", "POG008", GAME + GAME),
    changed("another_domain", "POG045", ("(:domain d)", "(:domain e)")),
    whole("no_problem", "POG009", GAME.partition("(define (problem")[0]),
]  # fmt: skip

NUMBERS = [
    changed("one_by_nothing", "POG006", ("(= (n) 1)", "(= (n) 1/0)")),
    changed("an_exponent", "POG006", ("(= (n) 1)", "(= (n) 1e999)")),
    changed("two_points", "POG006", ("(increase (n) 2)", "(increase (n) 0.1.2)")),
    changed("a_huge_number", "POG006", ("(= (n) 1)", f"(= (n) {'9' * 100_000})")),
    changed("a_huge_payoff", "MCH011", ("(:gain ann (n)", f"(:gain ann {'9' * 20}")),
    more("division_by_nothing", "MCH013", "(:gain ann (/ 1 0) ())"),
    changed("a_divisor_becomes_nothing", "MCH013",
            ("(increase (n) 2)", "(decrease (n) 1)"), ("(n) (p a)", "(/ 6 (n)) (p a)")),
    more("doubled_without_end", "MCH008",
         action("double", effect="(scale-up (n) 2)")),
    more("squared_without_end", "MCH011",
         action("square", effect="(assign (n) (* (n) (+ (n) 1)))")),
    more("halved_without_end", "GRD006", action("halve", effect="(scale-down (n) 3)")),
    more("two_values_at_once", "MCH009", action("set", effect="(assign (n) 1) (assign (n) 2)")),
    facts("two_values_at_the_start", "POG026", "(= (n) 2)"),
    changed("a_constant_that_changes_not", "POG023", ("(:functions (n))", "(:functions (k))")),
    more("an_effect_on_a_number", "POG023", action("set", effect="(assign 3 4)")),
]  # fmt: skip

NAMES = [
    changed("words_of_conditions_as_actions", None, ("go", "and"), ("roll", "not")),
    changed("an_action_called_noop", None, ("roll", "noop"), ("go", "noop-1")),
    changed("predicates_called_as_in_gdl", None, ("(p ", "(next ")),
    *(
        changed(f"a_predicate_called_{word}", None, ("(p ", f"({word} "))
        for word in ("true", "legal", "init", "role", "does", "goal", "sees", "distinct")
    ),
    changed("a_predicate_called_like_a_type", None, ("(p ", "(thing ")),
    changed("an_object_called_placeholder", "POG030", (" a b ", " _ b "), ("(p a)", "(p _)")),
    changed("a_role_called_all", "POG051", ("ann", "all")),
    changed("a_thing_called_all", None, (" a b ", " all b "), ("(p a)", "(p all)")),
    changed("a_predicate_called_observe", "POG003", ("(p ", "(observe ")),
    changed("a_type_called_object", None, ("thing", "object")),
    changed("variables_called_alike", "POG026", ("(?x - thing)", "(?x ?x - thing)")),
]  # fmt: skip

MOVERS = [
    changed("no_roles", "POG041", ("ann chance - role", "nobody - thing")),
    changed("no_chance", "POG024", ("ann chance - role", "ann - role")),
    changed("whoseturn_of_nothing", "POG041",
            ("(whoseturn ?r - role)", "(whoseturn)"), ("(whoseturn ann)", "(whoseturn)"),
            ("(whoseturn chance)", "(whoseturn)")),
    changed("whoseturn_of_two", "POG041",
            ("(whoseturn ?r - role)", "(whoseturn ?r ?s - role)"),
            ("(whoseturn ann)", "(whoseturn ann ann)"),
            ("(whoseturn chance)", "(whoseturn chance ann)")),
    more("whoseturn_derived", "POG032", "(:derived (whoseturn ?r - role) (p a))"),
    whole("whoseturn_only_derived", "POG044",
          "(define (domain d) (:types role) (:constants ann - role)"
          " (:predicates (whoseturn ?r - role)) (:derived (whoseturn ?r - role) ())"
          " (:action go :parameters () :precondition (whoseturn ann)) (:gain ann 1 ()))"
          "(define (problem q) (:domain d))"),
    facts("two_movers_at_the_start", "POG044", "(whoseturn chance)"),
    changed("nobody_moves_at_the_start", "POG044", ("(:init (whoseturn ann)", "(:init")),
    changed("two_movers_in_play", "DYN008", ("(not (whoseturn ann)) (whoseturn chance)",
                                             "(whoseturn chance)")),
    changed("an_end_that_nobody_asked_for", "DYN009", ("; more", "(:terminal (p b))")),
    changed("no_action_at_the_start", "DYN011", ("(not (p ?x))", "(p ?x)")),
    more("over_at_the_start", "DYN011", "(:terminal ())"),
    changed("never_over", "DYN001", ("(and (not (whoseturn chance))",
            "(and (not (whoseturn chance)) (whoseturn ann) (not (p a)) (not (p b))"),
            ("(increase (n) 2)", "")),
    whole("legal_moves_that_nobody_knows", "DYN005", HIDDEN_COIN),
]  # fmt: skip

MEANING = [
    more("a_derived_predicate_denies_itself", "POG033",
         "(:predicates (q ?x - thing)) (:derived (q ?x - thing) (not (q ?x)))"),
    more("a_negative_circle_of_two", "POG033",
         "(:predicates (q) (r)) (:derived (q) (not (r))) (:derived (r) (q))"),
    more("an_effect_on_a_derived_predicate", "POG032",
         "(:predicates (q)) (:derived (q) (p a))" + action("set", effect="(q)")),
    changed("an_observation_for_no_role", "POG042", ("(ann (went ?x))", "(?x (went ?x))")),
    more("a_gain_for_no_role", "POG043", "(:gain a 1 ())"),
    more("a_gain_with_a_free_variable", "POG025", "(:gain ann 1 (p ?y))"),
    more("a_choice_of_an_unknown_action", "POG029", "(:choose :select (1 (rol)))"),
    more("a_choice_of_a_players_action", None, "(:choose :select (1 (go a) 1 (roll)))"),
    more("a_negative_weight", "POG046", "(:choose :select (-1 (roll)))"),
    more("no_weight_at_all", "POG046", "(:choose :select (0 (roll)))"),
    more("a_weight_that_becomes_negative", "MCH012", "(:choose :select ((- 0 (n)) (roll)))"),
    more("weights_that_become_nothing", "DYN011", "(:choose :select ((- 1 (n)) (roll)))"),
    whole("an_empty_type", "DYN011", GHOSTS),
    more("types_in_a_circle", "POG021", "(:types x - y y - x)"),
    more("one_of_unknown_types", "POG020", "(:predicates (q ?x - (either thing ghost)))"),
    facts("a_fact_of_the_wrong_type", "POG028", "(p ann)"),
    more("a_requirement_nobody_knows", "POG010", "(:requirements :magic)"),
    more("a_planners_action", "POG011", "(:durative-action wait :parameters ())"),
]  # fmt: skip

SIZES = [
    large("ten_parameters_over_fifty_objects", "GRD", with_sections(
        lambda: f"(:types many) (:constants {named('o', 50)} - many)"
        + action("boom", parameters=f"{named('?v', 10)} - many", effect="(p a)"))),
    large("ten_variables_over_fifty_objects", "GRD", with_sections(
        lambda: f"(:types many) (:constants {named('o', 50)} - many)"
        f"(:predicates (q {named('?v', 10)} - many))"
        + action("boom", when=f"(exists ({named('?v', 10)} - many) (q {named('?v', 10)}))")
        + action("fill", parameters=f"{named('?v', 10)} - many", effect=f"(q {named('?v', 10)})"))),
    large("reachable_along_five_hundred", None, with_sections(
        lambda: f"(:types many) (:constants {named('o', 500)} - many)"
        "(:predicates (next-to ?x ?y - many) (far ?x ?y - many))"
        "(:derived (far ?x ?y - many) (or (next-to ?x ?y)"
        " (exists (?z - many) (and (next-to ?x ?z) (far ?z ?y)))))"
        "(:gain ann 1 (far o0 o499))",
        lambda: chain(500))),
    large("reachable_along_changing_ways", "GRD", with_sections(
        lambda: f"(:types many) (:constants {named('o', 200)} - many)"
        "(:predicates (next-to ?x ?y - many) (far ?x ?y - many))"
        "(:derived (far ?x ?y - many) (or (next-to ?x ?y)"
        " (exists (?z - many) (and (far ?x ?z) (far ?z ?y)))))"
        "(:gain ann 1 (far o0 o199))"
        + action("dig", parameters="?x - many", when="(not (next-to o0 ?x))",
                 effect="(next-to o0 ?x)"),
        lambda: chain(200))),
    large("two_thousand_types", "POG014", with_sections(
        lambda: f"(:types {named('t', 2_001)})")),
    large("a_hundred_thousand_facts", "GDL013", with_sections(
        lambda: f"(:types many) (:constants {named('o', 400)} - many)"
        "(:predicates (q ?x ?y - many)) (:gain ann 1 (q o0 o1))",
        lambda: " ".join(f"(q o{n % 400} o{n // 400})" for n in range(100_000)))),
    large("ten_thousand_facts", None, with_sections(
        lambda: f"(:types many) (:constants {named('o', 400)} - many)"
        "(:predicates (q ?x ?y - many)) (:gain ann 1 (q o0 o1))",
        lambda: " ".join(f"(q o{n % 400} o{n // 400})" for n in range(10_000)))),
    large("half_a_million_words", "GDL013", with_sections(
        lambda: "(:types " + "t " * 500_000 + ")")),
    large("twenty_alternatives_of_each", None, with_sections(
        lambda: "(:terminal (and " + "(or (p a) (p b)) " * 20 + "))")),
    large("nested_quantifiers", None, with_sections(
        lambda: "(:terminal " + "(forall (?x - thing) (exists (?y - thing) (or (p ?x) " * 25
        + "(p ?y)" + ")))" * 25 + ")")),
]  # fmt: skip

CASES: tuple[Hostile, ...] = (*TEXT, *NUMBERS, *NAMES, *MOVERS, *MEANING, *SIZES)


def cases(*, apart: bool) -> Iterable[Hostile]:
    """The cases to be run in a process of their own, or the others."""
    return [case for case in CASES if case.apart is apart]
