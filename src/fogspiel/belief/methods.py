"""All methods by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from fogspiel.belief.auto import AutoBelief
from fogspiel.belief.belief_tree.sampler import TreeBelief
from fogspiel.belief.dfs import DfsBelief
from fogspiel.belief.exact import ExactBelief
from fogspiel.belief.hyperplay.bag import HyperplayBelief
from fogspiel.belief.particles.particle_filter import ParticlesBelief
from fogspiel.belief.protocol import Belief, BeliefLimits, OpponentModel
from fogspiel.core.findings import UsageError
from fogspiel.core.ids import RoleId
from fogspiel.core.registry import Entry, Registry
from fogspiel.machine.protocol import Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefRequest:
    """What a belief is made from."""

    machine: Machine
    role: RoleId
    limits: BeliefLimits | None
    model: OpponentModel | None
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefMethod(Entry):
    """A way to compute or sample the information set of a role."""

    make: Callable[[BeliefRequest], Belief]
    takes_model: bool = True


def make_belief(
    method: str,
    machine: Machine,
    role: RoleId,
    limits: BeliefLimits | None = None,
    *,
    model: OpponentModel | None = None,
    seed: int = 0,
) -> Belief:
    """A belief by a method of `METHODS`.

    Raises `UsageError` BEL004 for a name that is unknown, or a method that takes no model.
    """
    found = METHODS.find(method)
    if model is not None and not found.takes_model:
        raise UsageError.of(
            "BEL004",
            f"the method {method} takes no model of the other roles",
            fix=f"use one of {', '.join(m for m in METHODS if METHODS[m].takes_model)}",
        )
    wish = BeliefRequest(machine=machine, role=role, limits=limits, model=model, seed=seed)
    return found.make(wish)


def _auto(wish: BeliefRequest) -> Belief:
    searching = ("csp", "sat") if wish.model is None else ()
    names = (*searching, "particles", "hyperplay")
    return AutoBelief(
        wish.machine,
        wish.role,
        wish.limits,
        model=wish.model,
        fallbacks=[partial(METHODS[name].make, wish) for name in names],
    )


def _exact(wish: BeliefRequest) -> Belief:
    return ExactBelief(wish.machine, wish.role, wish.limits, model=wish.model)


def _dfs(wish: BeliefRequest) -> Belief:
    return DfsBelief(wish.machine, wish.role, wish.limits, model=wish.model)


def _csp(wish: BeliefRequest) -> Belief:
    from fogspiel.belief.csp.belief import CspBelief

    return CspBelief(wish.machine, wish.role, wish.limits)


def _sat(wish: BeliefRequest) -> Belief:
    from fogspiel.belief.sat.belief import SatBelief

    return SatBelief(wish.machine, wish.role, wish.limits)


def _particles(wish: BeliefRequest) -> Belief:
    return ParticlesBelief(wish.machine, wish.role, wish.limits, model=wish.model, seed=wish.seed)


def _tree(wish: BeliefRequest) -> Belief:
    return TreeBelief(wish.machine, wish.role, wish.limits, model=wish.model, seed=wish.seed)


def _hyperplay(wish: BeliefRequest) -> Belief:
    return HyperplayBelief(wish.machine, wish.role, wish.limits, model=wish.model, seed=wish.seed)


METHODS = Registry(
    "method",
    "BEL004",
    (
        BeliefMethod(
            name="auto",
            what="exact while it fits the limits, then a method that searches or samples",
            make=_auto,
        ),
        BeliefMethod(
            name="exact",
            what="all histories, layer by layer, with equal states merged",
            make=_exact,
        ),
        BeliefMethod(
            name="dfs",
            what="depth-first search, 512 histories at a time (Richards, figure 4.1)",
            make=_dfs,
        ),
        BeliefMethod(
            name="csp",
            what="constraint satisfaction on a stage graph (Richards, figures 4.2 and 4.3)",
            make=_csp,
            takes_model=False,
        ),
        BeliefMethod(
            name="sat",
            what="models of the unrolled machine, found by a solver",
            make=_sat,
            takes_model=False,
        ),
        BeliefMethod(
            name="particles",
            what="a weighted population carried from step to step (Richards, algorithm 4.1)",
            make=_particles,
        ),
        BeliefMethod(
            name="tree",
            what="Monte Carlo search in a belief state tree with Bayes updates (NORNS)",
            make=_tree,
        ),
        BeliefMethod(
            name="hyperplay",
            what="a bag of models, repaired by backtracking, with importance weights",
            make=_hyperplay,
        ),
    ),
)
