"""Points and limits: what is due does not depend on the clock, and the clock is kept."""

from __future__ import annotations

import pytest

from fogspiel.solve.result import Point, ProgressMeter, SolveLimits

WORK = 100_000


class Watch:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def run(
    progress: ProgressMeter,
    *,
    watch: Watch | None = None,
    iteration: float = 0.0,
    evaluation: float = 0.0,
) -> list[int]:
    """The iterations at which a solver has points.

    iteration, evaluation: seconds that each takes, by the watch.
    """
    watch = watch or Watch()
    done = 0
    while True:
        pause = progress.next_pause()
        assert pause > done
        watch.now += (pause - done) * iteration
        done = pause
        progress.evaluating()
        watch.now += evaluation
        if progress.stops(done, 1.0 / done):
            return [point.iteration for point in progress.curve]


def test_points_grow_by_a_fifth() -> None:
    points = run(ProgressMeter(SolveLimits(iterations=100), None, work=WORK))
    assert points == [10, 12, 14, 16, 19, 22, 26, 31, 37, 44, 52, 62, 74, 88, 100]


def test_a_point_that_costs_much_is_rare() -> None:
    points = run(ProgressMeter(SolveLimits(iterations=100), None, work=WORK, evaluation=40 * WORK))
    assert points == [40, 80, 100]


def test_the_target_counts_at_points_that_are_due() -> None:
    # Exploitability 1/n: at most 1/15 from iteration 15 on, and 16 is the first that is due.
    limits = SolveLimits(target=1 / 15)
    assert run(ProgressMeter(limits, None, work=WORK))[-1] == 16
    watched = run(ProgressMeter(limits, lambda point: False, work=WORK))
    assert watched[0] == 1
    assert watched[-1] == 16


@pytest.mark.parametrize("evaluation", [0.0, 0.05])
def test_seconds_are_kept(evaluation: float) -> None:
    watch = Watch()
    progress = ProgressMeter(SolveLimits(seconds=0.4), None, work=1, clock=watch)
    points = run(progress, watch=watch, iteration=1e-5, evaluation=evaluation)
    assert 0.4 <= watch.now < 0.5
    assert points[-1] > 10
    # Evaluations take no more than their share, also right after the first iteration.
    assert len(points) <= 9 or evaluation == 0.0


def test_whoever_watches_can_stop() -> None:
    seen: list[Point] = []

    def enough(point: Point) -> bool:
        seen.append(point)
        return point.iteration >= 12

    progress = ProgressMeter(SolveLimits(iterations=1000), enough, work=WORK)
    assert run(progress)[-1] == 12
    assert progress.curve == seen
