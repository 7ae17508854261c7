"""Converters derived from a prototype that matches the schema."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch._dynamo.exc import BackendCompilerFailed

from ferrata import errors, torchair


def compiled(f: Any, **options: Any) -> Any:
    return torch.compile(f, backend=torchair.get_npu_backend(), fullgraph=True, **options)


def sub(ctx: Any) -> None:
    a, b = ctx.input(0), ctx.input(1)
    torch.sub(a, b, out=ctx.malloc_output(0, a.shape, a.dtype))


@pytest.mark.parametrize(
    ("name", "ge_type"),
    [
        ("my_sub_v2", "MySubV2"),
        ("MySub", "Mysub"),
        ("KeptCase", "KeptCase"),
        ("my_sub_functional", "MySub"),
        ("primsub", "Primsub"),
    ],
)
def test_type_from_the_name(operators: Any, name: str, ge_type: str) -> None:
    op = operators.torch(f"{name}(Tensor a, Tensor b) -> Tensor", lambda a, b: a - b, lambda a, b: torch.empty_like(a))
    operators.ge(ge_type, sub, inputs=["a", "b"], outputs=["c"])
    x = torch.randn(3)
    torch.testing.assert_close(compiled(lambda x: op(x, x * 2))(x), -x)


@pytest.mark.parametrize("ports", [["b", "a"], ["x1", "x2"], ["a", "x2"]])
def test_ports_by_name_then_by_position(operators: Any, ports: list[str]) -> None:
    def run(ctx: Any) -> None:
        a = ctx.input("a" if "a" in ports else ports[0])
        b = ctx.input("b" if "b" in ports else ports[1])
        torch.sub(a, b, out=ctx.malloc_output(0, a.shape, a.dtype))

    op = operators.torch("swap_sub(Tensor a, Tensor b) -> Tensor", lambda a, b: a - b, lambda a, b: torch.empty_like(a))
    operators.ge("SwapSub", run, inputs=ports, outputs=["c"])
    x = torch.randn(3)
    torch.testing.assert_close(compiled(lambda x: op(x, x * 3))(x), -2 * x)


def test_attributes_lists_optional_and_several_outputs(operators: Any) -> None:
    op = operators.torch(
        "mix_all(Tensor[] xs, Tensor? w, float k, int[] dims, bool neg=False, str mode='a', ScalarType? dtype=None)"
        " -> (Tensor, Tensor[])",
        lambda xs, w, k, dims, neg=False, mode="a", dtype=None: (xs[0] * k, [x + dims[0] for x in xs]),
        lambda xs, w, k, dims, neg=False, mode="a", dtype=None: (
            torch.empty_like(xs[0]),
            [torch.empty_like(x) for x in xs],
        ),
    )

    def run(ctx: Any) -> None:
        assert ctx.attr("mode") == "a" and ctx.attr("neg") is True and ctx.attr("dtype") == 9 and ctx.input("w") is None
        for i in range(2):
            x = ctx.input(f"xs{i}")
            ctx.malloc_output(f"rest{i}", x.shape, x.dtype).copy_(x + ctx.attr("dims")[0])
        x = ctx.input("xs0")
        ctx.malloc_output("first", x.shape, x.dtype).copy_(x * ctx.attr("k"))

    operators.ge(
        "MixAll",
        run,
        inputs=["xs[]", "w?"],
        outputs=["first", "rest[]"],
        attrs={
            "k": "Float", "dims": "ListInt", "neg": ("Bool", False), "mode": ("Str", "a"),
            "dtype": ("DataType", torch.int64),
            "extra": ("Int", 1),
        },
    )  # fmt: skip
    x = torch.ones(2)
    first, (a, b) = compiled(lambda x: op([x, x * 2], None, 3, [5, 6], True))(x)
    assert (first.tolist(), a.tolist(), b.tolist()) == ([3, 3], [6, 6], [7, 7])


def test_functional_schema_over_an_in_place_prototype_copies(operators: Any) -> None:
    op = operators.torch("my_inc_functional(Tensor x) -> Tensor", lambda x: x + 1, torch.empty_like)
    operators.ge("MyInc", lambda ctx: ctx.make_output_ref_input("x", "x").add_(1) is None, inputs=["x"], outputs=["x"])
    x = torch.zeros(2)
    assert compiled(lambda x: op(x) + x)(x).tolist() == [1, 1] and x.tolist() == [0, 0]


def test_mutating_schema_drops_the_in_place_outputs(operators: Any) -> None:
    op = operators.torch("my_inc_(Tensor(a!) x) -> Tensor", lambda x: x.add_(1) * 2, torch.empty_like)

    def run(ctx: Any) -> None:
        x = ctx.make_output_ref_input("x", "x").add_(1)
        ctx.malloc_output("y", x.shape, x.dtype).copy_(x * 2)

    operators.ge("MyInc", run, inputs=["x"], outputs=["x", "y"])
    x = torch.zeros(2)
    assert compiled(lambda x: op(x) + x)(x).tolist() == [3, 3] and x.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("schema", "ports", "reason"),
    [
        (
            "no_match(Tensor a, Scalar s) -> Tensor",
            {"inputs": ["a"], "outputs": ["c"], "attrs": {"s": "Float"}},
            "takes a Scalar (s)",
        ),
        (
            "no_match(Tensor a) -> Tensor",
            {"inputs": ["a", "b"], "outputs": ["c"]},
            "has 2 inputs, the schema 1 tensors",
        ),
        ("no_match(Tensor a, int n) -> Tensor", {"inputs": ["a"], "outputs": ["c"]}, "has 0 attributes, the schema 1"),
        ("no_match(Tensor a) -> Tensor", {"inputs": ["a"], "outputs": ["c", "d"]}, "has 2 outputs, the schema 1"),
        (
            "no_match(Tensor a, Tensor b) -> Tensor",
            {"inputs": ["b", "c"], "outputs": ["y"]},
            "'b' is number 1 in the schema and number 0",
        ),
        (
            "no_match(Tensor a) -> Tensor",
            {"inputs": ["a"], "outputs": ["c"], "attrs": {"k": "Int"}},
            "requires the attributes k",
        ),
    ],
)
def test_why_nothing_is_derived(operators: Any, schema: str, ports: dict[str, Any], reason: str) -> None:
    op = operators.torch(schema, lambda a, *rest: a * 1, lambda a, *rest: torch.empty_like(a))
    operators.ge("NoMatch", sub, **ports)
    rest = [2] * (schema.count(",")) if "Tensor b" not in schema else []
    with pytest.raises(BackendCompilerFailed) as caught:
        compiled(lambda x: op(x, *rest) if "Tensor b" not in schema else op(x, x))(torch.ones(2))
    assert isinstance(caught.value.inner_exception, errors.NoConverter)
    assert reason in str(caught.value.inner_exception)


def test_a_converter_wins_over_derivation(operators: Any) -> None:
    op = operators.torch("two_ways(Tensor x) -> Tensor", lambda x: x, lambda x: torch.empty_like(x))
    operators.ge(
        "TwoWays", lambda ctx: ctx.malloc_output(0, (2,), torch.float32).fill_(1) is None, inputs=["x"], outputs=["y"]
    )
    operators.ge(
        "Chosen", lambda ctx: ctx.malloc_output(0, (2,), torch.float32).fill_(2) is None, inputs=["x"], outputs=["y"]
    )
    operators.converter(op, lambda x: torchair.ge.custom_op("Chosen", x))
    assert compiled(lambda x: op(x))(torch.zeros(2)).tolist() == [2, 2]


def test_aten_operators_are_not_derived_but_can_be_converted(operators: Any) -> None:
    operators.ge(
        "Relu", lambda ctx: ctx.malloc_output(0, (2,), torch.float32).fill_(5) is None, inputs=["x"], outputs=["y"]
    )
    x = torch.tensor([-1.0, 1.0])
    assert compiled(torch.relu)(x).tolist() == [0, 1]
    torch._dynamo.reset()
    operators.converter(torch.ops.aten.relu.default, lambda x: torchair.ge.custom_op("Relu", x))
    assert compiled(torch.relu)(x).tolist() == [5, 5]


def test_a_packet_serves_its_overloads(operators: Any) -> None:
    seen = []
    operators.ge(
        "Twice", lambda ctx: ctx.malloc_output(0, (2,), torch.float32).fill_(5) is None, inputs=["x"], outputs=["y"]
    )

    def convert(x: Any, other: Any, *, alpha: Any = 1, meta_outputs: Any = None) -> Any:
        seen.append((other, meta_outputs.dtype, meta_outputs.rank, meta_outputs.size))
        return torchair.ge.custom_op("Twice", x)

    operators.converter(torch.ops.aten.add, convert)
    assert compiled(lambda x: x + 2)(torch.zeros(2)).tolist() == [5, 5]
    assert seen == [(2, 0, 1, [2])]


def test_size_lists_arrive_packed(operators: Any) -> None:
    """A list of sizes with symbols is one int64 tensor; a constant list stays a list."""
    op = operators.torch(
        "grow(Tensor x, SymInt[] size) -> Tensor", lambda x, size: x.new_zeros(size), lambda x, size: x.new_empty(size)
    )

    def run(ctx: Any) -> None:
        size = ctx.input("size").tolist()
        ctx.malloc_output(0, size, torch.float32).fill_(sum(size))

    operators.ge("Grow", run, inputs={"x": None, "size": torch.int64}, outputs=["y"])
    seen = []

    def convert(x: Any, size: Any) -> Any:
        seen.append(type(size).__name__)
        size = size if isinstance(size, torchair.ge.Tensor) else torchair.ge.Const(size, dtype=torch.int64)
        return torchair.ge.custom_op("Grow", inputs={"x": x, "size": size}, outputs=["y"])

    operators.converter(op, convert)
    f = compiled(lambda x: op(x, [x.shape[0] * 2, 3]), dynamic=True)
    for n in (2, 5):
        torch.testing.assert_close(f(torch.zeros(n)), torch.full((2 * n, 3), 2.0 * n + 3))
    assert compiled(lambda x: op(x, [4, 3]))(torch.zeros(2)).shape == (4, 3)
    assert seen == ["Tensor", "list"]


def test_a_size_is_a_host_scalar(operators: Any) -> None:
    op = operators.torch("times(Tensor x, SymInt n) -> Tensor", lambda x, n: x * n, lambda x, n: torch.empty_like(x))
    operators.ge(
        "TimesT",
        lambda ctx: ctx.malloc_output(0, ctx.input(0).shape, torch.float).copy_(ctx.input(0) * ctx.input("n")) is None,
        inputs={"x": None, "n": torch.int64}, outputs=["y"],
    )  # fmt: skip
    operators.converter(op, lambda x, n: torchair.ge.custom_op("TimesT", inputs={"x": x, "n": n}, outputs=["y"]))
    f = compiled(lambda x: op(x, x.shape[0] + 1), dynamic=True)
    for n in (3, 6):
        torch.testing.assert_close(f(torch.ones(n)), torch.full((n,), n + 1.0))


def test_without_a_prototype_the_device_kernel_runs_in_the_graph() -> None:
    """An operator with an eager kernel for npu alone (TORCH_LIBRARY and nothing for GE) needs no converter."""
    import ferrata.npu  # noqa: F401

    with torch.library._scoped_library("eager_only", "DEF") as library:
        library.define("twice(Tensor x, float by=2.0) -> Tensor")
        library.define("bump_(Tensor(a!) x, Tensor y) -> ()")
        library.impl("twice", lambda x, by=2.0: x.cpu().mul(by).npu(), "PrivateUse1")
        library.impl("bump_", lambda x, y: (x.add_(y), None)[1], "PrivateUse1")
        library.impl("twice", lambda x, by=2.0: torch.empty_like(x), "Meta")
        library.impl("bump_", lambda x, y: None, "Meta")
        ops = torch.ops.eager_only

        def f(x: torch.Tensor) -> torch.Tensor:
            y = ops.twice(x, 3.0) + 1
            ops.bump_(y, x)
            return ops.twice(y)

        x = torch.randn(5)
        torch.testing.assert_close(compiled(f, dynamic=True)(x.to("npu")).cpu(), (x * 3 + 1 + x) * 2)
