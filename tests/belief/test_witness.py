"""A state at hand that fits what was seen."""

from __future__ import annotations

from fogspiel.belief.csp.belief import CspBelief
from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.methods import AutoBelief
from fogspiel.belief.positions import position_after, random_history
from fogspiel.belief.protocol import BeliefRequest
from fogspiel.core.terms import RoleId
from fogspiel.games.load import load


def test_a_witness_is_a_possible_state_in_every_step() -> None:
    machine = load("racko_12_3").machine
    role = RoleId(machine.roles.index("first"))
    position = position_after(machine, random_history(machine, 16, seed=4), role)
    request = BeliefRequest(machine, role)
    searched, exact = CspBelief(request), ExactBelief(request)
    for observation in position.observations:
        searched.advance(observation)
        exact.advance(observation)
        witness = searched.witness()
        assert witness is not None
        assert exact.probability(witness) > 0.0


def test_a_belief_that_changes_its_method_has_a_witness_only_where_the_method_has() -> None:
    machine = load("kuhn_poker").machine
    request = BeliefRequest(machine, RoleId(machine.roles.index("first")))
    belief = AutoBelief(request, fallbacks=[CspBelief])
    assert belief.chosen == "exact"
    assert belief.witness() is None
    belief.current = CspBelief(request)
    assert belief.witness() is not None
