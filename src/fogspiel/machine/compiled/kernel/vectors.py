"""A Numba type for LLVM vectors of 64-bit words, so that one operation serves 64·W lanes.

LLVM does not turn an unrolled loop over W words into vector instructions well; telling it the
type does. The width is part of the type: `width` arguments are tuples whose length is W, so one
kernel source serves every width and Numba's cache keeps each.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import intrinsic, register_model

from fogspiel.machine.compiled.kernel.memory import WORD, pointer

Vector: TypeAlias = Any
"""A vector value; only kernels ever hold one."""
Width: TypeAlias = tuple[int, ...]

ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


class VectorType(types.Type):
    """W words that are added, and-ed and shifted together."""

    def __init__(self, words: int) -> None:
        self.words = words
        super().__init__(name=f"Vector({words})")


@register_model(VectorType)
class VectorModel(PrimitiveModel):
    """How a vector is held in registers."""

    def __init__(self, manager: Any, vector: VectorType) -> None:
        super().__init__(manager, vector, ir.VectorType(WORD, vector.words))


def _llvm(vector: VectorType) -> Any:
    return ir.VectorType(WORD, vector.words)


def _broadcast(builder: Any, word: Any, words: int) -> Any:
    kind = ir.VectorType(WORD, words)
    undefined = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(undefined, word, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), words), [0] * words)
    return builder.shuffle_vector(first, undefined, mask)


@intrinsic
def load(typing: Any, address: Any, at: Any, width: Any) -> Any:
    """The W words that begin at word `at` of an array."""
    vector = VectorType(len(width))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = pointer(builder, arguments[0], arguments[1], WORD)
        return builder.load(builder.bitcast(first, _llvm(vector).as_pointer()), align=8)

    return vector(types.uint64, types.uint64, width), generate


@intrinsic
def store(typing: Any, address: Any, at: Any, value: Any) -> Any:
    """Write a vector over the words of an array that begin at word `at`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = pointer(builder, arguments[0], arguments[1], WORD)
        builder.store(arguments[2], builder.bitcast(first, _llvm(value).as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, value), generate


@intrinsic
def splat(typing: Any, word: Any, width: Any) -> Any:
    """A vector of W copies of a word."""
    words = len(width)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _broadcast(builder, arguments[0], words)

    return VectorType(words)(types.uint64, width), generate


def _binary(operation: str) -> Any:
    @intrinsic
    def apply(typing: Any, left: Any, right: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, operation)(arguments[0], arguments[1])

        return left(left, right), generate

    return apply


both = _binary("and_")
either = _binary("or_")
differ = _binary("xor")
plus = _binary("add")


@intrinsic
def but_not(typing: Any, left: Any, right: Any) -> Any:
    """left & ~right."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.and_(arguments[0], builder.not_(arguments[1]))

    return left(left, right), generate


@intrinsic
def inverse(typing: Any, value: Any) -> Any:
    """~value."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.not_(arguments[0])

    return value(value), generate


def _shift(operation: str) -> Any:
    @intrinsic
    def apply(typing: Any, value: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            amount = _broadcast(builder, arguments[1], value.words)
            return getattr(builder, operation)(arguments[0], amount)

        return value(value, types.uint64), generate

    return apply


shift_left = _shift("shl")
shift_right = _shift("lshr")


@intrinsic
def union_of_words(typing: Any, value: Any) -> Any:
    """All words or-ed together: not zero if any lane is set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        name = f"llvm.vector.reduce.or.v{value.words}i64"
        kind = ir.FunctionType(WORD, [_llvm(value)])
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(function, [arguments[0]])

    return types.uint64(value), generate


@intrinsic
def population(typing: Any, value: Any) -> Any:
    """How many lanes are set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = _llvm(value)
        count = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector]), f"llvm.ctpop.v{value.words}i64"
        )
        add = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(WORD, [vector]),
            f"llvm.vector.reduce.add.v{value.words}i64",
        )
        return builder.call(add, [builder.call(count, [arguments[0]])])

    return types.int64(value), generate
