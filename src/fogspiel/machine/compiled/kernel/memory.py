"""Plain addresses for kernels.

Numba counts references to every array that is passed from one compiled function to another, with
an atomic operation each; on small games that took longer than the gates. Inside the kernels arrays
are therefore addresses. Whoever calls a kernel keeps the arrays alive until it returns.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

Address: TypeAlias = np.uint64
WORD = ir.IntType(64)


def address_of(array: NDArray[Any]) -> Address:
    """Where the elements of a contiguous array begin."""
    assert array.flags.c_contiguous
    return np.uint64(array.ctypes.data)


def pointer(builder: Any, address: Any, index: Any, kind: Any) -> Any:
    """A typed pointer to the element at an index; for use in intrinsics."""
    base = builder.inttoptr(address, kind.as_pointer())
    return builder.gep(base, [index])


@intrinsic
def word_at(typing: Any, address: Any, index: Any) -> Any:
    """Element `index` of an array of 64-bit words."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(pointer(builder, arguments[0], arguments[1], WORD))

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def number_at(typing: Any, address: Any, index: Any) -> Any:
    """Element `index` of an array of signed 64-bit numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(pointer(builder, arguments[0], arguments[1], WORD))

    return types.int64(types.uint64, types.uint64), generate


@intrinsic
def literal_at(typing: Any, address: Any, index: Any) -> Any:
    """Element `index` of an array of 32-bit literals or slots, as a 64-bit word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        short = builder.load(pointer(builder, arguments[0], arguments[1], ir.IntType(32)))
        return builder.zext(short, WORD)

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def put_word(typing: Any, address: Any, index: Any, value: Any) -> Any:
    """Set element `index` of an array of 64-bit words."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], pointer(builder, arguments[0], arguments[1], WORD))
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.uint64), generate


@intrinsic
def put_number(typing: Any, address: Any, index: Any, value: Any) -> Any:
    """Set element `index` of an array of signed 64-bit numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], pointer(builder, arguments[0], arguments[1], WORD))
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.int64), generate


@intrinsic
def place(typing: Any, address: Any) -> Any:
    """An address as a pointer without a type, for `carray`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())

    return types.voidptr(types.uint64), generate
