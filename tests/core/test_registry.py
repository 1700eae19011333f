"""Registries: order, look-up, and the error for an unknown name."""

from __future__ import annotations

import pytest

from fogspiel.core.findings import UsageError
from fogspiel.core.registry import Entry, Registry

FRUIT = Registry(
    "fruit",
    "SOL030",
    [Entry(name="pear", what="green"), Entry(name="apple", what="red")],
    also=["any"],
)


def test_entries_are_listed_in_the_order_given() -> None:
    assert list(FRUIT) == ["pear", "apple"]
    assert len(FRUIT) == 2
    assert FRUIT.find("apple") is FRUIT["apple"]


def test_an_unknown_name_is_refused_with_all_names() -> None:
    with pytest.raises(UsageError) as caught:
        FRUIT.find("stone")
    found = caught.value.findings[0]
    assert (found.code, found.message) == ("SOL030", "there is no fruit 'stone'")
    assert found.fix == "use one of any, pear, apple"


def test_a_mistyped_name_gets_the_nearest_one() -> None:
    with pytest.raises(UsageError) as caught:
        FRUIT.find("aple", typed="aple:3")
    found = caught.value.findings[0]
    assert found.message == "there is no fruit 'aple:3'"
    assert found.fix == "did you mean apple? Otherwise use one of any, pear, apple"


def test_a_name_that_the_caller_handles_is_no_entry() -> None:
    assert "any" not in FRUIT
    with pytest.raises(KeyError):
        FRUIT["any"]
