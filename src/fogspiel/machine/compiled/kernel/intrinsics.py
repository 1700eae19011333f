"""Numba intrinsics for kernels: plain addresses of memory, and vectors of 64-bit words.

Numba counts references to every array that is passed from one compiled function to another, with
an atomic operation each, which takes longer than the gates of small games. Kernels therefore use
addresses of arrays. The caller of a kernel keeps the arrays alive until it returns.

LLVM does not compile an unrolled loop over W words to good vector instructions. With a vector type
one operation serves 64·W lanes. The width is part of the type: `width` arguments are tuples whose
length is W, so that one kernel source serves every width and Numba caches each.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import intrinsic, lower_builtin, register_model, type_callable
from numba.np.arrayobj import populate_array
from numpy.typing import NDArray

Address: TypeAlias = np.uint64
Vector: TypeAlias = Any  #: A vector value, which exists in kernels only
Width: TypeAlias = tuple[int, ...]

ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
WORD = ir.IntType(64)
LINE_WORDS = 8  #: Number of words in a cache line


def aligned_words(*sizes: int) -> list[NDArray[np.uint64]]:
    """Arrays of zeros in one block of memory, each aligned to a cache line.

    Vectors across two cache lines make playouts slower by a quarter.
    """
    starts = np.cumsum([0, *(-(-size // LINE_WORDS) * LINE_WORDS for size in sizes)])
    words = np.zeros(int(starts[-1]) + LINE_WORDS, np.uint64)
    first = -(words.ctypes.data // 8) % LINE_WORDS
    return [words[first + at : first + at + size] for at, size in zip(starts, sizes, strict=False)]


def address_of(array: NDArray[Any]) -> Address:
    """Address of the first element of a contiguous array."""
    assert array.flags.c_contiguous
    return np.uint64(array.ctypes.data)


def addresses_of(record: Iterable[object]) -> list[Address]:
    """The addresses of all arrays of a record, in order; other fields are left out."""
    return [address_of(field) for field in record if isinstance(field, np.ndarray)]


def places_of(record: Iterable[object]) -> list[int]:
    """Address and length of all arrays of a record, as a kernel argument instead of many arrays.

    Numba inspects every array argument of a kernel, which takes longer than the gates of a small
    game.
    """
    arrays = [field for field in record if isinstance(field, np.ndarray)]
    return [number for array in arrays for number in (int(address_of(array)), len(array))]


def pointer(builder: Any, address: Any, index: Any, kind: Any) -> Any:
    """A typed pointer to the element at an index; for use in intrinsics."""
    base = builder.inttoptr(address, kind.as_pointer())
    return builder.gep(base, [index])


def _reader(bits: int, result: types.Type) -> Any:
    @intrinsic
    def read(typing: Any, address: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            found = builder.load(pointer(builder, arguments[0], arguments[1], ir.IntType(bits)))
            return builder.zext(found, WORD) if bits < 64 else found

        return result(types.uint64, types.uint64), generate

    return read


word_at = _reader(64, types.uint64)
"""word_at(address, index): an element of an array of 64-bit words."""
number_at = _reader(64, types.int64)
"""number_at(address, index): an element of an array of signed 64-bit numbers."""
literal_at = _reader(32, types.uint64)
"""literal_at(address, index): an element of an array of 32-bit literals or slots, as a word."""


def _writer(kind: types.Type) -> Any:
    @intrinsic
    def write(typing: Any, address: Any, index: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            builder.store(arguments[2], pointer(builder, arguments[0], arguments[1], WORD))
            return context.get_dummy_value()

        return types.void(types.uint64, types.uint64, kind), generate

    return write


put_word = _writer(types.uint64)
"""put_word(address, index, word): set an element of an array of 64-bit words."""
put_number = _writer(types.int64)
"""put_number(address, index, number): set an element of an array of signed 64-bit numbers."""


@intrinsic
def vector_at(typing: Any, places: Any, number: Any, dtype: Any) -> Any:
    """The array whose address and length stand at a place of `places_of`."""
    kind = types.Array(dtype.dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, length = _place(context, builder, signature.args[0], *arguments[:2])
        return _array(context, builder, kind, address, [length])

    return kind(places, types.int64, dtype), generate


@intrinsic
def matrix_at(typing: Any, places: Any, number: Any, columns: Any, dtype: Any) -> Any:
    """The array whose address and length are entry `number` of `places_of`."""
    kind = types.Array(dtype.dtype, 2, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, length = _place(context, builder, signature.args[0], *arguments[:2])
        return _array(context, builder, kind, address, [length, arguments[2]])

    return kind(places, types.int64, types.int64, dtype), generate


def _place(context: Any, builder: Any, kind: Any, places: Any, number: Any) -> tuple[Any, Any]:
    """The matrix with so many columns whose address and length are entry `number`."""
    at = builder.add(number, number)
    data = context.make_array(kind)(context, builder, places).data
    after = builder.add(at, at.type(1))
    return builder.load(builder.gep(data, [at])), builder.load(builder.gep(data, [after]))


def _array(context: Any, builder: Any, kind: Any, address: Any, shape: list[Any]) -> Any:
    """An array over memory that somebody else holds."""
    array = context.make_array(kind)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides = [context.get_constant(types.intp, size)]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(
        array, builder.inttoptr(address, array.data.type), shape, strides, strides[-1], None
    )
    return array._getvalue()


class VectorType(types.Type):
    """Type of a vector of W words with the operators & | ^ ~ + << >>."""

    def __init__(self, words: int) -> None:
        self.words = words
        super().__init__(name=f"Vector({words})")


@register_model(VectorType)
class VectorModel(PrimitiveModel):
    """Data model of vectors: LLVM vectors of 64-bit integers."""

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


def _operator(function: Any, build: Callable[[Any, Any, Any], Any], right: Any) -> None:
    """Define an operator on a vector and another one, or a word that is used for each word."""

    @type_callable(function)
    def type_operator(context: Any) -> Any:
        def result(one: Any, other: Any) -> Any:
            fits = isinstance(one, VectorType) and isinstance(other, right)
            return one if fits else None

        return result

    @lower_builtin(function, VectorType, right)
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one, other = arguments
        if right is not VectorType:
            other = _broadcast(builder, other, signature.args[0].words)
        return build(builder, one, other)


for _function, _build in (
    (operator.and_, ir.IRBuilder.and_),
    (operator.iand, ir.IRBuilder.and_),
    (operator.or_, ir.IRBuilder.or_),
    (operator.ior, ir.IRBuilder.or_),
    (operator.xor, ir.IRBuilder.xor),
    (operator.ixor, ir.IRBuilder.xor),
    (operator.add, ir.IRBuilder.add),
):
    _operator(_function, _build, VectorType)
_operator(operator.lshift, ir.IRBuilder.shl, types.Integer)
_operator(operator.rshift, ir.IRBuilder.lshr, types.Integer)


@type_callable(operator.invert)
def _type_inverse(context: Any) -> Any:
    return lambda value: value if isinstance(value, VectorType) else None


@lower_builtin(operator.invert, VectorType)
def _inverse(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.not_(arguments[0])


@intrinsic
def union_of_words(typing: Any, value: Any) -> Any:
    """Bitwise or of all words, which is not zero if any lane is set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        name = f"llvm.vector.reduce.or.v{value.words}i64"
        kind = ir.FunctionType(WORD, [_llvm(value)])
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(function, [arguments[0]])

    return types.uint64(value), generate


@intrinsic
def population(typing: Any, value: Any) -> Any:
    """Number of lanes that are set."""

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
