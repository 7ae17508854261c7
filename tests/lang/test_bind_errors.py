"""What binding refuses, with the whole message: unknown names, forms, element types, ranges, fields."""

from __future__ import annotations

import inspect

import pytest

from ferrata.errors import (
    ArgumentNotTaken,
    ArgumentOutOfRange,
    ElementTypeNotTaken,
    KernelSourceError,
    NoMatchingForm,
    NotConstant,
    NotOnThisChip,
    UnknownAttribute,
    UnknownField,
    UnknownInterface,
    WrongArguments,
)
from ferrata.lang.apis.casts import CASTS
from ferrata.lang.apis.casts import ROWS as CONVERSIONS
from ferrata.lang.binding import bind, bind_method, construct, field
from ferrata.lang.elements import ALL, DtypeVar, bf16, by_cpp, f16, f32, i8, i16, i32, u8, u32
from ferrata.lang.values import BOOL, FLOAT, OpaqueType, ScalarType, StructType, Value
from tests.lang.binding_values import Recorder, device, element, items, local, member, number, variable

N = variable("n")
ONES = items(*(number(value) for value in (1, 1, 1, 8, 8, 8)))
T = DtypeVar("T", (f16, f32, i32))
C, A, B = (local(name, f16) for name in "cab")


def refused(kind: type[KernelSourceError], name: str, *args: Value, **kwargs: Value) -> str:
    """The message, without the place that every one has at its head."""
    with pytest.raises(kind) as caught:
        bind(name, args, kwargs, Recorder())
    return str(caught.value).removeprefix("kernel.py:1: ")


def clean(text: str) -> str:
    return inspect.cleandoc(text)


# --- names --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Add", "ac.add"),
        ("DataCopyPad", "ac.data_copy_pad"),
        ("data_cpy_pad", "ac.data_copy_pad, ac.data_copy or ac.data_cache_preload"),
        ("and", "ac.and_"),
        ("dup", "ac.duplicate"),
        ("Or", "ac.or_"),
        ("TransDataTo5HD", "ac.trans_data_to_5hd"),
        ("FusedMulAddRelu", "ac.fused_mul_add_relu"),
        ("wholereducesum", "ac.whole_reduce_sum, ac.whole_reduce_min or ac.whole_reduce_max"),
    ],
)
def test_an_unknown_name_gets_the_nearest(name: str, near: str) -> None:
    assert refused(UnknownInterface, name) == f"there is no ac.{name}. Did you mean {near}?\n\n    call"


def test_a_name_that_is_near_nothing() -> None:
    assert refused(UnknownInterface, "zzz") == "there is no ac.zzz.\n\n    call"


def test_an_interface_of_later_chips() -> None:
    assert refused(NotOnThisChip, "truncate", C, A, N) == clean(
        """
        a kernel for dav-2201 has no ac.truncate.

            call
        It computes Round to integral value in the same type. On dav-2201 use Cast float->float.
        """
    )


def test_an_unknown_member() -> None:
    with pytest.raises(UnknownAttribute) as caught:
        bind_method(C, "get_vale", [number(0)], {}, Recorder())
    assert str(caught.value).startswith("kernel.py:1: a LocalTensor has no 'get_vale'. Did you mean get_value?")


# --- forms --------------------------------------------------------------------------------------------------------


def test_no_form_shows_every_form_and_why_not() -> None:
    assert refused(NoMatchingForm, "add", C, A, number(2.0), N) == clean(
        """
        ac.add has no form for these arguments.

            call
        Its forms:
            ac.add(dst, src0, src1, count)
                src1 takes a local tensor, not 2.0
            ac.add(dst, src0, src1, [low, high], repeat_time, repeat_params: BinaryRepeatParams, *, is_set_mask=True)
                repeat_time is missing
            ac.add(dst, src0, src1, mask, repeat_time, repeat_params: BinaryRepeatParams, *, is_set_mask=True)
                repeat_time is missing
            ac.add(dst, src0, src1)
                it takes 3 arguments by position, not 4
        With a number as operand it is ac.adds.
        """
    )


def test_forms_that_differ_in_where_a_tensor_is_say_so() -> None:
    forms = refused(NoMatchingForm, "data_copy_pad", C, A, N)
    assert (
        "    ac.data_copy_pad(dst: Gm, src: Local, params: DataCopyExtParams)\n"
        "        dst takes a device tensor, not a local tensor of f16\n"
    ) in forms


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "part"),
    [
        ("adds", (C, A, B, N), {}, "With two tensors it is ac.add."),
        ("sub", (C, A, number(1), N), {}, "it is ac.adds with the negated number."),
        ("div", (C, A, number(3), N), {}, "multiply by its reciprocal: ac.muls."),
        ("add", (device("x", f16), A, B, N), {}, "copy the data in first."),
        ("add", (C, A, B, N), {"count": N}, "count is given twice"),
        ("add", (C, A, B), {"cont": N}, "it has no parameter cont; count is one"),
        ("exp", (C, A, variable("x", FLOAT)), {}, "count takes an int, not a float"),
        ("exp", (C, A, number(2.5)), {}, "count takes an int, not 2.5"),
        ("exp", (C, A, number(True)), {}, "count takes an int, not True"),
        ("exp", (C, A, variable("flag", BOOL)), {}, "count takes an int, not a bool"),
        ("muls", (C, A, variable("flag", BOOL), N), {}, "scalar_value takes a number, not a bool"),
        ("exp", (C, A), {}, "count is missing"),
        ("exp", (C, A, items(number(1), number(2), number(3)), number(1), ONES), {}, "not a list of 3"),
        ("cast", (C, A, member("CMPMODE.LT"), N), {}, "round_mode takes a member of ac.RoundMode, not ac.CMPMODE.LT"),
        ("data_copy", (C, A, ONES), {}, "not a list of 6"),
        ("de_que", (), {}, ""),
        ("set_atomic_add", (), {}, "T, an element type, is missing"),
        ("set_atomic_add", (number(1),), {}, "it takes 0 arguments by position, not 1"),
        ("pipe_barrier", (), {}, "pipe is missing"),
        ("gather_mask", (C, A, number(1), number(False), number(0), items(*(number(1),) * 4)), {"rsvd_cnt": N},
         "rsvd_cnt is a result, not an argument"),
    ],
)  # fmt: skip
def test_arguments_that_fit_no_form(name: str, args: tuple[Value, ...], kwargs: dict[str, Value], part: str) -> None:
    if name == "de_que":
        with pytest.raises(NoMatchingForm, match="T, an element type, is missing"):
            bind_method(Value("q", OpaqueType("TQue<TPosition::VECIN, 1>")), name, [], {}, Recorder())
        return
    assert part in refused(NoMatchingForm, name, *args, **kwargs)


def test_a_template_argument_must_be_constant() -> None:
    assert refused(NotConstant, "cross_core_set_flag", variable("mode"), member("MTE3"), number(1)) == clean(
        """
        mode_id of ac.cross_core_set_flag must be known while translating.

            mode
        It is a template argument: a literal, a constant of the module or a Const parameter.
        """
    )


# --- element types ------------------------------------------------------------------------------------------------


def test_a_type_that_is_not_allowed() -> None:
    tensors = [local(name, i8) for name in "cab"]
    assert refused(ElementTypeNotTaken, "add", *tensors, N) == clean(
        """
        ac.add does not take i8.

            c
        It takes i16, f16, i32 or f32.
        """
    )


def test_a_variable_with_a_member_that_is_not_allowed() -> None:
    wide = DtypeVar("T", (f16, bf16, f32))
    tensors = [local(name, wide) for name in "cab"]
    assert refused(ElementTypeNotTaken, "add", *tensors, N) == clean(
        """
        ac.add does not take bf16, which T can be.

            c
        It takes i16, f16, i32 or f32. Leave the others out of T, or call it where T is known.
        """
    )


def test_a_variable_that_is_known_here_is_taken() -> None:
    wide = DtypeVar("T", (f16, bf16, f32))
    tensors = [local(name, wide) for name in "cab"]
    assert bind("add", [*tensors, N], {}, Recorder(narrowed={"T": (f16, f32)})).cpp == "Add(c, a, b, n)"


def test_a_pair_that_is_not_allowed() -> None:
    args = (local("c", f16), local("a", u32), member("RoundMode.CAST_NONE"), N)
    assert refused(ElementTypeNotTaken, "cast", *args) == clean(
        """
        ac.cast does not take f16 for dst and u32 for src.

            c
        With f16 for dst it takes i4, i8, u8, i16, i32 or f32 for src. No src is u32.
        """
    )


def test_one_variable_in_two_places_is_one_type() -> None:
    both = DtypeVar("T", (f16, f32))  # f16 <- f32 exists, f16 <- f16 does not
    args = (local("c", both), local("a", both), member("RoundMode.CAST_RINT"), N)
    assert "does not take f16, which T can be, for dst and f16, which T can be, for src" in refused(
        ElementTypeNotTaken, "cast", *args
    )


def test_two_types_for_one_parameter() -> None:
    assert refused(ElementTypeNotTaken, "add", C, A, local("b", f32), N) == clean(
        """
        dst is f16 and src1 is f32.

            b
        ac.add takes one element type for both.
        """
    )


def test_a_parameter_of_one_type() -> None:
    args = (C, A, local("o", i32), number(0), N)
    assert refused(ElementTypeNotTaken, "gather", *args) == clean(
        """
        ac.gather does not take i32 for src_offset.

            o
        src_offset is u32.
        """
    )


def test_a_number_alone_does_not_tell_its_type() -> None:
    assert refused(ElementTypeNotTaken, "set_pad_value", number(0)).startswith("the type of padding_value is open.")


# --- ranges -------------------------------------------------------------------------------------------------------


def test_too_many_repeats() -> None:
    assert refused(ArgumentOutOfRange, "add", C, A, B, number(64), number(256), ONES) == clean(
        """
        ac.add: repeat_time is 256, outside 0 to 255.

            call
        Make several calls of at most 255 repeats, or use the form with a count.
        """
    )


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("add", (C, A, B, number(-1)), "count is -1, outside 0 to 2147483647"),
        ("whole_reduce_sum", (C, A, number(64), number(256), *(number(1),) * 3), "repeat_time is 256, outside 0 to 255"),
        ("set_flag", (member("HardEvent.MTE2_V"), number(8)), "event_id is 8, outside 0 to 7"),
        ("cross_core_wait_flag", (number(16),), "flag_id is 16, outside 0 to 15"),
        ("muls", (local("c", i16), local("a", i16), number(70000), N), "scalar_value is 70000, outside -32768 to 32767"),
        ("data_copy", (C, device("x", f16), items(number(4096), *(number(1),) * 3)),
         "block_count is 4096, outside 0 to 4095"),
        ("gather", (C, A, local("o", u32), number(2**32), N), "src_base_addr is 4294967296, outside 0 to 4294967295"),
    ],
)  # fmt: skip
def test_numbers_outside_their_range(name: str, args: tuple[Value, ...], message: str) -> None:
    assert f": {message}." in refused(ArgumentOutOfRange, name, *args)


def test_a_number_must_fit_every_member_of_a_variable() -> None:
    narrow = DtypeVar("T", (i16, i32))
    message = refused(ArgumentOutOfRange, "muls", local("c", narrow), local("a", narrow), number(70000), N)
    assert message.endswith("It becomes an i16.")


def test_a_fraction_is_no_integer() -> None:
    args = (local("c", T), local("a", T), number(2.5), N)
    assert refused(ArgumentNotTaken, "muls", *args).startswith("ac.muls: 2.5 is no i32, which T can be.")


def test_a_count_that_leaves_a_rest() -> None:
    assert refused(ArgumentNotTaken, "data_copy", C, device("x", f16), number(5)) == clean(
        """
        ac.data_copy: 5 elements of f16 are 10 bytes, no multiple of 32.

            call
        DataCopy drops the rest; use ac.data_copy_pad.
        """
    )


def test_a_comparison_of_part_of_a_repeat() -> None:
    args = (local("c", u8), A, B, member("CMPMODE.LT"), number(100))
    assert "100 elements of f16 are 200 bytes, no multiple of 256" in refused(ArgumentNotTaken, "compare", *args)


def test_an_offset_inside_a_block() -> None:
    assert refused(ArgumentNotTaken, "add", C, A, local("b[3]", f16), N) == clean(
        """
        ac.add: src1 starts at element 3, 6 bytes, no multiple of 32.

            b[3]
        Local tensors of this interface start on blocks of 32 bytes.
        """
    )


def test_an_offset_of_a_buffer() -> None:
    buffer = local("b.Get<half>()[16][4]", f16)
    assert "src1 starts at element 20, 40 bytes" in refused(ArgumentNotTaken, "add", C, A, buffer, N)


@pytest.mark.parametrize("text", ["b[16]", "b[8][8]", "b[k]", "b"])
def test_offsets_of_whole_blocks_and_unknown_ones_are_taken(text: str) -> None:
    assert bind("add", [C, A, local(text, f16), N], {}, Recorder()).cpp == f"Add(c, a, {text}, n)"


def test_a_barrier_of_the_scalar_pipe() -> None:
    assert "pipe is never ac.PIPE_S" in refused(ArgumentNotTaken, "pipe_barrier", member("S"))


MODES = [f"CAST_{name}" for name in ("NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD", "HYBRID")]


@pytest.mark.parametrize(("source", "target"), CASTS, ids="-".join)
def test_round_modes_are_those_of_the_table(source: str, target: str) -> None:
    row = CASTS[source, target]
    dst, src = by_cpp(target), by_cpp(source)
    assert dst and src
    for mode in MODES:
        args = [local("c", dst), local("a", src), member(f"RoundMode.{mode}"), N]
        if mode.removeprefix("CAST_") in row.modes:
            assert bind("cast", args, {}, Recorder()).cpp == f"Cast(c, a, RoundMode::{mode}, n)"
            continue
        with pytest.raises(ArgumentNotTaken) as caught:
            bind("cast", args, {}, Recorder())
        if mode != "CAST_HYBRID":
            assert f"{src.name} to {dst.name} has no {mode}" in caught.value.problem
            assert caught.value.help == f"It has {', '.join(f'CAST_{name}' for name in row.modes)}."


def test_round_modes_of_the_scalar_cast() -> None:
    for row in (row for row in CONVERSIONS if row.op == "Cast (scalar)" and row.modes):
        target = by_cpp(row.target)
        assert target
        mode = "CAST_TRUNC"
        assert mode.removeprefix("CAST_") not in row.modes
        args = [variable("x", FLOAT), element(target), member(f"RoundMode.{mode}")]
        with pytest.raises(ArgumentNotTaken, match=f"f32 to {target.name} has no {mode}"):
            bind("cast", args, {}, Recorder())


def test_a_mode_must_exist_for_every_member_of_a_variable() -> None:
    source = DtypeVar("S", (i16, f32))
    args = (C, local("a", source), member("RoundMode.CAST_ODD"), N)
    assert "i16 to f16 has no CAST_ODD" in refused(ArgumentNotTaken, "cast", *args)


# --- structures and formats ---------------------------------------------------------------------------------------


def test_a_field_that_does_not_exist() -> None:
    with pytest.raises(UnknownField) as caught:
        construct("DataCopyExtParams", [], {"block_length": N}, Recorder())
    assert str(caught.value) == clean(
        """
        kernel.py:1: ac.DataCopyExtParams has no field 'block_length'.

            n
        Its fields are block_count, block_len, src_stride, dst_stride, rsv.
        """
    )
    with pytest.raises(UnknownField):
        field(Value("p", StructType("DataCopyParams")), "length", Recorder())


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("DataCopyParams", [number(1)] * 5, "ac.DataCopyParams takes 4 fields by position, 5 are given."),
        ("DataCopyParams", [number(1.5)], "ac.DataCopyParams takes an int for block_count, not 1.5."),
        ("DataCopyPadExtParams", [number(True)], "ac.DataCopyPadExtParams needs its element type."),
        ("TQue", [member("VECIN")], "ac.TQue needs depth."),
        ("TQue", [number(2), number(2)], "ac.TQue does not take 2 for position."),
    ],
)
def test_structures_made_wrongly(name: str, args: list[Value], message: str) -> None:
    with pytest.raises(WrongArguments) as caught:
        construct(name, args, {}, Recorder())
    assert str(caught.value).startswith(f"kernel.py:1: {message}")


@pytest.mark.parametrize(
    ("form", "args", "message"),
    [
        ("%d", [], "its format has 1 conversions for 0 arguments"),
        ("%d\n", [number(2.5)], "%d prints an int, not 2.5; write %f"),
        ("%f", [C], "%f prints a float, not a local tensor of f16"),
        ("%s", [N], "%s prints a string, not an int"),
        ("%d", [variable("x", ScalarType(f16))], "%d prints an int, not a number of type f16; write %f"),
    ],
)
def test_formats_and_what_they_print(form: str, args: list[Value], message: str) -> None:
    text = refused(WrongArguments, "printf", Value("", OpaqueType("text"), const=form), *args)
    assert text.startswith(f"ac.printf: {message}.")


def test_every_refusal_is_a_kernel_source_error() -> None:
    every = (
        ArgumentNotTaken, ArgumentOutOfRange, ElementTypeNotTaken, NoMatchingForm, NotOnThisChip, UnknownField,
        UnknownInterface, WrongArguments,
    )  # fmt: skip
    assert all(issubclass(kind, KernelSourceError) for kind in every)
    assert len(ALL) == 13
