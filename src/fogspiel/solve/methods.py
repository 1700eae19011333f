"""All ways to solve a game, by name: what each is, what it fits, and which to take.

`auto` looks at the kind of the game: what can be solved outright by induction or one best response
is; games of two players with a constant sum go to a linear program while that is small, and to
predictive regrets beyond; everything else goes to plain regrets, which promise no equilibrium.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from fogspiel.core.findings import UsageError
from fogspiel.core.registry import Entry, Registry
from fogspiel.machine.protocol import Machine
from fogspiel.solve.game_kind import GameKind, kind_of
from fogspiel.solve.progress import SolveLimits
from fogspiel.solve.result import OnPoint
from fogspiel.solve.run import (
    MethodAnswer,
    SolveRequest,
    run_alpha_beta,
    run_double_oracle,
    run_induction,
    run_induction_over_states,
    run_lp,
    run_lp_exact,
    run_normal_form,
    run_plain_regrets,
    run_pure,
    run_regrets,
    run_response,
    run_sampled,
)
from fogspiel.tree.game_tree import GameTree

AUTO = "auto"
INDUCTION_LP = "induction-lp"
LINEAR_UP_TO = 20_000
"""Sequences of both players up to which a linear program takes about a second."""

Misfit = Callable[[GameKind], str | None]
"""Why a method does not fit a kind of game; None if it does."""
Run = Callable[[SolveRequest], MethodAnswer]


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveMethod(Entry):
    """A way to solve games."""

    finds: str
    """What its answer is, where it fits."""
    anytime: bool
    """Whether it goes on getting better until a limit; others end by themselves."""
    misfit: Misfit
    run: Run


def solve(
    tree: GameTree,
    method: str = AUTO,
    *,
    limits: SolveLimits,
    seed: int = 0,
    on_point: OnPoint | None = None,
    machine: Machine | None = None,
) -> MethodAnswer:
    """Solve a game by the method of a name.

    machine: that the tree was built from; `induction-lp` needs it.

    Raises `UsageError` SOL030 for an unknown name, SOL031 for a method that does not fit the game.
    """
    kind = kind_of(tree)
    chosen = chosen_method(kind) if method == AUTO else METHODS.find(method)
    reason = chosen.misfit(kind)
    if reason is not None:
        raise _misfit(chosen, reason, kind)
    request = SolveRequest(tree=tree, limits=limits, seed=seed, on_point=on_point, machine=machine)
    answer = chosen.run(request)
    return replace(answer, result=replace(answer.result, method=chosen.name))


def chosen_method(kind: GameKind) -> SolveMethod:
    """What `auto` takes."""
    return METHODS[_choice(kind)]


def why_chosen(kind: GameKind) -> str:
    """The reason for what `auto` takes, for people."""
    return _REASONS[_choice(kind)]


def fitting(kind: GameKind) -> list[SolveMethod]:
    """All methods that fit a kind of game."""
    return [method for method in METHODS.values() if method.misfit(kind) is None]


def _choice(kind: GameKind) -> str:
    if kind.players == 1:
        return "response"
    if kind.perfect_information:
        return "induction"
    if kind.is_two_player_constant_sum:
        return "lp" if sum(kind.sequences) <= LINEAR_UP_TO else "sapcfr+"
    return "cfr"


_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "response": "one player decides alone, so a best response to chance is all there is",
        "induction": "nothing is hidden, so every position can be solved from its successors",
        "lp": "two players, constant sum and few sequences: one linear program is exact and quick",
        "sapcfr+": "two players and constant sum, too large for a quick linear program: regrets "
        "come close to an equilibrium, and exploitability says how close",
        "cfr": "the sum is not constant or more than two play: no method here promises an "
        "equilibrium; regrets approach a coarse correlated one, and exploitability tells the rest",
    }
)


def _any(kind: GameKind) -> str | None:
    return None


def _two_players_constant_sum(kind: GameKind) -> str | None:
    if kind.players != 2:
        return f"it is for two players, and {kind.players} play"
    return None if kind.constant is not None else "the sum of payoffs is not constant"


def _perfect_information(kind: GameKind) -> str | None:
    return None if kind.perfect_information else "some player does not always know where it is"


def _perfect_two_players(kind: GameKind) -> str | None:
    return _perfect_information(kind) or _two_players_constant_sum(kind)


def _alone(kind: GameKind) -> str | None:
    return None if kind.players == 1 else f"it is for one player, and {kind.players} play"


def _cfr_method(name: str, what: str) -> SolveMethod:
    return SolveMethod(
        name=name,
        what=what,
        finds="comes ever closer to an equilibrium",
        anytime=True,
        misfit=_two_players_constant_sum,
        run=lambda request: run_regrets(request, name),
    )


def _sampling_method(scheme: str, what: str) -> SolveMethod:
    return SolveMethod(
        name=f"mccfr-{scheme}",
        what=what,
        finds="comes closer on average; iterations are cheap, and trees may be large",
        anytime=True,
        misfit=_any,
        run=lambda request: run_sampled(request, scheme),
    )


def _exact_method(
    name: str,
    what: str,
    run: Run,
    misfit: Misfit = _two_players_constant_sum,
    finds: str = "an equilibrium",
) -> SolveMethod:
    return SolveMethod(name=name, what=what, finds=finds, anytime=False, misfit=misfit, run=run)


METHODS = Registry(
    "method",
    "SOL030",
    (
        SolveMethod(
            name="cfr",
            what="counterfactual regret minimisation, as published in 2007",
            finds="comes ever closer to an equilibrium if two play and the sum is constant; "
            "else to a coarse correlated one",
            anytime=True,
            misfit=_any,
            run=run_plain_regrets,
        ),
        _cfr_method("cfr+", "regrets never below 0, later iterations count more"),
        _cfr_method("lcfr", "linear CFR: iteration t counts t times"),
        _cfr_method("dcfr", "discounted CFR: early regrets fade"),
        _cfr_method("pcfr+", "predictive CFR+: plays as if the last regrets came again"),
        _cfr_method("sapcfr+", "the same, believing a quarter of it: quick on most games"),
        _sampling_method("external", "regrets along walks that sample chance and the others"),
        _sampling_method("outcome", "regrets along single courses of play"),
        _exact_method("lp", "one sparse linear program over sequences", run_lp),
        _exact_method("lp-exact", "the same in fractions, for small games", run_lp_exact),
        _exact_method("normal-form", "a matrix of all pure strategies", run_normal_form),
        SolveMethod(
            name="double-oracle",
            what="linear programs on a part of the game that best responses enlarge",
            finds="an equilibrium, or bounds of the value on the way to it",
            anytime=True,
            misfit=_two_players_constant_sum,
            run=run_double_oracle,
        ),
        _exact_method(
            "induction",
            "backward induction from the ends",
            run_induction,
            _perfect_information,
            "an equilibrium in every position, for any number of players",
        ),
        _exact_method(
            INDUCTION_LP,
            "induction over states, a matrix game at each: moves at once, but no secrets",
            run_induction_over_states,
            finds="an equilibrium in every state",
        ),
        _exact_method(
            "alpha-beta",
            "induction that skips what cannot matter",
            run_alpha_beta,
            _perfect_two_players,
            "the value, and play that is sure of it",
        ),
        _exact_method(
            "pure",
            "a search for strategies that need no mixing",
            run_pure,
            _any,
            "a pure equilibrium, if there is one",
        ),
        _exact_method(
            "response", "best response to chance alone", run_response, _alone, "the best play"
        ),
    ),
    also=[AUTO],
)


def _misfit(method: SolveMethod, reason: str, kind: GameKind) -> UsageError:
    others = ", ".join(other.name for other in fitting(kind))
    return UsageError.of(
        "SOL031",
        f"{method.name} does not fit this game: {reason}",
        fix=f"use {others}, or auto" if others else "there is no method for it yet",
    )
