"""Packed records come back as they were, and damaged ones not at all."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from fogspiel.core.packing import MAGIC, Record, packed, unpacked

RECORD = Record(
    plain={"names": ["a", "☃", "\ud800", ""], "large": 2**70, "none": None, "seconds": 0.1},
    arrays={
        "empty": np.zeros((0, 3), np.int64),
        "runs": np.arange(6, dtype=np.int64).reshape(3, 2),
        "slots": np.array([1, 2**32 - 1], np.uint32),
        "flags": np.array([True, False, True]),
        "none": np.zeros(0, np.uint32),
    },
)


def forged(plain: object, forms: object, rest: bytes = b"") -> bytes:
    """Bytes with the right digest, whatever is in them."""
    text = json.dumps([plain, forms]).encode()
    body = len(text).to_bytes(8, "little") + text + rest
    return MAGIC + hashlib.blake2b(body, digest_size=32).digest() + body


def test_a_record_comes_back_as_it_was() -> None:
    found = unpacked(packed(RECORD))
    assert found is not None
    assert found.plain == RECORD.plain
    assert found.arrays.keys() == RECORD.arrays.keys()
    for name, array in RECORD.arrays.items():
        own = found.arrays[name]
        assert (own.dtype, own.shape) == (array.dtype, array.shape)
        assert np.array_equal(own, array)
        assert own.flags.writeable
        assert own.flags.aligned


def test_equal_records_have_equal_bytes() -> None:
    found = unpacked(packed(RECORD))
    assert found is not None
    assert packed(found) == packed(RECORD)


def test_a_record_that_was_cut_off_or_changed_is_none() -> None:
    whole = packed(RECORD)
    for length in range(len(whole)):
        assert unpacked(whole[:length]) is None
    for place in range(len(whole)):
        changed = bytes((whole[place] ^ 1,))
        assert unpacked(whole[:place] + changed + whole[place + 1 :]) is None
    assert unpacked(whole + b"\0") is None


@pytest.mark.parametrize(
    "content",
    [
        forged({}, [["a", "|O", [1]]], b"\0" * 8),
        forged({}, [["a", "<f8", [1]]], b"\0" * 8),
        forged({}, [["a", "no type", [1]]]),
        forged({}, [["a", "<i8", [2]]], b"\0" * 8),
        forged({}, [["a", "<i8"]]),
        forged({}, 7),
    ],
    ids=["objects", "floats", "no_type", "too_few_bytes", "no_shape", "no_list"],
)
def test_bytes_with_the_right_digest_and_nonsense_in_them_are_none(content: bytes) -> None:
    assert unpacked(content) is None
    assert unpacked(forged({"a": 1}, [])) == Record({"a": 1}, {})


@pytest.mark.parametrize("array", [np.zeros(1), np.array([None]), np.array(["text"])])
def test_nothing_but_whole_numbers_is_packed(array: np.ndarray) -> None:
    with pytest.raises(ValueError, match="cannot pack"):
        packed(Record({}, {"a": array}))
