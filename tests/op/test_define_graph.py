"""Operators defined in Python in compiled models and fake mode: the same values, no guard but the signature's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

import ferrata as fe
from ferrata.ge.prototype import find_prototype
from tests.op import defined as ops

pytestmark = pytest.mark.slow


def _t(*shape: int) -> torch.Tensor:
    return torch.randn(shape, device="npu")


# name: the function, and for three sizes its arguments
CASES: dict[str, tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]]]] = {
    "add": (lambda x, y: ops.add(x, y) * 2, lambda n: (_t(n, 3), _t(n, 3))),
    "axpy": (lambda x, y: ops.axpy(x, y, 0.1) + ops.axpy(x, y), lambda n: (_t(n), _t(n))),
    "add_wide": (lambda x, y: ops.add_wide(x, y), lambda n: (_t(n, 1), _t(4))),
    "rms_norm": (lambda x, w: ops.rms_norm(x, w, eps=1e-5)[0], lambda n: (_t(2, n, 8), _t(8))),
    "rms_norm, absent": (lambda x: ops.rms_norm(x * 2), lambda n: (_t(n, 8),)),
    "scaled_all": (lambda x, y: ops.scaled_all([x, y + 1], 3.0), lambda n: (_t(n), _t(2, n))),
    "top": (lambda x: ops.top(x, 3), lambda n: (_t(n, 9),)),
    "frame": (lambda x, y: ops.frame(x, y), lambda n: (_t(n), _t(5))),
    "joined": (lambda x, y: ops.joined([x, y, x]), lambda n: (_t(n, 4), _t(3, 4))),
    "attributes": (lambda x: ops.attributes(x, 3, floats=[0.5]), lambda n: (_t(n),)),
    "transposed": (lambda x: ops.add(x.t(), x.t()), lambda n: (_t(n, 4),)),
    "through": (lambda x: ops.through(x), lambda n: (_t(n),)),
}


@pytest.mark.parametrize(("device", "dynamic"), [("npu", False), ("npu", True), ("cpu", True)])
@pytest.mark.parametrize("name", CASES)
def test_compiled_is_eager(name: str, device: str, dynamic: bool) -> None:
    torch._dynamo.reset()
    function, make = CASES[name]
    compiled = torch.compile(function, backend=fe.get_npu_backend(), fullgraph=True, dynamic=dynamic)
    for n in (6, 11, 5):
        args = tuple(arg.to(device) for arg in make(n))
        torch.testing.assert_close(compiled(*args), function(*args), rtol=0, atol=0)


@pytest.mark.parametrize("name", CASES)
def test_another_size_does_not_compile_again(name: str) -> None:
    torch._dynamo.reset()
    function, make = CASES[name]
    compiled = torch.compile(function, backend=fe.get_npu_backend(), fullgraph=True, dynamic=True)
    compiled(*make(6))
    with torch._dynamo.config.patch(error_on_recompile=True):
        for n in (11, 7, 13):
            compiled(*make(n))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("device", ["npu", "cpu"])
def test_what_is_written_in_a_graph(device: str, dynamic: bool) -> None:
    torch._dynamo.reset()

    def step(total: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        y = total + 1
        ops.scale_(y, 2.0)
        before = ops.accumulate(total, x)
        ops.scale_(total, 0.5)
        return y + before + total

    compiled = torch.compile(step, backend=fe.get_npu_backend(), fullgraph=True, dynamic=dynamic)
    for n in (6, 9):
        total, x = torch.randn(n, device=device), torch.randn(n, device=device)
        mine, theirs = total.clone(), total.clone()
        torch.testing.assert_close(compiled(mine, x), step(theirs, x))
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_counted_size_in_a_graph(dynamic: bool) -> None:
    torch._dynamo.reset()

    def model(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, indices = ops.positive(x)
        return ops.axpy(values, values, 2.0), indices + 1

    compiled = torch.compile(model, backend=fe.get_npu_backend(), fullgraph=True, dynamic=dynamic)
    for x in (torch.tensor([1.0, -2, 3, 4]), torch.tensor([-1.0, 2, 3, -4]), -torch.ones(4), torch.ones(4)):
        torch.testing.assert_close(compiled(x.to("npu")), model(x.to("npu")))


def test_the_node_has_its_type_ports_and_attributes() -> None:
    proto = find_prototype("RmsNorm")
    assert proto is not None
    assert proto.signature() == "RmsNorm(x, weight?, *, eps: VT_FLOAT = 1e-06) -> (y, rstd)"
    assert proto.symbols["F"] == (1, 0)
    accumulate = find_prototype("Accumulate")
    assert accumulate is not None
    assert accumulate.in_place == ("total",)
    lists = find_prototype("ScaledAll")
    assert lists is not None
    assert [p.kind for p in (*lists.inputs, *lists.outputs)] == ["dynamic", "dynamic"]


def _fake(shape: tuple[int, ...], env: ShapeEnv, mode: FakeTensorMode) -> Any:
    context = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC] * len(shape))
    return mode.from_tensor(torch.empty(shape), symbolic_context=context)


@pytest.mark.parametrize(
    ("call", "shapes", "guards"),
    [
        (lambda x: ops.rms_norm(x), [(3, 5)], []),
        (lambda x: ops.top(x, 2), [(3, 5)], []),
        (lambda x, y: ops.frame(x, y), [(3,), (5,)], []),
        (lambda x, y: ops.joined([x, y]), [(3, 7), (5, 7)], ["Eq(s1, s3)"]),
        (lambda x, y: ops.add(x, y), [(3, 5), (3, 5)], ["Eq(s0, s2)", "Eq(s1, s3)"]),
        (lambda x, w: ops.rms_norm(x, w), [(3, 5), (5,)], ["Eq(s1, s2)"]),
        (lambda x: ops.positive(x), [(3,)], []),
    ],
)
def test_fakes_guard_what_the_signature_states(call: Any, shapes: list[tuple[int, ...]], guards: list[str]) -> None:
    env = ShapeEnv(duck_shape=False)
    mode = FakeTensorMode(shape_env=env)
    fakes = [_fake(shape, env, mode) for shape in shapes]
    names = {str(symbol): f"s{i}" for i, symbol in enumerate(s.node.expr for f in fakes for s in f.shape)}
    with mode:
        call(*fakes)
    found = []
    for guard in env.guards:
        text = str(guard.expr)
        for symbol, name in sorted(names.items(), key=lambda item: -len(item[0])):
            text = text.replace(symbol, name)
        found.append(text)
    assert sorted(found) == guards


def test_fake_shapes_are_expressions_of_the_sizes() -> None:
    env = ShapeEnv(duck_shape=False)
    mode = FakeTensorMode(shape_env=env)
    x, y = _fake((3,), env, mode), _fake((5,), env, mode)
    with mode:
        z = ops.frame(x, y)
        values, indices = ops.positive(x)
    a, b = x.shape[0].node.expr, y.shape[0].node.expr
    assert str(z.shape[0].node.expr) == f"8*((({a} + 7)//8))"
    assert str(z.shape[1].node.expr) in (f"Max({a}, {b}) + 1", f"Max({b}, {a}) + 1")
    assert values.shape[0].node.expr == indices.shape[0].node.expr
    assert values.dtype == torch.float32 and indices.dtype == torch.int32


def test_fakes_refuse_what_calls_refuse() -> None:
    with pytest.raises(RuntimeError, match=r"dimension 0 of \.\.\. is 3 in x and 4 in y"):
        ops.add(torch.empty(3, device="meta"), torch.empty(4, device="meta"))


def test_a_wrong_call_in_a_compiled_function_names_the_sizes() -> None:
    torch._dynamo.reset()
    compiled = torch.compile(lambda x, y: ops.add(x, y), backend=fe.get_npu_backend(), fullgraph=True)
    with pytest.raises(Exception, match=r"dimension 0 of \.\.\. is 3 in x and 4 in y"):
        compiled(_t(3), _t(4))


OPCHECK = {
    "add": (ops.add, lambda: (_t(3, 4), _t(3, 4)), {}),
    "add, gradients": (ops.add, lambda: (_t(3).requires_grad_(), _t(3).requires_grad_()), {}),
    "axpy": (ops.axpy, lambda: (_t(3), _t(3), 2.0), {}),
    "add_wide": (ops.add_wide, lambda: (_t(3, 1).requires_grad_(), _t(4)), {}),
    "rms_norm": (ops.rms_norm, lambda: (_t(3, 8).requires_grad_(), _t(8).requires_grad_()), {"eps": 1e-5}),
    "rms_norm, absent": (ops.rms_norm, lambda: (_t(3, 8),), {}),
    "scale_": (ops.scale_, lambda: (_t(3, 4), 2.0), {}),
    "accumulate": (ops.accumulate, lambda: (_t(4), _t(4)), {}),
    "scaled_all": (ops.scaled_all, lambda: ([_t(3), _t(2, 2)], 2.0), {}),
    "positive": (ops.positive, lambda: (_t(9),), {}),
    "top": (ops.top, lambda: (_t(3, 9), 4), {}),
    "frame": (ops.frame, lambda: (_t(3), _t(9)), {}),
    "joined": (ops.joined, lambda: ([_t(3, 4), _t(2, 4)],), {}),
    "attributes": (ops.attributes, lambda: (_t(3), 2), {"text": "b"}),
}


@pytest.mark.parametrize("device", ["npu", "cpu"])
@pytest.mark.parametrize("name", OPCHECK)
def test_opcheck(name: str, device: str) -> None:
    operator, make, named = OPCHECK[name]
    args = torch.utils._pytree.tree_map_only(
        torch.Tensor, lambda t: t.detach().to(device).requires_grad_(t.requires_grad), make()
    )
    tests = ["test_schema", "test_faketensor", "test_aot_dispatch_dynamic"]
    if device == "cpu":  # torch's own test of the registration knows no other device
        tests.append("test_autograd_registration")
    torch.library.opcheck(operator.op, args, named, test_utils=tests)
