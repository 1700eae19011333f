"""`auto` hands over when a method gives up."""

from __future__ import annotations

import pytest
from belief_cases import Case, exact_of, machine_of, position_of, posterior, told

from fogspiel.belief.methods import AutoBelief, make_belief
from fogspiel.belief.particles.particle_filter import ParticlesBelief
from fogspiel.belief.protocol import Belief, BeliefLimits, BeliefRequest
from fogspiel.belief.verify import consistent
from fogspiel.core.findings import LimitError

SMALL = Case("latent_tic_tac_toe", 0, 7)
LARGE = Case("racko_60_10", 1, 26)


def test_the_exact_method_answers_while_it_fits() -> None:
    belief = make_belief("auto", machine_of(SMALL.game), position_of(SMALL).role)
    assert isinstance(belief, AutoBelief)
    told(belief, position_of(SMALL).observations)
    assert belief.chosen == "exact"
    truth = posterior(exact_of(SMALL).enumerate(100_000))
    assert posterior(belief.enumerate(100_000)) == pytest.approx(truth)


def test_another_method_takes_over_all_observations() -> None:
    machine, position = machine_of(LARGE.game), position_of(LARGE)
    made: list[Belief] = []

    def particles(request: BeliefRequest) -> Belief:
        made.append(ParticlesBelief(request, count=500))
        return made[-1]

    request = BeliefRequest(machine, position.role, BeliefLimits(histories=100_000))
    belief = told(AutoBelief(request, fallbacks=[particles]), position.observations)
    assert belief.chosen == "particles"
    assert len(made) == 1
    assert list(made[0].observations) == belief.observations == list(position.observations)
    drawn = belief.sample(50, seed=1)
    assert consistent(machine, position.role, position.observations, drawn.joints).all()


def test_a_method_that_fails_in_a_question_is_replaced_too() -> None:
    machine, position = machine_of(SMALL.game), position_of(SMALL)

    class Unable(ParticlesBelief):
        method = "unable"

        def probability(self, state: object) -> float:
            raise LimitError(())

    request = BeliefRequest(machine, position.role)
    belief = told(AutoBelief(request, fallbacks=[ParticlesBelief]), position.observations)
    belief.current = told(Unable(request), position.observations)
    state = exact_of(SMALL).layers[-1].states[0]
    assert belief.probability(state) == pytest.approx(exact_of(SMALL).probability(state))
    assert belief.chosen == "particles"


def test_it_gives_up_when_no_method_is_left() -> None:
    machine, position = machine_of(LARGE.game), position_of(LARGE)
    belief = AutoBelief(BeliefRequest(machine, position.role, BeliefLimits(histories=1000)))
    with pytest.raises(LimitError, match="method auto gave up") as caught:
        told(belief, position.observations)
    assert caught.value.findings[0].code == "BEL002"
