"""Records of arrays and plain data as bytes, and back: nothing in them can be executed.

A digest comes first, then the length of the plain part, which is JSON, then the arrays one after
the other. Damage of any kind is noticed by the digest; it does not protect against forgery.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"fogspiel record\n"
DIGEST_BYTES = 32
LENGTH_BYTES = 8
KINDS = frozenset("biu")  #: Arrays hold truth values and whole numbers


@dataclass(frozen=True, slots=True)
class Record:
    """Plain data, as JSON has it, and arrays by name."""

    plain: dict[str, Any]
    arrays: Mapping[str, NDArray[Any]]


def packed(record: Record) -> bytes:
    """The bytes of a record. Raises `ValueError` or `TypeError` for what is not plain."""
    forms = []
    for name, array in record.arrays.items():
        if array.dtype.kind not in KINDS:
            raise ValueError(f"cannot pack numbers of type {array.dtype}")
        forms.append([name, array.dtype.str, list(array.shape)])
    text = json.dumps([record.plain, forms], separators=(",", ":")).encode()
    parts = [len(text).to_bytes(LENGTH_BYTES, "little"), text]
    parts += [np.ascontiguousarray(array).tobytes() for array in record.arrays.values()]
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        digest.update(part)
    return b"".join((MAGIC, digest.digest(), *parts))


def unpacked(content: bytes) -> Record | None:
    """The record that was packed into bytes; None if they are damaged or something else."""
    start = len(MAGIC) + DIGEST_BYTES
    body = memoryview(content)[start:]
    digest = hashlib.blake2b(body, digest_size=DIGEST_BYTES).digest()
    if content[:start] != MAGIC + digest:
        return None
    try:
        at = LENGTH_BYTES + int.from_bytes(body[:LENGTH_BYTES], "little")
        plain, forms = json.loads(bytes(body[LENGTH_BYTES:at]))
        arrays: dict[str, NDArray[Any]] = {}
        for name, kind, shape in forms:
            dtype = np.dtype(kind)
            if dtype.kind not in KINDS:
                return None
            count = int(np.prod(shape, dtype=np.int64))
            # Copied, so that arrays are aligned, can be written to and keep no others alive.
            arrays[name] = np.frombuffer(body, dtype, count, at).reshape(shape).copy()
            at += count * dtype.itemsize
    except (ValueError, TypeError, RecursionError):
        return None
    return Record(plain, arrays)
