"""The text that a call becomes: forms, numbers of the element type, masks, structures, results, template arguments."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ferrata.lang.binding import bind, bind_method, construct, field
from ferrata.lang.elements import DtypeVar, Element, bf16, f16, f32, i8, i16, i32, i64, u8, u16, u32, u64
from ferrata.lang.values import BOOL, FLOAT, INT, NONE, LocalType, OpaqueType, ScalarType, StructType, Value
from tests.lang.binding_values import Recorder, device, element, items, local, member, number, variable

N = variable("n")
T = DtypeVar("T", (f16, f32, i32))
B = DtypeVar("T", (f16, bf16))
ONES = items(*(number(value) for value in (1, 1, 1, 8, 8, 8)))


def text(name: str, *args: Value, **kwargs: Value) -> str:
    """The statements and the expression, a line each."""
    context = Recorder()
    value = bind(name, args, kwargs, context)
    return "\n".join([*context.lines, value.cpp])


def tensors(of: Element) -> tuple[Value, Value, Value]:
    return local("c", of), local("a", of), local("b", of)


def test_the_count_form() -> None:
    assert text("add", *tensors(f16), N) == "Add(c, a, b, n)"


def test_a_number_is_a_contiguous_mask() -> None:
    assert text("add", *tensors(f16), number(64), number(4), ONES) == "Add(c, a, b, 64, 4, {1, 1, 1, 8, 8, 8})"


def test_a_list_is_a_mask_of_bits() -> None:
    bits = items(number(2**64 - 1), number(0xFF))
    assert text("add", *tensors(f16), bits, number(4), ONES) == (
        "uint64_t mask[2] = {0xFFFFFFFFFFFFFFFFULL, 0xFF};\nAdd(c, a, b, mask, 4, {1, 1, 1, 8, 8, 8})"
    )


def test_one_word_of_a_mask_leaves_the_upper_lanes_off() -> None:
    assert text("add", *tensors(f32), items(number(5)), number(1), ONES).startswith("uint64_t mask[2] = {5, 0};")


def test_no_count_is_the_operator_between_tensors() -> None:
    assert text("add", *tensors(f16)) == "c = a + b"
    assert text("compare", local("c", u8), *tensors(f16)[1:], member("CMPMODE.GE")) == "c = a >= b"


@pytest.mark.parametrize("name", ["is_set_mask", "isSetMask"])
def test_parameters_have_both_spellings(name: str) -> None:
    arguments = {name: number(False), "mask": number(8), "repeatTime": number(1), "repeat_params": ONES}
    assert text("add", *tensors(f16), **arguments) == "Add<half, false>(c, a, b, 8, 1, {1, 1, 1, 8, 8, 8})"


def test_a_default_template_value_is_not_written() -> None:
    assert text("add", *tensors(f16), number(8), number(1), ONES, is_set_mask=number(True)).startswith("Add(c")


@pytest.mark.parametrize(
    ("given", "of", "expected"),
    [
        (number(2.0), f16, "static_cast<half>(2.0f)"),
        (number(2), f16, "static_cast<half>(2.0f)"),
        (number(2.0), f32, "2.0f"),
        (number(2), f32, "2.0f"),
        (number(2), i32, "2"),
        (number(2.0), i32, "2"),
        (number(2), i16, "static_cast<int16_t>(2)"),
        (number(2.0), T, "static_cast<T>(2.0f)"),
        (number(2), T, "static_cast<T>(2)"),
        (number(1e-6), f32, "1e-06f"),
        (number(-1), i16, "static_cast<int16_t>(-1)"),
        (variable("alpha", FLOAT), f32, "alpha"),
        (variable("alpha", FLOAT), f16, "static_cast<half>(alpha)"),
        (variable("alpha", FLOAT), T, "static_cast<T>(alpha)"),
        (variable("k"), i32, "static_cast<int32_t>(k)"),
        (variable("v", ScalarType(T)), T, "v"),
        (variable("v", ScalarType(bf16)), f32, "Cast(v)"),
        (Value("EPS", FLOAT, const=1e-5), f32, "EPS"),
        (Value("EPS", FLOAT, const=1e-5), f16, "static_cast<half>(EPS)"),
    ],
)
def test_a_number_becomes_the_element_type(given: Value, of: Element, expected: str) -> None:
    assert text("muls", local("c", of), local("a", of), given, N) == f"Muls(c, a, {expected}, n)"


@pytest.mark.parametrize("name", ["adds", "muls", "maxs", "mins"])
def test_a_scalar_stands_on_either_side(name: str) -> None:
    c, a, _ = tensors(f32)
    assert text(name, c, number(2.0), a, N) == text(name, c, a, number(2.0), N)


def test_bfloat16_numbers_are_built_by_cast() -> None:
    assert text("duplicate", local("c", bf16), number(0.5), N) == "Duplicate(c, Cast(0.5f), n)"
    assert text("duplicate", local("c", bf16), variable("x", FLOAT), N) == "Duplicate(c, Cast(x), n)"


def test_a_variable_that_may_be_bfloat16_gets_a_helper() -> None:
    context = Recorder()
    assert bind("duplicate", [local("c", B), number(0.5), N], {}, context).cpp == "Duplicate(c, FromFloat<T>(0.5f), n)"
    assert list(context.helpers) == ["FromFloat"]


def test_a_variable_that_cannot_be_bfloat16_here_gets_none() -> None:
    context = Recorder(narrowed={"T": (f16,)})
    assert (
        bind("duplicate", [local("c", B), number(0.5), N], {}, context).cpp == "Duplicate(c, static_cast<T>(0.5f), n)"
    )
    assert not context.helpers


def test_a_structure_may_be_a_tuple() -> None:
    x = device("x", f16)
    params = items(number(1), N, number(0), number(0), number(0))
    pad = items(number(False), number(0), variable("r", ScalarType(u8)), number(0))
    assert text("data_copy_pad", local("c", f16), x, params, pad) == (
        "DataCopyPad(c, x, {1, static_cast<uint32_t>(n), 0, 0, 0}, {false, 0, r, 0})"
    )


def test_the_number_of_fields_chooses_the_structure() -> None:
    x = device("x", f16)
    four = items(*(number(1) for _ in range(4)))
    eight = items(*(number(1) for _ in range(8)))
    assert text("data_copy", local("c", f16), x, four) == "DataCopy(c, x, {1, 1, 1, 1})"
    assert text("data_copy", local("c", f16), x, eight) == "DataCopy(c, x, {1, 1, 1, 1, 1, 1, 1, 1})"


@pytest.mark.parametrize("name", ["block_len", "blockLen"])
def test_fields_have_both_spellings(name: str) -> None:
    value = construct("DataCopyExtParams", [], {name: N}, Recorder())
    assert value.cpp == "DataCopyExtParams{1, static_cast<uint32_t>(n), 0, 0, 0}"
    assert value.type == StructType("DataCopyExtParams")


def test_a_field_of_its_type_is_not_converted() -> None:
    value = construct("DataCopyExtParams", [], {"block_len": variable("k", ScalarType(u32))}, Recorder())
    assert value.cpp == "DataCopyExtParams{1, k, 0, 0, 0}"


def test_a_field_that_holds_every_number_of_a_type_needs_no_conversion() -> None:
    value = construct("DataCopyExtParams", [], {"block_len": variable("k", ScalarType(u8))}, Recorder())
    assert value.cpp == "DataCopyExtParams{1, k, 0, 0, 0}"


def test_fields_that_no_constructor_takes_are_set_on_a_variable() -> None:
    context = Recorder()
    value = construct("UnaryRepeatParams", [number(1), number(1)], {"block_number": number(4)}, context)
    assert value.cpp == "params"
    assert context.lines == ["UnaryRepeatParams params = UnaryRepeatParams{1, 1, 8, 8};", "params.blockNumber = 4;"]


def test_a_structure_of_an_element_type() -> None:
    value = construct(
        "DataCopyPadExtParams", [element(T), number(True), number(0), number(3), number(1.0)], {}, Recorder()
    )
    assert value.cpp == "DataCopyPadExtParams<T>{true, 0, 3, static_cast<T>(1.0f)}"


def test_lists_in_structures_become_arrays() -> None:
    context = Recorder()
    lengths = items(*(number(32) for _ in range(4)))
    value = construct("MrgSort4Info", [lengths, number(False), number(15), number(1)], {}, context)
    assert context.lines == ["uint16_t elementLengths[4] = {32, 32, 32, 32};"]
    assert value.cpp == "MrgSort4Info{elementLengths, false, 15, 1}"


def test_a_field_is_read_under_both_names_of_a_union() -> None:
    params = Value("p", StructType("DataCopyParams"))
    assert field(params, "src_gap", Recorder()).cpp == "p.srcGap"
    assert field(params, "src_stride", Recorder()) == Value("p.srcStride", ScalarType(u16))


def test_required_template_values_come_first_or_by_name() -> None:
    dst, src, _ = tensors(f16)
    rest = [number(value) for value in (64, 4, 1, 1, 8)]
    expected = "ReduceRepeat<ReduceType::SUM>(c, a, 64, 4, 1, 1, 8)"
    assert text("reduce_repeat", member("ReduceType.SUM"), dst, src, *rest) == expected
    assert text("reduce_repeat", dst, src, *rest, reduce_type=member("ReduceType.SUM")) == expected


def test_an_order_that_is_given_writes_the_defaults_before_it() -> None:
    dst, src, _ = tensors(f16)
    rest = [number(value) for value in (64, 4, 1, 1, 8)]
    order = member("ReduceOrder.ORDER_ONLY_INDEX")
    assert text("whole_reduce_max", dst, src, *rest, order) == (
        "WholeReduceMax(c, a, 64, 4, 1, 1, 8, ReduceOrder::ORDER_ONLY_INDEX)"
    )
    assert text("reduce_repeat", member("ReduceType.MAX"), dst, src, *rest, order=order, is_set_mask=number(False)) == (
        "ReduceRepeat<ReduceType::MAX, half, half, false>(c, a, 64, 4, 1, 1, 8, ReduceOrder::ORDER_ONLY_INDEX)"
    )


def test_pipes_events_and_barriers() -> None:
    assert text("pipe_barrier", member("V")) == "PipeBarrier<PIPE_V>()"
    assert text("set_flag", member("HardEvent.MTE2_V"), number(0)) == "SetFlag<HardEvent::MTE2_V>(0)"
    assert text("set_flag", member("HardEvent.MTE2_V"), member("EVENT_ID3")) == "SetFlag<HardEvent::MTE2_V>(EVENT_ID3)"
    assert text("cross_core_set_flag", number(2), member("MTE3"), number(3)) == "CrossCoreSetFlag<2, PIPE_MTE3>(3)"
    assert text("Mutex.lock", member("V"), number(0)) == "Mutex::Lock<PIPE_V>(0)"


def test_a_variable_of_an_enumeration_is_its_value_in_a_template() -> None:
    event = replace(member("HardEvent.MTE2_V"), cpp="e")
    assert text("set_flag", event, number(0)) == "SetFlag<HardEvent::MTE2_V>(0)"


def test_what_cpp_fills_is_a_result() -> None:
    context = Recorder()
    params = items(number(1), number(1), number(8), number(8))
    value = bind("gather_mask", [*tensors(f16)[:2], number(1), number(False), number(0), params], {}, context)
    assert context.lines == ["uint64_t rsvdCnt = 0;", "GatherMask(c, a, 1, false, 0, {1, 1, 8, 8}, rsvdCnt);"]
    assert value == Value("rsvdCnt", ScalarType(u64))


def test_several_results_are_a_tuple() -> None:
    context = Recorder()
    value = bind("get_reduce_repeat_max_min_spr", [element(f16)], {}, context)
    assert [item.cpp for item in value.items] == ["maxMinValue", "IndexBits(maxMinIndex)"]
    assert [item.type for item in value.items] == [
        ScalarType(f16),
        ScalarType(u32),
    ]  # the index is an integer in its bits
    assert context.lines[-1] == "GetReduceRepeatMaxMinSpr<half>(maxMinValue, maxMinIndex);"


def test_a_result_that_is_none_is_not_asked_for() -> None:
    context = Recorder()
    value = bind("get_reduce_repeat_max_min_spr", [element(f16)], {"max_min_index": Value("", NONE)}, context)
    assert value == Value("maxMinValue", ScalarType(f16))
    assert context.lines[-1] == "GetReduceRepeatMaxMinSpr<half>(maxMinValue);"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (("get_block_idx", []), i64),
        (("get_system_cycle", []), i64),
        (("get_vec_len", []), u32),
        (("ceil_division", [N, number(8)]), i32),
        (("scalar_cast", [variable("x", FLOAT), element(i32), member("RoundMode.CAST_RINT")]), i32),
        (("get_reduce_repeat_sum_spr", [element(f16)]), f16),
        (("cast", [variable("x", FLOAT)]), bf16),
        (("cast", [variable("x", ScalarType(bf16))]), f32),
    ],
)
def test_results_have_their_types(call: tuple[str, list[Value]], expected: Element) -> None:
    assert bind(call[0], call[1], {}, Recorder()).type == ScalarType(expected)


def test_a_member_of_a_tensor() -> None:
    value = bind_method(local("a", f16), "get_value", [number(3)], {}, Recorder())
    assert (value.cpp, value.type) == ("a.GetValue(3)", ScalarType(f16))
    assert bind_method(local("a", f16), "set_value", [number(3), number(1.0)], {}, Recorder()).cpp == (
        "a.SetValue(3, static_cast<half>(1.0f))"
    )


def test_a_template_member_of_a_dependent_tensor_says_template() -> None:
    value = bind_method(local("a", T), "reinterpret_cast", [element(i16)], {}, Recorder())
    assert (value.cpp, value.type) == ("a.template ReinterpretCast<int16_t>()", LocalType(i16))
    assert bind_method(local("a", f16), "reinterpret_cast", [element(i16)], {}, Recorder()).cpp == (
        "a.ReinterpretCast<int16_t>()"
    )


def test_members_of_queues_and_buffers() -> None:
    queue = Value("q", OpaqueType("TQue<TPosition::VECIN, 2>"))
    taken = bind_method(queue, "alloc_tensor", [element(f16)], {}, Recorder())
    assert (taken.cpp, taken.type) == ("q.AllocTensor<half>()", LocalType(f16, "VECIN"))
    assert bind_method(queue, "en_que", [local("a", f16)], {}, Recorder()).type == BOOL
    buffer = Value("b", OpaqueType("TBuf<TPosition::VECCALC>"))
    assert bind_method(buffer, "get", [], {"dtype": element(T)}, Recorder()).cpp == "b.Get<T>()"


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("TPipe", [], "TPipe()"),
        ("TQue", [member("VECIN"), number(2)], "TQue<TPosition::VECIN, 2>()"),
        ("TBuf", [], "TBuf<>()"),
        ("TQueSync", [member("MTE2"), member("V")], "TQueSync<PIPE_MTE2, PIPE_V>()"),
        ("LocalMemAllocator", [], "LocalMemAllocator<>()"),
        ("GlobalTensor", [element(T)], "GlobalTensor<T>()"),
    ],
)
def test_objects_are_made_by_their_classes(name: str, args: list[Value], expected: str) -> None:
    assert construct(name, args, {}, Recorder()).cpp == expected


def test_printf_prints_the_width_that_an_argument_has() -> None:
    form = Value("", OpaqueType("text"), const='n = %d of %i, x = %.2f "%s" 100%%\n')
    word = Value("", OpaqueType("text"), const="core")
    assert text("printf", form, N, number(3), variable("h", ScalarType(f16)), word) == (
        'printf("n = %ld of %i, x = %.2f \\"%s\\" 100%%\\n", n, 3, static_cast<float>(h), "core")'
    )


def test_printf_knows_a_named_constant_by_its_type() -> None:
    form = Value("", OpaqueType("text"), const="%d %d")
    assert text("printf", form, Value("LIMIT", INT, const=3), number(3)) == 'printf("%ld %d", LIMIT, 3)'


def test_printf_widens_what_may_be_bfloat16() -> None:
    form = Value("", OpaqueType("text"), const="%f")
    context = Recorder()
    assert bind("printf", [form, variable("v", ScalarType(B))], {}, context).cpp == 'printf("%f", ToFloat(v))'
    assert list(context.helpers) == ["ToFloat"]


def test_an_argument_that_cpp_wants_as_a_variable_becomes_one() -> None:
    view = Value("buf[64]", LocalType(f16))
    assert text("concat", view, local("a", f16), local("t", f16), number(2)) == (
        "LocalTensor<half> concat = buf[64];\nConcat(concat, a, t, 2)"
    )


def test_an_old_name_stays() -> None:
    assert text("fused_mul_add_relu", *tensors(f16), N) == "FusedMulAddRelu(c, a, b, n)"


def test_int8_goes_where_it_may() -> None:
    assert text("cast", local("c", f16), local("a", i8), member("RoundMode.CAST_NONE"), N) == (
        "Cast(c, a, RoundMode::CAST_NONE, n)"
    )
