"""Playing a record again: the same answers, rules and seed must give the same match.

Chance and substitutes are drawn anew from the seed, percepts and goals are derived anew from the
rules, and all of it is compared with what the record says, so that a replay is a proof as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fogspiel.core.findings import PlayError, UsageError
from fogspiel.core.terms import GroundTerm, RoleId
from fogspiel.machine.protocol import Machine, State
from fogspiel.play.records.format import MatchRecord, StepLine
from fogspiel.play.referee import Answer, Referee, Step
from fogspiel.rules.sexpr import exact_text, read_term


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """One step of a replay."""

    line: StepLine
    step: Step
    after: State  #: The true state that it led to


def check_rules(record: MatchRecord, machine: Machine, rules: str) -> None:
    """Raise `UsageError` MAT011 unless a game is that of the record."""
    heading = record.heading
    if heading.rules != rules or heading.roles != tuple(machine.roles):
        raise UsageError.of(
            "MAT011",
            f"the record is of {heading.game}, with other rules than these",
            fix="name the rules that were played with --game FILE",
        )


def replay(record: MatchRecord, machine: Machine) -> Iterator[Replayed]:
    """The steps of a record, made again.

    Raises `PlayError` MAT012 at the first thing that differs from what the record says.
    """
    referee = Referee(machine, seed=record.heading.seed, max_steps=len(record.steps) + 1)
    for line in record.steps:
        if referee.over:
            raise _differs(line.number, "that the match goes on", "that it is over")
        step = referee.play(_answers(machine, line))
        _compare(machine, line, step)
        yield Replayed(line=line, step=step, after=referee.state)
    end = record.end
    if end is None or end.goals is None:
        return
    if not referee.over:
        raise _differs(len(record.steps), "that the match is over", "that it is not")
    if referee.goals() != end.goals:
        raise _differs(len(record.steps), f"goals {end.goals}", f"goals {referee.goals()}")


def _answers(machine: Machine, line: StepLine) -> Mapping[RoleId, Answer]:
    """What players answered: their move, or the fault for which it was replaced."""
    answers = {}
    for number, name in enumerate(machine.roles):
        role = RoleId(number)
        if role == machine.chance_role:
            continue
        seconds = line.seconds.get(name, 0.0)
        if name in line.faults:
            answers[role] = Answer(fault=line.faults[name], seconds=seconds)
        else:
            move = machine.move_id(role, _term(line, line.moves[role]))
            answers[role] = Answer(move=move, seconds=seconds)
    return answers


def _compare(machine: Machine, line: StepLine, step: Step) -> None:
    for number, name in enumerate(machine.roles):
        role = RoleId(number)
        move = exact_text(machine.move_term(role, step.joint[role]))
        if move != line.moves[role] or (role in step.faults) != (name in line.faults):
            raise _differs(line.number, f"that {name} does {line.moves[role]}", move)
        if role == machine.chance_role:
            continue
        seen = sorted(exact_text(machine.percept_term(role, p)) for p in step.percepts[role])
        if tuple(seen) != line.percepts[name]:
            shown = [", ".join(percepts) or "nothing" for percepts in (line.percepts[name], seen)]
            raise _differs(line.number, f"that {name} sees {shown[0]}", shown[1])


def _term(line: StepLine, text: str) -> GroundTerm:
    term = read_term(text)
    if term is None:
        raise _differs(line.number, f"a move {text[:60]!r}", "no such term")
    return term


def _differs(step: int, recorded: str, found: str) -> PlayError:
    return PlayError.of(
        "MAT012",
        f"step {step}: the record says {recorded}; the rules and the seed give {found}",
        fix="the record was changed, or made by a version that plays otherwise",
    )
