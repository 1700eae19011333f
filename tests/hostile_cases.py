"""Rules that mean harm, or do it by accident: each must end with its code, soon and in bounds.

One table for the tests of the language and of the command line. `stage` says where the fault shows:
`language` cases are refused (or warned of) before anything is grounded; `ground` cases are
well-formed as far as anybody can tell, and pass a limit of grounding or reasoning.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from code_examples import FRAME

SECONDS = 60.0  #: A guard against hanging: a slow machine must not pass it
MEMORY_BYTES = 1 << 30

GAME = FRAME
DIGITS = "".join(f"(d {digit})\n" for digit in range(10))
GROUNDING = ("GRD001", "GRD002", "GRD003", "GRD004")


@dataclass(frozen=True)
class HostileCase:
    """A text, and the codes of which at least one must be reported for it."""

    name: str
    text: Callable[[], bytes]
    codes: tuple[str, ...]
    is_refused: bool = True
    """Whether an error is due; otherwise a warning is enough, and the game can be played."""
    stage: Literal["language", "ground"] = "language"


def whole(name: str, text: str, code: str, *, is_refused: bool = True) -> HostileCase:
    """A case given by all of its text."""
    return HostileCase(name, text.encode, (code,), is_refused)


def added(name: str, rules: str, code: str, *, is_refused: bool = True) -> HostileCase:
    """A case given by rules that spoil a sound game."""
    return whole(name, GAME + rules + "\n", code, is_refused=is_refused)


def made(
    name: str, text: Callable[[], bytes], code: str, *, is_refused: bool = True
) -> HostileCase:
    """A case that is better made than written."""
    return HostileCase(name, text, (code,), is_refused)


def grounded(name: str, rules: str) -> HostileCase:
    """A case that only grounding can refuse. Which limit it meets first is not said."""
    return HostileCase(name, (GAME + rules + "\n").encode, GROUNDING, stage="ground")


def game_with(rules: Callable[[], str]) -> Callable[[], bytes]:
    """A sound game and rules that are made only when the case is run."""

    def text() -> bytes:
        return (GAME + rules()).encode()

    return text


def joined(count: int, condition: str) -> str:
    """The condition over and over, its # replaced by a number."""
    return " ".join(condition.replace("#", str(number)) for number in range(count))


TEXT_CASES = [
    whole("empty_file", "", "GDL018"),
    whole("only_blanks", " \n\t\r\n ", "GDL018"),
    whole("only_comments", "; nothing\n; to see\n", "GDL018"),
    whole("only_infix_comments", "% nothing\n/* to see */\n", "GDL018"),
    made("only_a_byte_order_mark", lambda: b"\xef\xbb\xbf", "GDL018"),
    made("binary_garbage", lambda: bytes(range(256)) * 20, "GDL011"),
    made("nul_characters", lambda: GAME.encode() + b"\0" * 100, "GDL011"),
    made("utf_16", lambda: GAME.encode("utf-16"), "GDL011"),
    made("compressed", lambda: gzip.compress(GAME.encode()), "GDL011"),
    made("fifty_megabytes", lambda: b"(p a)\n" * (50 << 20 >> 2), "GDL012"),
    made("fifty_megabytes_of_nothing", lambda: b" " * (50 << 20), "GDL012"),
    made("a_million_facts", lambda: b"(p 1)\n" * 1_000_000, "GDL013"),
    made("a_million_infix_facts", lambda: b"p(1).\n" * 1_000_000, "GDL013"),
    made("a_million_words", lambda: b"(p" + b" a" * 1_000_000 + b")", "GDL013"),
    whole("prose", "Dear reader, this is no game at all (sorry).", "GDL020"),
    whole("another_language", "def main():\n    print('hello')\n", "GDL020"),
    whole("json", '{"role": ["white"], "legal": []}', "GDL020"),
]

PARENTHESES_CASES = [
    added("unclosed_rule", "(<= (legal white go) (true (step 1))", "GDL002"),
    added("stray_close_inside", ")(legal white go)", "GDL001"),
    added("stray_close_at_the_end", ")", "GDL001", is_refused=False),
    added("rule_inside_a_rule", "(<= (p ?x) (role ?x) (<= (q ?x) (role ?x)))", "GDL005"),
    made("a_hundred_thousand_open", lambda: b"(" * 100_000, "GDL003"),
    made("a_hundred_thousand_nested", lambda: b"(f " * 100_000 + b"a" + b")" * 100_000, "GDL003"),
    made("a_hundred_thousand_nots", lambda: b"p(a) :- " + b"not " * 100_000 + b"q.", "GDL003"),
    made("a_hundred_thousand_infix", lambda: b"p(" * 100_000 + b"a" + b")" * 100_000, "GDL003"),
    made("a_hundred_thousand_closed", lambda: GAME.encode() + b")" * 100_000 + b"(p)", "GDL001"),
    added("empty_parentheses", "(<= (p a) ())", "GDL004"),
    added("zero_arguments", "(<= (legal white go) (open))\n(open)", "GDL019", is_refused=False),
    added("unclosed_quote", "(legal white |go)", "GDL010"),
    whole("unclosed_infix_quote", "role(white).\nrole('black).\n", "GDL010"),
    made("many_quotes", lambda: b"p('" + b"\\'" * 1_000_000 + b").", "GDL013"),
    whole(
        "unclosed_infix_parenthesis", "role(white).\nlegal(white, go :- role(white).\n", "GDL009"
    ),
    whole("two_arrows", "role(white) :- a :- b.\n", "GDL009"),
    whole("conjunction_as_head", "role(white), role(black).\n", "GDL009"),
    whole("missing_comma", "role(white).\np(X) :- role(X) role(X).\n", "GDL009"),
    whole("unclosed_block_comment", "role(white). /* and so on", "GDL009"),
]

SHAPE_CASES = [
    added("variable_as_relation", "(<= (legal white ?x) ?x)", "GDL007"),
    added("variable_as_predicate", "(<= (legal white go) (?p white))", "GDL007"),
    added("term_as_predicate", "(((p)))", "GDL007"),
    added("negated_head", "(not (role black))", "GDL005"),
    added("disjunction_as_head", "(<= (or (p a) (p b)) (role white))", "GDL005"),
    added("rule_without_head", "(<=)", "GDL005"),
    added("not_with_two_operands", "(<= (legal white go) (not (d 1) (d 2)))", "GDL006"),
    added("distinct_with_one", "(<= (legal ?x go) (role ?x) (distinct ?x))", "GDL006"),
    added("empty_or", "(<= (legal white go) (or))", "GDL006", is_refused=False),
    added("and_in_prefix", "(<= (legal white go) (and (role white)))", "GDL029", is_refused=False),
    added("wrong_arity_of_legal", "(legal white)", "GDL024"),
    added("wrong_arity_of_role", "(role white black)", "GDL024"),
    added("terminal_with_argument", "(terminal now)", "GDL024"),
    added(
        "exponential_or",
        f"(<= (legal white go) {joined(40, '(or (d #) (role white))')})",
        "GDL008",
    ),
    added(
        "exponential_or_inside",
        f"(<= (legal white go) (not (or {joined(40, '(and (d #) (role white))')})))",
        "GDL008",
    ),
    added(
        "alternating_and_or",
        "(<= (legal white go) "
        + "(and (or (role white) (d 1)) (or (d 2) " * 60
        + "(d 3)"
        + "))" * 60
        + ")",
        "GDL008",
    ),
    added(
        "exponential_equations",
        f"(<= (legal white ?x0) (role ?x60) {joined(60, '(not (distinct ?x# (f ?y# ?y#)))')} "
        + " ".join(f"(not (distinct ?y{n} ?x{n + 1}))" for n in range(60))
        + ")",
        "GDL048",
    ),
    made(
        "thousands_of_alternatives_each",
        game_with(lambda: ("(<= (legal white go) " + joined(12, "(or (d #) (d 0))") + ")\n") * 100),
        "GDL008",
    ),
]

MEANING_CASES = [
    whole("no_role", "(legal white wait)\nterminal\n(goal white 100)\n", "GDL020"),
    whole("no_legal", "(role white)\nterminal\n(goal white 100)\n", "GDL021"),
    whole("no_terminal", "(role white)\n(legal white wait)\n(goal white 100)\n", "GDL022"),
    whole("no_goal", "(role white)\n(legal white go)\nterminal\n", "GDL023", is_refused=False),
    added("unsafe_head", "(<= (next (list (cons ?x ?y))) (true (list ?x)))", "GDL014"),
    added("unsafe_fact", "(<= (next (has ?x)) (any ?x))\n(any ?x)", "GDL014"),
    added("unsafe_distinct", "(<= (legal white go) (distinct ?x ?y))", "GDL016"),
    added(
        "unsafe_in_one_alternative",
        "(<= (legal white (go ?x)) (or (d ?x) (distinct ?x ?y)))\n" + DIGITS,
        "GDL016",
    ),
    added("unsafe_not", "(<= (legal white go) (not (d ?x)))\n(d 1)", "GDL017", is_refused=False),
    added("denies_itself", "(<= (legal white go) p)\n(<= p (not p))", "GDL030"),
    added(
        "cyclic_negation_through_three",
        "(<= (legal white go) p)\n(<= p (not q))\n(<= q r)\n(<= r p)",
        "GDL030",
    ),
    added(
        "cyclic_negation_with_arguments",
        "(<= (legal white (go ?x)) (win ?x))\n(<= (win ?x) (edge ?x ?y) (not (win ?y)))\n"
        "(edge a b)\n(edge b a)",
        "GDL030",
    ),
    added("goal_of_101", "(<= (goal white 101) (true (step 9)))", "GDL046", is_refused=False),
    added("goal_of_minus_one", "(<= (goal white -1) (true (step 9)))", "GDL046", is_refused=False),
    added("goal_that_is_no_number", "(<= (goal white win) (true (step 2)))", "GDL047"),
    added("goal_with_many_digits", f"(goal white {'9' * 100_000})", "GDL047"),
    added("true_in_head", "(<= (true (step 2)) (role white))", "GDL041"),
    added("does_in_head", "(<= (does white wait) (true (step 1)))", "GDL041"),
    added("does_in_legal", "(<= (legal white go) (does white wait))", "GDL044", is_refused=False),
    added("does_in_terminal", "(<= terminal (does white wait))", "GDL044", is_refused=False),
    added("true_in_init", "(<= (init (step 2)) (true (step 1)))", "GDL043", is_refused=False),
    added("init_in_body", "(<= (legal white go) (init (step 1)))", "GDL042", is_refused=False),
    added("keyword_as_constant", "(legal white does)", "GDL027", is_refused=False),
    added("unknown_role", "(legal blakc go)", "GDL045", is_refused=False),
    added("sees_by_nobody", "(<= (sees nobody x) (does white wait))", "GDL056", is_refused=False),
    added("undefined_relation", "(<= (legal white go) (opne 1))", "GDL050", is_refused=False),
    added("forgotten_true", "(<= (legal white go) (step 1))", "GDL052", is_refused=False),
    added("role_as_a_term", "(role (player 1))", "GDL040"),
    added(
        "stochastic_extension",
        "(outcome white wait (set (does white wait) (does white go)) (set 0.5 0.5))",
        "GDL060",
    ),
    made(
        "thousands_of_rules_in_a_cycle",
        game_with(
            lambda: (
                "(<= (legal white go) (not (c 0)))\n"
                + "".join(f"(<= (c {n}) (not (c {(n + 1) % 3_000})))\n" for n in range(3_000))
            )
        ),
        "GDL030",
    ),
    made(
        "a_long_chain_of_relations",
        game_with(
            lambda: (
                "(<= (legal white go) (not c0))\n"
                + "".join(f"(<= c{n} c{n + 1})\n" for n in range(5_000))
                + "(<= c5000 (not c0))\n"
            )
        ),
        "GDL030",
    ),
    made(
        "thousands_of_undefined_relations",
        game_with(
            lambda: "".join(f"(<= (legal white go) (undefined{n} 1))\n" for n in range(5_000))
        ),
        "GDL050",
        is_refused=False,
    ),
]

GROUND_CASES = [
    grounded("infinite_terms", "(n zero)\n(<= (n (s ?x)) (n ?x))\n(<= (legal white ?x) (n ?x))"),
    grounded("infinite_fluents", "(init (c z))\n(<= (next (c (s ?x))) (true (c ?x)))"),
    grounded(
        "infinite_lists",
        f"{DIGITS}(l nil)\n(<= (l (cons ?x ?y)) (d ?x) (l ?y))\n(<= (legal white (say ?x)) (l ?x))",
    ),
    grounded(
        "exponential_join",
        f"{DIGITS}(<= (legal white go) {joined(12, '(d ?x#)')} "
        + " ".join(f"(distinct ?x{n} ?x{n + 1})" for n in range(11))
        + ")",
    ),
    grounded(
        "exponential_moves",
        f"{DIGITS}(<= (legal white (go {joined(12, '?x#')})) {joined(12, '(d ?x#)')})\n",
    ),
    grounded(
        "binary_counter_of_facts",
        f"(b 0)\n(b 1)\n(<= (p {joined(40, '?x#')}) {joined(40, '(b ?x#)')})\n"
        f"(<= (next (v {joined(40, '?x#')})) (p {joined(40, '?x#')}))",
    ),
]

CASES = TEXT_CASES + PARENTHESES_CASES + SHAPE_CASES + MEANING_CASES + GROUND_CASES
