"""Plans as C++: Python's meaning, names and comments; what has no counterpart is refused with its place."""

from __future__ import annotations

import math
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

import ferrata as fe
from ferrata import errors
from ferrata import lang as ac
from ferrata.lang.elements import boolean, f16, f32, i32
from ferrata.native import build
from ferrata.op.define.dims import Rest
from ferrata.op.define.model import Attribute, OperatorDef, Port
from ferrata.op.plan import helpers
from ferrata.op.plan.function import FunctionText, translate_plan

T = ac.dtype_var("T", ac.f16, ac.f32)
TILE = 2048


@ac.kernel
def one(x: ac.Gm[T], z: ac.Gm[T], n: int, *, tile: ac.Const[int] = 2048):
    """Nothing."""


@ac.kernel
def other(x: ac.Gm[ac.f16], z: ac.Gm[ac.f16], alpha: float, n: int):
    """Nothing."""


def definition(plan: Callable[..., Any], *attributes: Attribute, inputs: tuple[Port, ...] = ()) -> OperatorDef:
    rest = (Rest(),)
    ports = inputs or (Port("x", T, rest),)
    return OperatorDef(
        "t::op", "TOp", ports, attributes, (Port("z", T, rest),), 0, "", __file__, 1, plan, plan=plan
    )  # fmt: skip


def text(plan: Callable[..., Any], *attributes: Attribute, inputs: tuple[Port, ...] = ()) -> FunctionText:
    return translate_plan(definition(plan, *attributes, inputs=inputs))


# --- numbers: a plan's ints, evaluated by the compiler and by Python ---

INT = (Attribute("a", "int"), Attribute("b", "int"))


def arithmetic(x: Any, a: Any, b: Any, z: Any) -> Any:
    # every operator once, in one number that Python and C++ must agree on
    total = a // b * 3 + a % b - (a - b) * 2
    total += (a << 2) ^ (b & 7) | (abs(a) >> 1)
    total -= -a // 3 + -(a % 5) % 7
    low, high = min(a, b, 4), max(a, b)
    if low < 0 <= high or not a > b:
        total = total * 2 + low
    elif a == b or a != 3:
        total = -total
    for i in range(3, high % 9 + 5, 2):
        if i == 9:
            continue
        total += i * low
    count = 0
    while count * count < abs(a):
        count += 1
        if count > 40:
            break
    total += count + 2**5 + fe.ceil_div(a, b) + int(2.75 * a) + (1 if a else 0)
    total += math.prod(x.shape[1:]) + len(x.shape) * x.shape[-1] + sum(x.shape)
    return one.launch(x, z, total, cores=1)


def test_arithmetic_is_python_s(tmp_path: Path) -> None:
    made = text(arithmetic, *INT)
    recorder = translate_plan(definition(arithmetic, *INT), recorder=True)
    needed = "\n".join(helpers.texts(made.needs - set(helpers.PLATFORM)))
    program = f"""
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>
#include "acl/acl.h"
struct half {{ short bits; }};
{helpers.BASE}
{needed}
struct Launcher {{}};
template <typename T> int Name() {{ return 0; }}
int Shown(uint8_t *) {{ return 0; }}
int64_t last;
int Shown(int64_t value) {{ last = value; return 0; }}
void Record(const char *, std::initializer_list<int>, std::initializer_list<int64_t>, int64_t, std::initializer_list<int>) {{}}
{recorder.head}
template <typename T> void Plan(Launcher &, const DeviceTensor &x, int64_t a, int64_t b, const DeviceTensor &z) {{
{recorder.body}}}
int main() {{
    DeviceTensor x;
    x.shape = {{4, 5, 6}};
    Launcher launcher;
    for (int64_t a = -20; a <= 20; ++a) {{
        for (int64_t b : {{-7, -3, -1, 1, 2, 3, 13}}) {{
            Plan<float>(launcher, x, a, b, x);
            std::printf("%lld\\n", static_cast<long long>(last));
        }}
    }}
}}
"""
    (tmp_path / "p.cpp").write_text(program)
    command = [
        build.compiler(),
        "-std=c++17",
        "-O0",
        f"-I{build.INCLUDE}",
        str(tmp_path / "p.cpp"),
        "-o",
        str(tmp_path / "p"),
    ]
    subprocess.run(command, check=True)
    got = list(map(int, subprocess.run([tmp_path / "p"], capture_output=True, text=True, check=True).stdout.split()))
    x = torch.empty(4, 5, 6, dtype=torch.float32)
    expected = [int(arithmetic(x, a, b, x).args["n"]) for a in range(-20, 21) for b in (-7, -3, -1, 1, 2, 3, 13)]
    assert got == expected


# --- the text ---


def readable(x: Any, z: Any) -> Any:
    """How it is launched."""
    n = x.numel()  # elements
    # small inputs stay on one core
    if n < 100:
        cores = 1
    elif n > 0:
        cores = fe.at_most(n // TILE, "vector")
    else:
        cores = 0
    return one.launch(x, z, n, cores=cores)


def test_names_comments_docstring_and_constants_survive() -> None:
    made = text(readable)
    assert made.comment == "// How it is launched.\n"
    assert "constexpr int64_t TILE = 2048;" in made.head
    assert made.body == (
        "    const int64_t n = x.numel(); // elements\n"
        "    // small inputs stay on one core\n"
        "    int64_t cores = 0;\n"
        "    if (n < 100) {\n"
        "        cores = 1;\n"
        "    } else if (n > 0) {\n"
        "        cores = AtMost(n / TILE, VectorCores());\n"
        "    } else {\n"
        "        cores = 0;\n"
        "    }\n"
        "    if (cores > 0) {\n"
        "        one_code::one<T, 2048><<<cores, nullptr, launcher.stream>>>(x.data, z.data, n);\n"
        "    }\n"
    )
    assert made.templates == {"T": (f16, f32)}


def test_a_test_of_the_data_type_chooses_at_compile_time() -> None:
    def plan(x: Any, z: Any) -> Any:
        tile = 4096 if x.dtype == torch.float16 else 2048
        if x.dtype == torch.float16:
            return other.launch(x, z, 2.0, x.numel(), cores=1)
        return one.launch(x, z, x.numel(), cores=1, tile=tile)

    body = text(plan).body
    assert "constexpr int64_t tile = std::is_same_v<T, half> ? 4096 : 2048;" in body
    assert "if constexpr (std::is_same_v<T, half>) {" in body
    assert "one_code::one<T, tile><<<1, nullptr, launcher.stream>>>(" in body


def test_a_choice_of_numbers_becomes_a_choice_of_instances() -> None:
    def plan(x: Any, z: Any) -> Any:
        n = x.numel()
        if n < 10:
            tile = 512
        elif n < 100:
            tile = 1024
        else:
            tile = TILE
        return one.launch(x, z, n, cores=1, tile=tile)

    assert re.findall(r"one<T, (\d+)>", text(plan).body) == ["512", "1024", "2048"]


def test_a_kernel_of_one_type_is_guarded() -> None:
    def plan(x: Any, z: Any) -> Any:
        return other.launch(x, z, 2.0, x.numel(), cores=1)

    body = text(plan).body
    assert "if constexpr (std::is_same_v<T, half>) {" in body and "throw std::invalid_argument(" in body


def helper_of_two(n: int, size: int = TILE) -> int:
    """How many."""
    return fe.ceil_div(n, size)


def test_a_helper_keeps_its_name_and_text() -> None:
    def plan(x: Any, z: Any) -> Any:
        return one.launch(x, z, x.numel(), cores=helper_of_two(x.numel()))

    made = text(plan)
    assert "// How many.\ninline int64_t helper_of_two(int64_t n, int64_t size) {" in made.head
    assert "helper_of_two(x.numel(), 2048)" in made.body


def test_lists_of_launches() -> None:
    def plan(x: Any, z: Any) -> Any:
        launches = [one.launch(x, z, 1, cores=1)]
        for i in range(2, 4):
            launches.append(one.launch(x, z, i, cores=1))
        if x.dim() > 1:
            launches += [one.launch(x, z, 5, cores=1)]
        return launches

    body = text(plan).body
    assert [m for m in re.findall(r"z\.data, (\w+)\)", body)] == ["1", "i", "5"]


def test_optional_tensors_and_lists() -> None:
    ports = (Port("x", T, (Rest(),)), Port("w", T, (Rest(),), "optional"), Port("ys", f32, (Rest(),), "list"))

    def plan(x: Any, w: Any, ys: Any, z: Any) -> Any:
        if w is None:
            return one.launch(x, z, len(ys), cores=1)
        return [one.launch(w, z, y.numel(), cores=1) for y in ys]

    body = text(plan, inputs=ports).body
    assert "if (!w.defined) {" in body
    assert "for (const DeviceTensor &y : ys) {" in body
    assert "static_cast<int64_t>(ys.size())" in body


# --- refusals: the line, the caret, what to do ---


def with_dict(x: Any, z: Any) -> Any:
    tiles = {"a": 1}
    return one.launch(x, z, tiles["a"], cores=1)


def with_nested(x: Any, z: Any) -> Any:
    def inner() -> int:
        return 1

    return one.launch(x, z, inner(), cores=1)


def with_unknown(x: Any, z: Any) -> Any:
    return one.launch(x, z, x.nmel(), cores=1)


def with_name(x: Any, z: Any) -> Any:
    return one.launch(x, z, missing_name, cores=1)  # noqa: F821


def with_const(x: Any, z: Any) -> Any:
    return one.launch(x, z, 1, cores=1, tile=x.numel())


def with_lost(x: Any, z: Any) -> Any:
    first = one.launch(x, z, 1, cores=1)  # noqa: F841
    return one.launch(x, z, 2, cores=1)


def with_order(x: Any, z: Any) -> Any:
    first = one.launch(x, z, 1, cores=1)
    second = one.launch(x, z, 2, cores=1)
    return [second, first]


def with_branch(x: Any, z: Any) -> Any:
    if x.dim() > 1:
        first = one.launch(x, z, 1, cores=1)
    return first


def with_nothing(x: Any, z: Any) -> Any:
    if x.dim() > 1:
        return one.launch(x, z, 1, cores=1)


def with_item(x: Any, z: Any) -> Any:
    return one.launch(x, z, x[0], cores=1)


def with_dtype(x: Any, z: Any) -> Any:
    return one.launch(x, z, 1 if x.dtype == ac.f16 else 2, cores=1)


def with_float(x: Any, z: Any) -> Any:
    return one.launch(x, z, x.numel() / 2, cores=1)


def with_cores(x: Any, z: Any) -> Any:
    return one.launch(x, z, 1)


def with_print(x: Any, z: Any) -> Any:
    print(x.numel())
    return one.launch(x, z, 1, cores=1)


def with_zero(x: Any, z: Any) -> Any:
    return one.launch(x, z, x.numel() // 0, cores=1)


def recursive(n: int) -> int:
    return recursive(n - 1)


def with_recursion(x: Any, z: Any) -> Any:
    return one.launch(x, z, recursive(3), cores=1)


@pytest.mark.parametrize(
    ("plan", "kind", "words", "under"),
    [
        (with_dict, errors.PlanFeature, "a dictionary has no counterpart", '{"a": 1}'),
        (with_nested, errors.PlanFeature, "a function inside a plan", "def inner() -> int:"),
        (with_unknown, errors.PlanName, "a tensor has no 'nmel'", "x.nmel()"),
        (with_name, errors.PlanName, "missing_name is not defined", "missing_name"),
        (with_const, errors.PlanLaunches, "Const 'tile' is known only when the plan runs", "x.numel()"),
        (with_lost, errors.PlanLaunches, "first is made and not returned", None),
        (with_order, errors.PlanLaunches, "second is returned out of the order", "second"),
        (with_branch, errors.PlanLaunches, "in one branch and not in the other", None),
        (with_nothing, errors.PlanLaunches, "can end without returning a launch", None),
        (with_item, errors.PlanType, "a tensor has no items in a plan", "x[0]"),
        (with_dtype, errors.PlanType, "a tensor's dtype is torch's", "x.dtype == ac.f16"),
        (with_float, errors.PlanType, "a float, where an int is needed", "x.numel() / 2"),
        (with_cores, errors.PlanLaunches, "does not say how many cores", "one.launch(x, z, 1)"),
        (with_print, errors.PlanFeature, "as a statement has no counterpart", "print(x.numel())"),
        (with_zero, errors.PlanType, "divides by zero", "x.numel() // 0"),
        (with_recursion, errors.PlanFeature, "calls itself", "recursive(n - 1)"),
    ],
)
def test_refusals(plan: Any, kind: type[Exception], words: str, under: str | None) -> None:
    with pytest.raises(kind, match=re.escape(words)) as caught:
        text(plan)
    shown = str(caught.value)
    assert shown.startswith(f"{__file__}:")
    if under is not None:
        line, marks = shown.split("\n\n", 1)[1].split("\n")[:2]
        assert line[marks.index("^") : marks.rindex("^") + 1] == under


def test_an_int_kernel_parameter_and_a_dtype_outside_are_refused() -> None:
    ports = (Port("x", i32, (Rest(),)),)

    def plan(x: Any, z: Any) -> Any:
        return one.launch(x, z, 1, cores=1)

    with pytest.raises(errors.PlanType, match="the kernel takes"):
        text(plan, inputs=ports)


@dataclass
class Sizes:
    """Of a call."""

    rows: int
    d: int
    eps: float = 1e-6


@ac.kernel
def sized(x: ac.Gm[T], z: ac.Gm[T], mask: ac.Gm[ac.u8], s: Sizes):
    """Nothing."""


def reads_fields(x: Any, mask: Any, z: Any) -> Any:
    s = Sizes(x.shape[0], x.shape[-1])
    return sized.launch(x, z, mask, s, cores=fe.at_most(s.rows * s.d))


def reads_a_float(x: Any, mask: Any, z: Any) -> Any:
    s = Sizes(x.shape[0], x.shape[-1], 0.5)
    return sized.launch(x, z, mask, s, cores=fe.at_most(int(s.eps)))


MASKED = (Port("x", T, (Rest(),)), Port("mask", boolean, (Rest(),)))


def test_fields_of_a_dataclass_are_read_and_a_bool_tensor_is_bytes() -> None:
    assert "AtMost(x.size(0) * x.size(-1)" in text(reads_fields, inputs=MASKED).body
    assert "static_cast<int64_t>(0.5)" in text(reads_a_float, inputs=MASKED).body


def test_a_text_in_quotes() -> None:
    def plan(x: Any, mode: Any, k: Any, z: Any) -> Any:
        if mode != "a":
            raise ValueError(f"{mode!r} with {k!r}")
        return one.launch(x, z, 1, cores=1)

    made = text(plan, Attribute("mode", "str"), Attribute("k", "int"))
    assert """std::string("'") + mode + "'" + " with " + std::to_string(k)""" in made.body
