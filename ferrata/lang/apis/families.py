"""Form families: the declarations that many rows share, written once."""

from __future__ import annotations

from ferrata.lang.api import Form

_MASKS = (("bits", "uint64_t mask[]"), ("mask", "uint64_t mask"))


def _family(name: str, types: str, operands: str, params: str, count_types: str, tail: str = "") -> tuple[Form, ...]:
    """The count form, then repeats with a mask of bits and with a contiguous mask."""
    return (
        Form("count", f"template<{count_types}> void {name}({operands}, const int32_t& count)"),
        *(
            Form(
                kind,  # type: ignore[arg-type]
                f"template<{types}, bool isSetMask=true> void {name}({operands}, {mask}, const uint8_t repeatTime, "
                f"const {params}& repeatParams{tail})",
            )
            for kind, mask in _MASKS
        ),
    )


def unary(name: str) -> tuple[Form, ...]:
    """One source, one element type."""
    return _family(name, "T", "LT<T> dst, LT<T> src", "UnaryRepeatParams", "T")


def binary(name: str, operator: str = "") -> tuple[Form, ...]:
    """Two sources, one element type; `operator` adds the form `dst = src0 operator src1`."""
    whole = (Form("whole", f"dst = src0 {operator} src1"),) if operator else ()
    return (*_family(name, "T", "LT<T> dst, LT<T> src0, LT<T> src1", "BinaryRepeatParams", "T"), *whole)


def scalar(name: str, tail: str = "") -> tuple[Form, ...]:
    """One source and a scalar of the element type; the count form may also use the mask that is set."""
    operands = "LT<T> dst, LT<T> src, const T& scalarValue"
    return _family(name, "T", operands, "UnaryRepeatParams", "T, bool isSetMask=true", tail)


def reduction(name: str, operation: bool, repeat_first: bool = False, tail: str = "") -> tuple[Form, ...]:
    """A reduction by repeats; today's names take the operation as a template parameter."""
    template = "ReduceType reduceType, T, U, bool isSetMask=true" if operation else "T, bool isSetMask=true"
    source = "U" if operation else "T"
    forms = []
    for kind, mask in (("mask", "const int32_t mask"), ("bits", "const uint64_t mask[]")):
        order = f"const int32_t repeatTime, {mask}" if repeat_first else f"{mask}, const int32_t repeatTime"
        forms.append(
            Form(
                kind,  # type: ignore[arg-type]
                f"template<{template}> void {name}(LT<T> dst, LT<{source}> src, {order}, const int32_t dstRepStride, "
                f"const int32_t srcBlkStride, const int32_t srcRepStride{tail})",
            )
        )
    return tuple(forms)
