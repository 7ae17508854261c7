"""Small C++ functions that the language needs and C++ lacks; a file gets those that it uses, with their reasons.

The translator and binding ask for them by name.
"""

from __future__ import annotations

# by name: what it needs, and its text
HELPERS: dict[str, tuple[tuple[str, ...], str]] = {
    "PER_BLOCK": (
        (),
        """\
// Elements in a 32-byte block.
template <typename T>
constexpr int64_t PER_BLOCK = 32 / sizeof(T);""",
    ),
    "FloorDiv": (
        (),
        """\
// Python's `//`: rounds down also where C++ would round to zero.
__aicore__ constexpr int64_t FloorDiv(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}""",
    ),
    "FloorMod": (
        (),
        """\
// Python's `%`: the result has the sign of b.
__aicore__ constexpr int64_t FloorMod(int64_t a, int64_t b)
{
    return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}""",
    ),
    "InRange": (
        (),
        """\
// Whether Python's range(..., end, step) goes on with i.
__aicore__ constexpr bool InRange(int64_t i, int64_t end, int64_t step)
{
    return step > 0 ? i < end : i > end;
}""",
    ),
    "Min": (
        (),
        """\
template <typename N>
__aicore__ constexpr N Min(N a, N b)
{
    return b < a ? b : a;
}""",
    ),
    "Max": (
        (),
        """\
template <typename N>
__aicore__ constexpr N Max(N a, N b)
{
    return b > a ? b : a;
}""",
    ),
    "Abs": (
        (),
        """\
template <typename N>
__aicore__ constexpr N Abs(N a)
{
    return a <= 0 ? 0 - a : a;
}""",
    ),
    "ToFloat": (
        (),
        """\
// A number of any element type as float.
template <typename T>
__aicore__ inline float ToFloat(T value)
{
    if constexpr (IsSameType<T, bfloat16_t>::value) {
        return Cast(value);
    } else {
        return static_cast<float>(value);
    }
}""",
    ),
    "FromFloat": (
        (),
        """\
// A float as a number of any element type.
template <typename T>
__aicore__ inline T FromFloat(float value)
{
    if constexpr (IsSameType<T, bfloat16_t>::value) {
        return Cast(value);
    } else {
        return static_cast<T>(value);
    }
}""",
    ),
    "Convert": (
        (),
        """\
// The first n elements as another type: rounded to nearest where it is narrower, copied where the types are one.
template <typename To, typename From>
__aicore__ inline void Convert(const LocalTensor<To>& to, const LocalTensor<From>& from, int64_t n)
{
    if constexpr (IsSameType<To, From>::value) {
        if (n % (32 / sizeof(To)) == 0) {
            DataCopy(to, from, n); // whole blocks
        } else {
            Muls(to, from, static_cast<To>(1), n);
        }
    } else if constexpr (sizeof(To) > sizeof(From)) {
        Cast(to, from, RoundMode::CAST_NONE, n);
    } else {
        Cast(to, from, RoundMode::CAST_RINT, n);
    }
}""",
    ),
    "Order": (
        (),
        """\
// What the second pipe of the event is given from here on waits for what the first was given before.
template <HardEvent event>
__aicore__ inline void Order()
{
    const event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
    SetFlag<event>(id);
    WaitFlag<event>(id);
}""",
    ),
    "CoreShare": (
        ("Share",),
        """\
// The stretch of `total` that this core works on: whole multiples of `align`, so that cores never share a block.
__aicore__ inline Share CoreShare(int64_t total, int64_t align, int64_t cores)
{
    const int64_t each = ((total + cores - 1) / cores + align - 1) / align * align;
    const int64_t start = GetBlockIdx() * each;
    if (start >= total) {
        return {total, 0};
    }
    return {start, total - start < each ? total - start : each};
}""",
    ),
    "Elements": (
        (),
        """\
// How many elements a tensor of a list has.
template <typename T>
__aicore__ inline int64_t Elements(const ListTensorDesc& list, uint32_t index)
{
    uint64_t shape[64]; // the most dimensions that torch has
    TensorDesc<T> desc;
    desc.SetShapeAddr(shape);
    list.GetDesc(desc, index);
    int64_t elements = 1;
    for (uint32_t dim = 0; dim < desc.GetDim(); ++dim) {
        elements *= static_cast<int64_t>(desc.GetShape(dim));
    }
    return elements;
}""",
    ),
    "Share": (
        (),
        """\
struct Share {
    int64_t start;
    int64_t count;
};""",
    ),
}


def closure(names: list[str]) -> list[str]:
    """The names with what they need, each once, needs first."""
    out: list[str] = []

    def add(name: str) -> None:
        for other in HELPERS[name][0]:
            add(other)
        if name not in out:
            out.append(name)

    for name in names:
        add(name)
    return out
