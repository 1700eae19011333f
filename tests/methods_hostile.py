"""Methods files that are broken or mean harm, each with the code that must be reported for it."""

from __future__ import annotations

from collections.abc import Callable

HEAD = "(network hunt)\n(method start (task nil) (when (turn ?a)) (do wait))\n"


def _added(text: str) -> Callable[[], str]:
    return lambda: HEAD + text


CASES: dict[str, tuple[str, Callable[[], str]]] = {
    "empty_file": ("PLN002", lambda: ""),
    "only_comments": ("PLN002", lambda: "; nothing\n"),
    "prose": ("PLN001", lambda: "Dear reader, this is no network (sorry)."),
    "a_game_instead": ("PLN001", lambda: "(role white)\n(legal white wait)\n"),
    "network_without_name": ("PLN002", lambda: "(network)\n(method a (task nil) (do b))"),
    "network_named_by_a_group": ("PLN007", lambda: "(network (x))\n(method a (task nil) (do b))"),
    "network_twice": ("PLN002", _added("(network again)")),
    "network_with_a_stray_part": ("PLN007", lambda: HEAD.replace("hunt", "hunt (nte x)")),
    "others_that_are_not_drawn": ("PLN007", lambda: HEAD.replace("hunt", "hunt (others lost)")),
    "fact_with_a_variable": ("PLN017", _added("(facts (next ?x 2))")),
    "fact_in_a_word": ("PLN017", _added("(facts calm)")),
    "empty_fact": ("PLN007", _added("(facts ())")),
    "never_closed": ("GDL002", _added("(method b (task nil) (do c)")),
    "stray_close": ("GDL001", _added(") (method b (task nil) (do c))")),
    "unclosed_quote": ("GDL010", _added("(method b (title |B) (task nil) (do c))")),
    "a_hundred_thousand_open": ("GDL003", _added("(" * 100_000)),
    "a_million_words": ("GDL013", lambda: "(method" + " a" * 1_000_000 + ")"),
    "a_million_methods": ("GDL013", lambda: "(m)" * 1_000_000),
    "nine_megabytes": ("GDL012", lambda: " " * (9 << 20)),
    "method_without_name": ("PLN005", _added("(method (task nil) (do c))")),
    "method_alone": ("PLN005", _added("(method)")),
    "variable_as_name": ("PLN007", _added("(method ?m (task nil) (do c))")),
    "word_as_part": ("PLN007", _added("(method b task nil (do c))")),
    "empty_part": ("PLN007", _added("(method b () (task nil) (do c))")),
    "two_tasks": ("PLN007", _added("(method b (task nil nil) (do c))")),
    "task_in_a_word": ("PLN007", _added("(method b (task lead) (do c))")),
    "task_without_agent": ("PLN008", _added("(method b (task (lead)) (do c))")),
    "two_moves": ("PLN007", _added("(method b (task nil) (do c d))")),
    "no_move": ("PLN007", _added("(method b (task nil) (do))")),
    "both_ways": ("PLN006", _added("(method b (task nil) (do c) (expand))")),
    "empty_condition": ("PLN007", _added("(method b (task nil) (when ()) (do c))")),
    "variable_as_condition": ("PLN007", _added("(method b (task nil) (when ?x) (do c))")),
    "variable_as_relation": ("PLN007", _added("(method b (task nil) (when (?x a)) (do c))")),
    "not_not": ("PLN007", _added("(method b (task nil) (when (not (not (p a)))) (do c))")),
    "distinct_of_three": ("PLN007", _added("(method b (task nil) (when (distinct a b c)) (do d))")),
    "quoted_variable": ("PLN007", _added("(method b (task nil) (when (p |?x|)) (do c))")),
    "nameless_variable": ("PLN007", _added("(method b (task nil) (when (p ?)) (do c))")),
    "group_in_a_note": ("PLN007", _added("(method b (task nil) (note see (3)) (do c))")),
    "unbound_in_not": ("PLN009", _added("(method b (task nil) (when (not (p ?x))) (do c))")),
    "unbound_in_distinct": (
        "PLN009",
        _added("(method b (task nil) (when (distinct ?x a)) (do c))"),
    ),
    "bound_too_late": (
        "PLN009",
        _added("(method b (task nil) (when (not (p ?x)) (q ?x)) (do c))"),
    ),
    "unbound_in_expand": ("PLN009", _added("(method b (task nil) (expand (lead ?x)))")),
    "thousands_of_names_again": (
        "PLN012",
        _added("(method b (task nil) (do c))\n" * 5_000),
    ),
    "a_cycle_of_thousands": (
        "PLN014",
        _added(
            "".join(
                f"(method m{n} (task (t{n} ?a)) (expand (t{(n + 1) % 2_000} ?a)))\n"
                for n in range(2_000)
            )
        ),
    ),
    "a_chain_of_thousands_from_its_end": (
        "PLN011",
        _added(
            "".join(
                f"(method m{n} (task (t{n} ?a)) (expand (t{n + 1} ?a)))\n" for n in range(2_000)
            )
            + "(method last (task (t2000 ?a)) (do wait))"
        ),
    ),
    "thousands_of_unknown_tasks": (
        "PLN010",
        _added(
            "".join(
                f"(method m{n} (task nil) (when (turn ?a)) (expand (u{n} ?a)))\n"
                for n in range(5_000)
            )
        ),
    ),
}
