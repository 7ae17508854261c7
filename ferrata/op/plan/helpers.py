"""The C++ that translated text calls: the tensor as a plan sees it, Python's arithmetic, lists.

`BASE` is always there; of HELPERS a file gets what it uses, in this order.
"""

from __future__ import annotations

import re
from collections.abc import Collection

BASE = """\
// A tensor as the shape rule sees it. Int is int64_t, or a type of sizes that are not known yet.
template <typename Int> struct TensorInfo {
    bool defined = false; // an optional tensor may be absent
    aclDataType dtype = ACL_DT_UNDEFINED;
    std::vector<Int> shape;

    int64_t dim() const { return static_cast<int64_t>(shape.size()); }
    // A size; negative numbers count from the end.
    Int size(int64_t i) const {
        const int64_t at = i < 0 ? i + dim() : i;
        if (at < 0 || at >= dim()) {
            throw std::invalid_argument("a tensor has fewer dimensions than the operator reads");
        }
        return shape[static_cast<size_t>(at)];
    }
    Int numel() const {
        Int count(1);
        for (const Int &one : shape) {
            count = count * one;
        }
        return count;
    }
};

// A tensor in device memory; data is null when it is absent.
struct DeviceTensor : TensorInfo<int64_t> {
    uint8_t *data = nullptr;
};
"""

HELPERS: dict[str, str] = {
    "FloorDiv": """\
// a // b as Python rounds it, toward minus infinity.
template <typename A, typename B> auto FloorDiv(const A &a, const B &b) {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
        if (b == 0) {
            throw std::invalid_argument("division by zero");
        }
        const auto quotient = static_cast<int64_t>(a) / static_cast<int64_t>(b);
        return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
    } else if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>) {
        return std::floor(static_cast<double>(a) / static_cast<double>(b));
    } else {
        return a / b;
    }
}
""",
    "Mod": """\
// a % b with the sign of b, as in Python.
template <typename A, typename B> auto Mod(const A &a, const B &b) {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
        if (b == 0) {
            throw std::invalid_argument("division by zero");
        }
        const int64_t rest = static_cast<int64_t>(a) % static_cast<int64_t>(b);
        return rest != 0 && (rest < 0) != (b < 0) ? rest + static_cast<int64_t>(b) : rest;
    } else if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>) {
        return a - b * std::floor(static_cast<double>(a) / static_cast<double>(b));
    } else {
        return a % b;
    }
}
""",
    "CeilDiv": """\
// a / b, rounded up.
template <typename Int> Int CeilDiv(Int a, Int b) { return FloorDiv(a + b - Int(1), b); }
""",
    "Divide": """\
inline double Divide(double a, double b) {
    if (b == 0) {
        throw std::invalid_argument("division by zero");
    }
    return a / b;
}
""",
    "Power": """\
inline int64_t Power(int64_t base, int64_t exponent) {
    int64_t result = 1;
    for (int64_t i = 0; i < exponent; ++i) {
        result *= base;
    }
    return result;
}
""",
    "Extremes": """\
template <typename Int> Int Min(const Int &a, const Int &b) {
    if constexpr (std::is_arithmetic_v<Int>) {
        return b < a ? b : a;
    } else {
        return a.min(b);
    }
}
template <typename Int> Int Max(const Int &a, const Int &b) {
    if constexpr (std::is_arithmetic_v<Int>) {
        return a < b ? b : a;
    } else {
        return a.max(b);
    }
}
template <typename Item> Item MinOf(const std::vector<Item> &list) {
    Item result = list.at(0);
    for (const Item &one : list) {
        result = Min<Item>(result, one);
    }
    return result;
}
template <typename Item> Item MaxOf(const std::vector<Item> &list) {
    Item result = list.at(0);
    for (const Item &one : list) {
        result = Max<Item>(result, one);
    }
    return result;
}
""",
    "At": """\
// An item of a list; negative numbers count from the end.
template <typename List> decltype(auto) At(List &&list, int64_t i) {
    const int64_t at = i < 0 ? i + static_cast<int64_t>(list.size()) : i;
    if (at < 0 || at >= static_cast<int64_t>(list.size())) {
        throw std::invalid_argument("a list has fewer items than the operator reads");
    }
    return std::forward<List>(list)[static_cast<size_t>(at)];
}
""",
    "Slice": """\
// list[first:last], with Python's meaning of numbers below zero and beyond the end.
template <typename Item>
std::vector<Item> Slice(const std::vector<Item> &list, int64_t first, int64_t last = INT64_MAX) {
    const int64_t size = static_cast<int64_t>(list.size());
    const auto bound = [size](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
    first = bound(first);
    last = std::max(first, bound(last));
    return std::vector<Item>(list.begin() + first, list.begin() + last);
}
""",
    "Concat": """\
template <typename Item> std::vector<Item> Concat(std::vector<Item> first, const std::vector<Item> &second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}
""",
    "Unpack": """\
template <typename List> void Unpack(const List &list, size_t count) {
    if (list.size() != count) {
        throw std::invalid_argument("a list has another length than the operator expects");
    }
}
""",
    "Product": """\
template <typename Item> Item Product(const std::vector<Item> &list) {
    Item result(1);
    for (const Item &one : list) {
        result = result * one;
    }
    return result;
}
""",
    "Sum": """\
template <typename Item> Item Sum(const std::vector<Item> &list) {
    Item result(0);
    for (const Item &one : list) {
        result = result + one;
    }
    return result;
}
""",
    "Text": """\
inline std::string Text(const std::vector<int64_t> &list) {
    std::string text = "[";
    for (size_t i = 0; i < list.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(list[i]);
    }
    return text + "]";
}
""",
    "ItemSize": """\
// Bytes of one element.
inline int64_t ItemSize(aclDataType dtype) { return static_cast<int64_t>(aclDataTypeSize(dtype)); }
""",
    "IsFloatingPoint": """\
inline bool IsFloatingPoint(aclDataType dtype) {
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}
""",
    "VectorCores": """\
inline int64_t VectorCores() {
    return static_cast<int64_t>(platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAiv());
}
""",
    "CubeCores": """\
inline int64_t CubeCores() {
    return static_cast<int64_t>(platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic());
}
""",
    "AtMost": """\
// Cores for n pieces of work: at least one, at most what the chip has.
inline int64_t AtMost(int64_t n, int64_t cores) { return std::max<int64_t>(1, std::min(n, cores)); }
""",
    "Broadcast": """\
// What two groups of dimensions broadcast to.
template <typename Int> std::vector<Int> Broadcast(const std::vector<Int> &a, const std::vector<Int> &b) {
    std::vector<Int> result = a.size() < b.size() ? b : a;
    const std::vector<Int> &other = a.size() < b.size() ? a : b;
    const size_t lead = result.size() - other.size();
    for (size_t i = 0; i < other.size(); ++i) {
        Int &one = result[lead + i];
        if (one == Int(1)) {
            one = other[i];
        } else if (!(other[i] == Int(1)) && !(one == other[i])) {
            throw std::invalid_argument("the tensors do not broadcast");
        }
    }
    return result;
}
""",
    "OneOf": """\
inline bool OneOf(aclDataType dtype, std::initializer_list<aclDataType> allowed) {
    return std::find(allowed.begin(), allowed.end(), dtype) != allowed.end();
}
""",
    "Require": """\
inline void Require(bool condition, const char *message) {
    if (!condition) {
        throw std::invalid_argument(message);
    }
}
""",
}
# a helper that calls others
_USES = {"CeilDiv": ("FloorDiv",)}
PLATFORM = ("VectorCores", "CubeCores")


def texts(needs: Collection[str]) -> list[str]:
    """The definitions of these helpers and of what they call, in order."""
    wanted = set(needs)
    for name in needs:
        wanted.update(_USES.get(name, ()))
    return [text for name, text in HELPERS.items() if name in wanted]


def includes(text: str) -> list[str]:
    """The standard headers that a text needs."""
    table = {
        "algorithm": r"std::(min|max|clamp|find)\b",
        "array": r"std::array\b",
        "cmath": r"std::(floor|ceil|sqrt|pow|log2?|exp|fabs|abs)\b",
        "cstdint": r"int64_t|uint8_t",
        "cstdio": r"std::f?printf\b",
        "functional": r"std::function\b",
        "initializer_list": r"std::initializer_list\b",
        "limits": r"std::numeric_limits",
        "stdexcept": r"std::(invalid_argument|exception|runtime_error)\b",
        "string": r"std::(string|to_string)\b",
        "type_traits": r"std::is_\w+_v",
        "utility": r"std::(forward|move|pair)\b",
        "vector": r"std::vector\b",
    }
    return [name for name, pattern in table.items() if re.search(pattern, text)]
