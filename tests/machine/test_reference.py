"""The reference machine on small games whose answers are known.

Length: one machine, and the same few helpers for all of its cases.
"""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest

from fogspiel.core.findings import LimitError, PlayError, RulesError
from fogspiel.core.limits import ReadLimits
from fogspiel.core.source import Source
from fogspiel.core.terms import MoveId, RoleId, format_term
from fogspiel.machine.protocol import Machine
from fogspiel.machine.prover.machine import ReferenceMachine
from fogspiel.rules.clauses import Clause, Literal, Pattern, Program, TermComparison, Var
from fogspiel.rules.gdl.normalise.normalise import normalise
from fogspiel.rules.gdl.prefix import read_prefix

X, Y, Z = Var("x"), Var("y"), Var("z")
FIRST, SECOND = RoleId(0), RoleId(1)

TIC_TAC_TOE = """
(role x) (role o)
(index 1) (index 2) (index 3)
(<= (init (cell ?m ?n b)) (index ?m) (index ?n))
(init (control x))
(<= (legal ?w (mark ?m ?n)) (true (cell ?m ?n b)) (true (control ?w)))
(<= (legal x noop) (true (control o)))
(<= (legal o noop) (true (control x)))
(<= (next (cell ?m ?n ?w)) (does ?w (mark ?m ?n)))
(<= (next (cell ?m ?n ?w)) (true (cell ?m ?n ?w)) (distinct ?w b))
(<= (next (cell ?m ?n b)) (does ?w (mark ?j ?k)) (true (cell ?m ?n b))
    (or (distinct ?m ?j) (distinct ?n ?k)))
(<= (next (control x)) (true (control o)))
(<= (next (control o)) (true (control x)))
(<= (line ?w) (true (cell ?m 1 ?w)) (true (cell ?m 2 ?w)) (true (cell ?m 3 ?w)))
(<= (line ?w) (true (cell 1 ?n ?w)) (true (cell 2 ?n ?w)) (true (cell 3 ?n ?w)))
(<= (line ?w) (true (cell 1 1 ?w)) (true (cell 2 2 ?w)) (true (cell 3 3 ?w)))
(<= (line ?w) (true (cell 1 3 ?w)) (true (cell 2 2 ?w)) (true (cell 3 1 ?w)))
(<= open (true (cell ?m ?n b)))
(<= won (role ?w) (line ?w))
(<= terminal won)
(<= terminal (not open))
(<= (goal ?w 100) (role ?w) (line ?w))
(<= (goal ?w 50) (role ?w) (not won))
(<= (goal ?w 0) (role ?w) (role ?v) (distinct ?v ?w) (line ?v))
"""


def program_of(text: str) -> Program:
    description, findings = read_prefix(Source("test.gdl", text), ReadLimits())
    assert not findings
    return normalise(description)


def machine_of(text: str) -> ReferenceMachine:
    return ReferenceMachine(program_of(text))


def clauses_program(*clauses: Clause) -> Program:
    """A game of one role around clauses that the reader might mend or refuse."""
    frame = (
        Clause(Literal("role", ("r",))),
        Clause(Literal("legal", ("r", "noop"))),
    )
    return Program(clauses=frame + clauses, roles=("r",), source=Source("test", ""))


def rule(head: Literal, *body: Literal | TermComparison) -> Clause:
    return Clause(head, body)


def atom(predicate: str, *arguments: Pattern, negated: bool = False) -> Literal:
    return Literal(predicate, arguments, negated)


def test_the_machine_fulfils_the_protocol() -> None:
    machine: Machine = machine_of(TIC_TAC_TOE)
    assert machine.engine == "reference"
    assert machine.roles == ("x", "o")
    assert machine.chance_role is None


def test_tic_tac_toe_begins_with_nine_marks_against_waiting() -> None:
    machine = machine_of(TIC_TAC_TOE)
    state = machine.initial()
    texts = [format_term(machine.move_term(FIRST, m)) for m in machine.legal(state, FIRST)]
    assert texts == [f"(mark {m} {n})" for m, n in product("123", "123")]
    assert [machine.move_term(SECOND, m) for m in machine.legal(state, SECOND)] == ["noop"]


def test_tic_tac_toe_has_5478_states() -> None:
    # Positions reachable in play, empty and final ones included.
    machine = machine_of(TIC_TAC_TOE)
    level = {machine.key(machine.initial()): machine.initial()}
    seen = set(level)
    while level:
        states = [s for s in level.values() if not machine.terminal(s)]
        children = [child for state in states for child in machine.expand(state).states]
        level = {k: c for c in children if (k := machine.key(c)) not in seen}
        seen.update(level)
    assert len(seen) == 5_478


def test_a_won_game_is_over_and_scored() -> None:
    machine = machine_of(TIC_TAC_TOE)
    state = machine.initial()
    for turn, cell in enumerate(["1 1", "2 1", "1 2", "2 2", "1 3"]):
        assert not machine.terminal(state)
        marks = machine.legal(state, RoleId(turn % 2))
        mark = machine.move_id(RoleId(turn % 2), ("mark", *cell.split()))
        assert mark in marks
        wait = machine.legal(state, RoleId(1 - turn % 2))[0]
        state = machine.step(state, [mark, wait] if turn % 2 == 0 else [wait, mark])
    assert machine.terminal(state)
    assert machine.goals(state) == (100, 0)
    assert machine.goal_values(state, FIRST) == (100,)


def test_random_tic_tac_toe_is_quick_and_repeatable() -> None:
    states = machine_of(TIC_TAC_TOE).initial()[None]
    results = []
    for _ in range(2):
        machine = machine_of(TIC_TAC_TOE)
        machine.legal(machine.initial(), SECOND)  # numbering differs, play does not
        begun = time.perf_counter()
        results.append(machine.playouts(states, seed=7, count=50))
        assert time.perf_counter() - begun < 5.0
    first, second = results
    assert first.goal_sums.tobytes() == second.goal_sums.tobytes()
    assert (first.steps, first.stuck, first.cut) == (second.steps, 0, 0)
    assert first.counts.tolist() == [50]
    assert int(first.goal_sums.sum()) == 50 * 100


def test_playouts_stop_at_the_limit_and_where_no_move_is_left() -> None:
    machine = machine_of("(role r) (init s) (legal r go) (<= (next s) (true s)) (goal r 3)")
    result = machine.playouts(machine.initial()[None], seed=1, count=2, max_steps=5)
    assert (result.cut, result.steps, result.goal_sums.tolist()) == (2, 10, [[6]])
    machine = machine_of("(role r) (init s) (<= (legal r go) (true s)) (<= (next t) (true s))")
    result = machine.playouts(machine.initial()[None], seed=1, count=3)
    assert (result.stuck, result.steps) == (3, 3)


def test_reachability_is_the_transitive_closure() -> None:
    edges = "(edge a b) (edge b c) (edge c a) (edge c d) (edge e a)"
    for body in ("(edge ?x ?z) (reach ?z ?y)", "(reach ?x ?z) (edge ?z ?y)",
                 "(reach ?x ?z) (reach ?z ?y)"):  # fmt: skip
        machine = machine_of(
            f"(role r) {edges} (node a) (node b) (node c) (node d) (node e)"
            "(<= (reach ?x ?y) (edge ?x ?y))"
            f"(<= (reach ?x ?y) {body})"
            "(<= (legal r (to ?y)) (reach a ?y))"
            "(<= (legal r (from ?x)) (reach ?x a))"
            "(<= (legal r (apart ?x ?y)) (node ?x) (node ?y) (not (reach ?x ?y)))"
        )
        legal = machine.legal(machine.initial(), FIRST)
        found = {format_term(machine.move_term(FIRST, move)) for move in legal}
        assert found == {
            "(to a)", "(to b)", "(to c)", "(to d)",
            "(from a)", "(from b)", "(from c)", "(from e)",
            "(apart a e)", "(apart b e)", "(apart c e)", "(apart e e)",
            "(apart d a)", "(apart d b)", "(apart d c)", "(apart d d)", "(apart d e)",
        }  # fmt: skip


def test_mutual_recursion_over_a_long_chain_needs_no_stack() -> None:
    chain = " ".join(f"(succ {n} {n + 1})" for n in range(3_000))
    machine = machine_of(
        f"(role r) {chain} (even 0)"
        "(<= (even ?y) (succ ?x ?y) (odd ?x)) (<= (odd ?y) (succ ?x ?y) (even ?x))"
        "(init (at 2999)) (<= (legal r yes) (true (at ?n)) (odd ?n))"
        "(<= (legal r no) (true (at ?n)) (even ?n))"
    )
    legal = machine.legal(machine.initial(), FIRST)
    assert [machine.move_term(FIRST, move) for move in legal] == ["yes"]


def test_simultaneous_moves_and_the_joint_move_as_percept() -> None:
    machine = machine_of(
        "(role a) (role b) (hand rock) (hand paper)"
        "(<= (legal ?r ?h) (role ?r) (hand ?h))"
        "(<= (next (played ?r ?h)) (does ?r ?h))"
        "(<= terminal (true (played a ?h)))"
        "(<= (goal ?r 7) (true (played ?r paper)))"
    )
    state = machine.initial()
    expansion = machine.expand(state)
    assert expansion.joints.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert expansion.terminal.all()
    assert machine.goals_batch(expansion.states).tolist() == [[7, 7], [7, 0], [0, 7], [0, 0]]
    joint = [machine.move_id(FIRST, "rock"), machine.move_id(SECOND, "paper")]
    seen = [machine.percept_term(SECOND, p) for p in machine.percepts(state, joint, SECOND)]
    assert seen == [("does", "a", "rock"), ("does", "b", "paper")]


def test_percepts_are_what_sees_says_and_chance_is_uniform() -> None:
    machine = machine_of(
        "(role random) (role p) (card 1) (card 2) (card 3)"
        "(<= (legal random (deal ?c)) (card ?c)) (legal p wait)"
        "(<= (sees p (card ?c)) (does random (deal ?c)) (distinct ?c 3))"
        "(<= (next (held ?c)) (does random (deal ?c)))"
    )
    state = machine.initial()
    assert machine.chance_role == FIRST
    assert machine.chance_weights(state) == pytest.approx([1 / 3] * 3)
    states = np.repeat(state[None], 3, axis=0)
    machine.legal(state, SECOND)
    joints = machine.expand(state).joints
    assert machine.percepts_batch(states, joints, SECOND).tolist() == [
        [True, False], [False, True], [False, False],
    ]  # fmt: skip
    assert not machine.percepts_batch(states, joints, FIRST).any()
    assert machine.legal_batch(states, FIRST).all()
    assert machine.step_batch(states, joints).tolist() == [[1], [2], [4]]
    assert machine.terminal_batch(states).tolist() == [False] * 3


def test_states_are_made_from_fluents_and_told_apart() -> None:
    machine = machine_of(TIC_TAC_TOE)
    fluents = machine.fluent_terms(machine.initial())
    assert machine.state_of(reversed(fluents)).tobytes() == machine.initial().tobytes()
    assert machine.key(machine.state_of(fluents[:1])) != machine.key(machine.initial())
    longer = np.concatenate([machine.initial(), np.zeros(3, dtype=np.uint64)])
    assert machine.key(longer) == machine.key(machine.initial())
    assert machine.legal(longer, FIRST) == machine.legal(machine.initial(), FIRST)
    for unknown in ("cell", ("cell", "9", "9"), ("piece", "1", "1", "b")):
        with pytest.raises(PlayError, match="MCH005"):
            machine.state_of([unknown])


def test_terms_that_were_not_met_yet_may_come_from_outside() -> None:
    machine = machine_of(TIC_TAC_TOE)
    state = machine.initial()
    mark = machine.move_id(FIRST, ("mark", "2", "2"))
    after = machine.step(state, [mark, machine.move_id(SECOND, "noop")])
    again = machine_of(TIC_TAC_TOE)
    position = again.state_of(machine.fluent_terms(after))
    assert set(again.fluent_terms(position)) == set(machine.fluent_terms(after))
    moves = [again.move_term(SECOND, move) for move in again.legal(position, SECOND)]
    assert len(moves) == 8
    assert ("mark", "2", "2") not in moves


def test_illegal_and_unknown_moves_are_refused() -> None:
    machine = machine_of(TIC_TAC_TOE)
    state = machine.initial()
    mark, wait = machine.legal(state, FIRST)[0], machine.legal(state, SECOND)[0]
    after = machine.step(state, [mark, wait])
    machine.legal(after, FIRST)
    with pytest.raises(PlayError, match=r"MCH001.*\(mark 1 1\) is not a legal move of x"):
        machine.step(after, [mark, machine.legal(after, SECOND)[0]])
    with pytest.raises(PlayError, match="MCH002"):
        machine.step(state, [MoveId(99), wait])
    with pytest.raises(PlayError, match="MCH002"):
        machine.move_id(FIRST, "resign")


def test_goals_that_are_no_numbers_do_not_count() -> None:
    machine = machine_of("(role r) (goal r 10) (goal r 70) (goal r high) (legal r m) terminal")
    assert machine.goal_values(machine.initial(), FIRST) == (10, 70)
    assert machine.goals(machine.initial()) == (70,)


def test_equalities_bind_and_contradictions_drop_the_clause() -> None:
    program = clauses_program(
        rule(
            atom("legal", "r", ("f", X, Y)), atom("p", X), TermComparison(Y, ("g", X), equal=True)
        ),
        rule(atom("legal", "r", "never"), TermComparison("a", "b", equal=True)),
        rule(atom("p", "a")),
    )
    machine = ReferenceMachine(program)
    legal = machine.legal(machine.initial(), FIRST)
    texts = {format_term(machine.move_term(FIRST, move)) for move in legal}
    assert texts == {"noop", "(f a (g a))"}


def test_a_relation_that_only_tests_what_it_is_given_can_be_called_so() -> None:
    # member/2 binds nothing by itself: the rest of the list is the caller's.
    items: Pattern = ("cons", "a", ("cons", "b", "nil"))
    program = clauses_program(
        rule(atom("member", X, ("cons", X, Y))),
        rule(atom("member", X, ("cons", Y, Z)), atom("member", X, Z)),
        rule(atom("legal", "r", X), atom("member", X, Y), atom("list", Y)),
        rule(atom("list", items)),
    )
    machine = ReferenceMachine(program)
    legal = machine.legal(machine.initial(), FIRST)
    assert [machine.move_term(FIRST, move) for move in legal] == ["a", "b", "noop"]


def test_an_answer_with_a_free_variable_is_an_error_that_names_it() -> None:
    program = clauses_program(
        rule(atom("legal", "r", ("go", X)), atom("p", Y)), rule(atom("p", "a"))
    )
    machine = ReferenceMachine(program)
    with pytest.raises(RulesError, match=r"GDL014.*nothing binds \?x"):
        machine.legal(machine.initial(), FIRST)


def test_negation_through_recursion_is_refused() -> None:
    program = clauses_program(
        rule(atom("p", X), atom("q", X), atom("s", X, negated=True)),
        rule(atom("s", X), atom("p", X)),
        rule(atom("q", "a")),
    )
    with pytest.raises(RulesError, match="MCH004"):
        ReferenceMachine(program)


def test_endless_terms_end_by_their_depth() -> None:
    program = clauses_program(
        rule(atom("p", "a")),
        rule(atom("p", ("f", X)), atom("p", X)),
        rule(atom("legal", "r", X), atom("p", X)),
    )
    machine = ReferenceMachine(program)
    with pytest.raises(LimitError, match="MCH007"):
        machine.legal(machine.initial(), FIRST)


def test_a_recursive_call_gives_no_ever_larger_terms() -> None:
    # From the facts nothing follows but p(f(a)) and p(a); asking for p(b) must end as well.
    program = clauses_program(
        rule(atom("p", ("f", "a"))),
        rule(atom("p", X), atom("p", ("f", X))),
        rule(atom("q", "a")),
        rule(atom("q", "b")),
        rule(atom("legal", "r", X), atom("q", X), atom("p", X)),
    )
    machine = ReferenceMachine(program)
    legal = machine.legal(machine.initial(), FIRST)
    assert [machine.move_term(FIRST, move) for move in legal] == ["a", "noop"]


def test_terms_that_grow_with_each_step_end_by_their_depth() -> None:
    machine = machine_of("(role r) (init z) (legal r m) (<= (next (s ?x)) (true ?x))")
    with pytest.raises(LimitError, match="MCH007"):
        machine.playouts(machine.initial()[None], seed=1, count=1)


def test_an_exponential_join_ends_by_the_clock() -> None:
    digits = " ".join(f"(d {n})" for n in range(10))
    conditions = " ".join(f"(d ?v{n})" for n in range(12))
    variables = " ".join(f"?v{n}" for n in range(12))
    program = program_of(f"(role r) {digits} (<= (legal r (m {variables})) {conditions})")
    machine = ReferenceMachine(program, seconds_per_query=0.3)
    begun = time.perf_counter()
    with pytest.raises(LimitError, match=r"MCH006.*gave up on `legal` after 0\.3 s"):
        machine.legal(machine.initial(), FIRST)
    assert time.perf_counter() - begun < 5.0


def test_clauses_longer_than_python_can_nest_are_split() -> None:
    conditions = " ".join(f"(d ?v{n} ?v{n + 1})" for n in range(40))
    machine = machine_of(
        f"(role r) (d 0 1) (d 1 0) (<= (legal r (m ?v0 ?v40)) {conditions} (distinct ?v0 ?v39))"
    )
    legal = machine.legal(machine.initial(), FIRST)
    assert [machine.move_term(FIRST, m) for m in legal] == [("m", "0", "0"), ("m", "1", "1")]


def test_a_chain_of_relations_too_long_for_the_stack_is_a_coded_error() -> None:
    chain = "".join(f"(<= (p{n} ?x) (p{n + 1} ?x) (true (q ?x)))" for n in range(3_000))
    machine = machine_of(f"(role r) {chain} (p3000 a) (init (q a)) (<= (legal r ?x) (p0 ?x))")
    with pytest.raises(LimitError, match="MCH006"):
        machine.legal(machine.initial(), FIRST)
