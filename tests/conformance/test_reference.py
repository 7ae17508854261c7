"""The references against the worked examples of the specification, before any emulation comes into play."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.conformance.reference import arith, cast, compare, copies, fill, layout, reduce, sort
from tests.conformance.reference.addressing import MaskState, Operand, active, counted, elementwise, lanes, set_by_call
from tests.conformance.reference.memory import NUMPY, Image

INF, NAN = float("inf"), float("nan")


def blank(size: int = 4096) -> Image:
    return Image(np.zeros(size, np.uint8))


def put(image: Image, dtype: str, byte: int, content: object) -> None:
    data = np.ascontiguousarray(np.asarray(content, NUMPY[dtype])).view(np.uint8)
    image.data[byte : byte + data.size] = data


def get(image: Image, dtype: str, byte: int, count: int) -> list[object]:
    return image.data[byte : byte + count * np.dtype(NUMPY[dtype]).itemsize].view(NUMPY[dtype]).tolist()


# --- addressing and masks ---


@pytest.mark.parametrize(
    ("operand", "per_repeat", "repeat", "lane", "byte"),
    [
        (Operand("float", 0, 2, 16), 64, 1, 13, 596),
        (Operand("float", 0, 1, 8), 64, 1, 13, 308),
        (Operand("half", 0, 1, 4), 64, 2, 37, 330),
        (Operand("int32_t", 0, 1, 8), 64, 2, 37, 660),
    ],
)
def test_a_lane_lives_at(operand: Operand, per_repeat: int, repeat: int, lane: int, byte: int) -> None:
    size = np.dtype(NUMPY[operand.dtype]).itemsize
    assert lanes(operand, 3, per_repeat)[repeat, lane] * size == byte


def test_counter_mode_runs_partial_repeats() -> None:
    assert active(MaskState(True, 300, 0), 128, 0).sum(axis=1).tolist() == [128, 128, 44]


def test_mask_words_go_low_first() -> None:
    state = set_by_call(MaskState(), (0x5, 0x1), 128)
    assert np.flatnonzero(active(state, 128, 1)[0]).tolist() == [0, 2, 64]


def test_a_contiguous_mask_enables_the_lowest_lanes() -> None:
    state = set_by_call(MaskState(), 70, 128)
    assert (state.low, state.high) == ((1 << 64) - 1, 0x3F)


def test_repeats_accumulate_where_dst_is_src1() -> None:
    image = blank()
    put(image, "float", 0, np.arange(3 * 64))
    total = Operand("float", 1024, 1, 0)
    elementwise(image, total, [Operand("float", 0), total], np.ones((3, 64), bool), lambda a, b: a + b)
    assert get(image, "float", 1024, 2) == [0 + 64 + 128, 1 + 65 + 129]


# --- arithmetic ---


def test_multiply_add_has_two_roundings() -> None:
    a, b = np.float16([1.2001953125]), np.float16([-1.4404296875])
    assert arith.OPS["MulAddDst"](a, a, b, arith.Context("half")).tolist() == [0]


def test_half_products_are_exact_for_a_float_destination() -> None:
    a = np.float16([1.2001953125])
    assert arith.OPS["MulAddDst"](a, a, np.float32([0]), arith.Context("float")).tolist() == [1.2001953125**2]


@pytest.mark.parametrize(("value", "n", "result"), [(0x9003, 2, 0xC00C), (0x4001, 1, 0x0002)])
def test_signed_left_shift_keeps_the_sign_bit(value: int, n: int, result: int) -> None:
    x = np.array([value], np.uint16).view(np.int16)
    assert arith.shift_left(x, n).view(np.uint16).tolist() == [result]


@pytest.mark.parametrize(("value", "result"), [(22, 6), (-22, -5), (14, 4), (-14, -3)])
def test_right_shift_rounds_with_the_last_bit_lost(value: int, result: int) -> None:
    assert arith.shift_right(np.int16([value]), 2, True).tolist() == [result]


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        ("Abs", [[-0.0, -INF]], [0.0, INF]),
        ("Relu", [[-0.0, -INF, NAN, 2]], [0.0, 0.0, NAN, 2]),
        ("Exp", [[-INF, 0, INF, NAN]], [0, 1, INF, NAN]),
        ("Ln", [[0.0, -0.0, -1, -INF, INF]], [-INF, -INF, NAN, NAN, INF]),
        ("Sqrt", [[-0.0, -1, INF]], [-0.0, NAN, INF]),
        ("Rsqrt", [[0.0, -0.0, -1, INF]], [INF, -INF, NAN, 0]),
        ("Reciprocal", [[0.0, -0.0, INF, -INF]], [INF, -INF, 0.0, -0.0]),
        ("Div", [[1, 0, INF, 1], [-0.0, 0, INF, INF]], [-INF, NAN, NAN, 0]),
        ("Max", [[0.0, -0.0, NAN], [-0.0, 0.0, 1]], [0.0, 0.0, NAN]),
        ("Min", [[0.0, -0.0, 1], [-0.0, 0.0, NAN]], [-0.0, -0.0, NAN]),
        ("Add", [[-0.0, -0.0, INF], [-0.0, 0.0, -INF]], [-0.0, 0.0, NAN]),
    ],
)
@pytest.mark.parametrize("dtype", ["half", "float"])
def test_special_values(name: str, inputs: list[list[float]], expected: list[float], dtype: str) -> None:
    with np.errstate(all="ignore"):
        got = arith.OPS[name](*(np.array(x, NUMPY[dtype]) for x in inputs), arith.Context(dtype))
    want = np.array(expected, NUMPY[dtype])
    assert ((got == want) & (np.signbit(got) == np.signbit(want)) | (np.isnan(got) & np.isnan(want))).all()


def test_leaky_relu_goes_by_the_sign_bit() -> None:
    with np.errstate(all="ignore"):
        got = arith.OPS["LeakyRelu"](np.float32([-0.0, 0.0]), arith.Context("float", np.float32(INF)))
    assert np.isnan(got[0]) and got[1] == 0


def test_subnormals_are_kept() -> None:
    got = arith.OPS["Reciprocal"](np.array([np.finfo(np.float32).max]), arith.Context("float"))
    assert got[0] == np.float32(2.938736e-39)


# --- conversions ---


@pytest.mark.parametrize(
    ("value", "by_mode"),
    [(2.5, (2, 2, 3, 3, 2)), (-2.5, (-2, -3, -2, -3, -2)), (1.3, (1, 1, 2, 1, 1)), (-1.3, (-1, -2, -1, -1, -1))],
)
def test_rounding_to_integers(value: float, by_mode: tuple[int, ...]) -> None:
    modes = ("RINT", "FLOOR", "CEIL", "ROUND", "TRUNC")
    assert tuple(int(cast.to_integer(np.float16([value]), "int32_t", m)[0]) for m in modes) == by_mode


@pytest.mark.parametrize(
    ("value", "odd", "nearest"),
    [(1 + 3 * 2**-12, 0x3C01, 0x3C01), (1 + 2**-12, 0x3C01, 0x3C00), (1 + 2**-10 + 2**-11, 0x3C01, 0x3C02)],
)
def test_rounding_to_odd(value: float, odd: int, nearest: int) -> None:
    bits = [int(cast.to_float(np.float32([value]), "half", m).view(np.uint16)[0]) for m in ("ODD", "RINT")]
    assert bits == [odd, nearest]


@pytest.mark.parametrize(
    ("value", "source", "target", "mode", "result"),
    [
        (2049, "int16_t", "half", "TRUNC", 2048), (2049, "int16_t", "half", "RINT", 2048),
        (2049, "int16_t", "half", "CEIL", 2050), (2049, "int16_t", "half", "ROUND", 2050),
        (32767, "int16_t", "half", "RINT", 32768), (32767, "int16_t", "float", "NONE", 32767),
        (127.75, "half", "int8_t", "RINT", 127), (-3, "half", "uint8_t", "RINT", 0),
        (10.5, "bfloat16_t", "int32_t", "RINT", 10), (10.5, "bfloat16_t", "int32_t", "ROUND", 11),
        (2**31 - 1, "int32_t", "float", "RINT", 2147483648), (2**31 - 1, "int32_t", "float", "FLOOR", 2147483520),
        (2**24 + 1, "int64_t", "float", "TRUNC", 16777216), (2**24 + 1, "int64_t", "float", "CEIL", 16777218),
        (2**40, "int64_t", "int32_t", "NONE", 2**31 - 1), (-70000, "int32_t", "int16_t", "NONE", -32768),
        (INF, "float", "int64_t", "RINT", 2**63 - 1), (-INF, "float", "int32_t", "RINT", -(2**31)),
        (NAN, "float", "int32_t", "FLOOR", 0), (70000, "float", "half", "RINT", INF),
        (4.5, "float", "int32_t", "RINT", 4), (4.5, "float", "int32_t", "ROUND", 5),
        (0.1, "float", "half", "ODD", 0.10003662109375), (0.1, "float", "bfloat16_t", "RINT", 0.10009765625),
    ],
)  # fmt: skip
def test_conversions(value: float, source: str, target: str, mode: str, result: float) -> None:
    with np.errstate(all="ignore"):
        assert cast.cast(np.array([value], NUMPY[source]), source, target, mode)[0] == result


def test_float_casts_agree_with_ml_dtypes_and_numpy() -> None:
    x = np.random.default_rng(1).integers(0, 2**32, 100000, dtype=np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        for target, dtype in (("bfloat16_t", ml_dtypes.bfloat16), ("half", np.float16)):
            got, want = cast.to_float(x, target, "RINT"), x.astype(dtype)
            same = got.view(np.uint16) == want.view(np.uint16)
            assert (same | np.isnan(x)).all()


def test_saturated_conversion() -> None:
    with np.errstate(all="ignore"):
        got = cast.to_float(np.float32([NAN, INF, -INF, 1e9]), "half", "RINT", saturate=True)
    assert got.tolist() == [0, 65504, -65504, 65504]


def test_int4_packs_the_even_element_low() -> None:
    image = blank(32)
    image.write("int4b_t", np.array([0, 1]), np.int8([-1, 3]))
    assert image.data[0] == 0x3F and image.read("int4b_t", np.array([0, 1])).tolist() == [-1, 3]


def test_dequantisation() -> None:
    assert cast.dequantise(np.int16([300]), np.array(0.5), np.array(10), "int8_t").tolist() == [127]
    assert cast.cast(np.int32([7]), "int32_t", "half", "NONE", 0.5).tolist() == [3.5]


# --- comparisons ---


def test_compare_packs_least_significant_first() -> None:
    image = blank()
    put(image, "float", 0, [1, 5, 3, 8, 2, 2, 9, 0])
    compare.compare_to_memory(image, 2048, [Operand("float", 0)], 1, "LT", np.float32(4))
    assert image.data[2048] == 0xB5


def test_nan_compares_false_in_every_mode() -> None:
    nan = np.float32([NAN])
    assert not any(compare.compare(nan, nan, mode)[0] for mode in compare.MODES)


def test_gather_mask_packs_and_restarts_in_each_repeat() -> None:
    image = blank()
    put(image, "float", 0, np.arange(10, 18))
    taken = compare.gather_mask(image, Operand("float", 1024), Operand("float", 0), 3, 1, 8)
    assert (taken, get(image, "float", 1024, 2)) == (2, [10, 14])
    put(image, "uint16_t", 512, [0x12])
    put(image, "half", 0, np.arange(16))
    assert (
        compare.gather_mask(image, Operand("half", 1024), Operand("half", 0), Operand("uint16_t", 512, 1, 0), 1, 16)
        == 2
    )
    assert get(image, "half", 1024, 2) == [1, 4]


# --- reductions ---


def one_repeat(values: list[float]) -> tuple[np.ndarray, np.ndarray]:
    row = np.zeros(128, np.float16)
    row[: len(values)] = values
    return row, counted(len(values), 128)[0]


def test_a_sum_is_a_tree() -> None:
    assert reduce.tree(*one_repeat([2048, 1, 1, 1]), "SUM", False)[0] == 2050


@pytest.mark.parametrize(("last", "total"), [(NAN, 126), (-INF, -65376)])
def test_saturated_sum(last: float, total: float) -> None:
    with np.errstate(all="ignore"):
        assert reduce.tree(*one_repeat([1.0] * 127 + [last]), "SUM", True)[0] == total


def test_saturated_maximum_with_a_nan_is_zero() -> None:
    assert reduce.tree(*one_repeat([5, NAN, 7]), "MAX", True)[0] == 0


@pytest.mark.parametrize(
    ("order", "record"),
    [("VALUE_INDEX", "80471500"), ("INDEX_VALUE", "15008047"), ("ONLY_VALUE", "8047"), ("ONLY_INDEX", "15000000")],
)
def test_records_of_a_maximum(order: str, record: str) -> None:
    image = blank()
    put(image, "half", 2 * 21, [7.5])
    reduce.per_repeat(image, Operand("half", 1024, 1, 1), Operand("half", 0), counted(128, 128), "MAX", order, False)
    assert image.data[1024 : 1024 + len(record) // 2].tobytes().hex() == record


# --- gather, sort, layout ---


def test_gather_takes_byte_offsets() -> None:
    image = blank()
    put(image, "half", 0, np.arange(16))
    put(image, "uint32_t", 512, [0, 2, 10])
    fill.gather(image, Operand("half", 1024), 0, 4, 512, counted(3, 128))
    assert get(image, "half", 1024, 3) == [2, 3, 7]


def test_interpolation() -> None:
    image = blank(1 << 14)
    put(image, "half", 0, np.arange(512))
    put(image, "uint32_t", 2048, np.arange(0, 1024, 32))
    put(image, "half", 3072, [1, 2, 3, 4])
    fill.interpolate(image, 4096, 0, 2048, 3072, (2, 2), (256, 1), False, [True] * 128)
    assert get(image, "half", 4096, 1) == [256] and get(image, "half", 4096 + 512, 1) == [2304]


def test_sort_records() -> None:
    image = blank()
    put(image, "float", 0, [1.5] + [0] * 31)
    put(image, "uint32_t", 128, [9] * 32)
    sort.sort_groups(image, "float", 1024, 0, 128, 32, 32)
    assert image.data[1024:1032].tobytes().hex() == "0000c03f09000000"


def test_a_suspended_merge_stops_when_a_queue_is_used_up() -> None:
    queues = [(np.float32([9, 5]), np.uint32([0, 1])), (np.float32([7, 6]), np.uint32([2, 3]))]
    picks, taken = sort.merge(queues, True)
    assert ([float(queues[q][0][k]) for q, k in picks], taken) == ([9, 7, 6], [1, 2])


@pytest.mark.parametrize(
    ("dtype", "dst", "src"),
    [("half", (3, 5), (5, 3)), ("int32_t", (6, 2), (2, 3)), ("int32_t", (7, 2), (10, 3)), ("int8_t", (3, 21), (5, 19))],
)
def test_trans_data(dtype: str, dst: tuple[int, int], src: tuple[int, int]) -> None:
    image = Image(np.random.default_rng(0).integers(0, 256, 2048, dtype=np.uint8))
    places = [512 + 32 * k for k in range(16)]
    sources = [1024 + 32 * k for k in range(16)]
    layout.trans_data(image, dtype, places, sources, 1, (0, 0), (True, True))
    size = np.dtype(NUMPY[dtype]).itemsize
    at = lambda base, block, element: get(image, dtype, base[block] + element * size, 1)  # noqa: E731
    assert at(places, *dst) == at(sources, *src)


# --- copies ---


def test_data_copy_drops_the_remainder() -> None:
    src, dst = Image(np.arange(128, dtype=np.uint8)), blank(128)
    copies.contiguous(copies.Place(dst, 0), copies.Place(src, 0), 21, "float")
    assert np.flatnonzero(dst.data).max() == 63


def test_data_copy_params_pack_blocks() -> None:
    src, dst = Image((np.arange(256) % 251).astype(np.uint8)), blank(256)
    copies.blocks(copies.Place(dst, 0), copies.Place(src, 0), 3, 2, 1, 0)
    want = np.concatenate([src.data[0:64], src.data[96:160], src.data[192:256]])
    assert (dst.data[:192] == want).all() and not dst.data[192:].any()


def test_data_copy_pad() -> None:
    src, dst = blank(128), blank(256)
    put(src, "float", 0, np.arange(1, 19))
    value = int(np.float32(9).view(np.uint32))
    copies.pad_in(copies.Place(dst, 0), copies.Place(src, 0), "float", 3, 20, 4, 1, (True, 1, 2, value))
    assert [get(dst, "float", 64 * k, 8) for k in range(3)] == [
        [9, *range(6 * k + 1, 6 * k + 6), 9, 9] for k in range(3)
    ]  # fmt: skip


def test_nd_to_nz() -> None:
    src, dst = blank(256), Image(np.full(2048, 0xFF, np.uint8))
    put(src, "half", 0, np.arange(60))
    copies.nd_to_nz(copies.Place(dst, 0), copies.Place(src, 0), "half", (1, 3, 20, 0, 20, 16, 1, 0))
    assert get(dst, "half", 2 * 289, 1) == [2 * 20 + 17]
    assert get(dst, "half", 2 * 256 + 8, 12) == [0] * 12


def test_slices() -> None:
    src = [copies.Slice(8, 39, 16, 1, 64), copies.Slice(1, 3, 1, 1, 4)]
    starts = copies._starts(src, 8)
    assert starts == [64 + 8, 64 + 32, 192 + 8, 192 + 32]
