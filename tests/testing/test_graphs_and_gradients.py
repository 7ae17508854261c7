"""The checks that put an operator into a graph or differentiate it, on operators that are right and broken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from ferrata import errors, ge
from ferrata import testing as ft
from ferrata.ge.impl import forget
from ferrata.ge.prototype import unregister_op

CASES = [ft.case(x=(8, 40)), ft.case(x=(3, 7)), ft.case(x=(1, 5))]
SCHEMA = "twice(Tensor x) -> Tensor"


def twice(x: Any) -> Any:
    return (2 * x).contiguous()


def twice_fake(x: Any) -> Any:
    return x.new_empty(x.shape)


def setup(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.factor = 2


def backward(ctx: Any, grad: Any) -> Any:
    return grad * ctx.factor


def run(op: str, *only: str, **options: Any) -> ft.Report:
    return ft.check(op, options.pop("cases", CASES), only=only, show=False, layouts=["contiguous"], **options)


def failing(op: str, *only: str, **options: Any) -> str:
    with pytest.raises(errors.CheckFailed) as caught:
        run(op, *only, **options)
    assert caught.value.check == only[0]
    return str(caught.value)


def test_a_right_operator_compiles_once_for_all_sizes(library: Any) -> None:
    name = library.define(SCHEMA, twice, twice_fake)
    report = run(name, "compiled, static", "compiled, dynamic", "opcheck")
    assert report.ok
    assert report["compiled, dynamic"].note == "2 graphs"  # a size of 1 is a constant to torch: a graph of its own


def test_a_compiled_graph_that_gives_other_values(library: Any) -> None:
    # a fake without the input: the graph's own kernel sees what eager does not
    def odd(x: Any) -> Any:
        return 2 * x if x.device.type == "npu" and not torch.compiler.is_compiling() and not odd.compiled else 3 * x  # type: ignore[attr-defined]

    odd.compiled = False  # type: ignore[attr-defined]

    def fake(x: Any) -> Any:
        odd.compiled = True  # type: ignore[attr-defined]
        return x.new_empty(x.shape)

    name = library.define(SCHEMA, odd, fake)
    text = failing(name, "compiled, static")
    assert "out differs from the eager call in 320 of 320 values" in text
    assert "compiled and eager must give the same bits" in text


def test_a_fake_that_specialises_makes_a_second_graph(library: Any) -> None:
    def fake(x: Any) -> Any:
        return x.new_empty((int(x.shape[0]), x.shape[1]))

    name = library.define(SCHEMA, twice, fake)
    text = failing(name, "compiled, dynamic")
    assert "recompiling for other sizes failed" in text or "specialized" in text


@pytest.fixture
def twice_ge() -> Iterator[list[Any]]:
    """A GE type whose inference is `rule[0]`."""
    rule: list[Any] = [lambda shape: shape]
    ge.register_op(
        "TwiceChecked", inputs={"x": "T"}, outputs={"out": "T"}, symbols={"T": [torch.float32, torch.float16]}
    )

    class Twice:
        def infer_shape(self, ctx: Any) -> None:
            ctx.set_output_shape("out", rule[0](ctx.input_shape("x")))

        def execute(self, ctx: Any) -> None:
            torch.mul(ctx.input("x"), 2, out=ctx.malloc_output("out", ctx.input("x").shape, ctx.input("x").dtype))

    ge.register_op_impl("TwiceChecked")(Twice)
    yield rule
    forget("TwiceChecked")
    unregister_op("TwiceChecked")


def test_ge_inference_that_agrees(library: Any, twice_ge: list[Any]) -> None:
    assert run(library.define(SCHEMA, twice, twice_fake), "GE inference", ge="TwiceChecked")["GE inference"].runs == 3


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda shape: [*shape, 1], "out: GE infers shape (8, 40, 1), the operator gives (8, 40)"),
        (lambda shape: [8, 40], "out: GE infers shape (8, 40), the operator gives (3, 7)"),
        (lambda shape: [n if n >= 0 else 2 for n in shape], "infers with every size unknown shape (2, 2)"),
        (lambda shape: 1 // 0, "ZeroDivisionError"),
    ],
)
def test_ge_inference_that_disagrees(library: Any, twice_ge: list[Any], rule: Any, message: str) -> None:
    twice_ge[0] = rule
    assert message in failing(library.define(SCHEMA, twice, twice_fake), "GE inference", ge="TwiceChecked")


def test_a_ge_type_that_nobody_declared(library: Any) -> None:
    text = failing(library.define(SCHEMA, twice, twice_fake), "GE inference", ge="NobodyDeclaredThis")
    assert "no prototype of the type NobodyDeclaredThis" in text


def test_right_gradients(library: Any) -> None:
    name = library.define(SCHEMA, twice, twice_fake, (setup, backward))
    report = run(name, "gradients", "opcheck", reference=lambda x: 2 * x, dtypes=[torch.float32, torch.float16])
    assert report["gradients"].runs == 6 and not report["gradients"].note


def test_right_gradients_of_a_reference_without_autograd(library: Any) -> None:
    name = library.define(SCHEMA, twice, twice_fake, (setup, backward))
    report = run(name, "gradients", reference=lambda x: torch.from_numpy(2 * x.numpy()))
    assert report["gradients"].note == "3 by finite differences"


@pytest.mark.parametrize("reference", [lambda x: 2 * x, lambda x: torch.from_numpy(2 * x.numpy())])
def test_wrong_gradients(library: Any, reference: Any) -> None:
    name = library.define(SCHEMA, twice, twice_fake, (setup, lambda ctx, grad: grad * 3))
    text = failing(name, "gradients", reference=reference)
    assert "the gradient of x" in text


@pytest.mark.parametrize("gradient", [float("nan"), float("inf")])
def test_gradients_that_are_no_numbers(library: Any, gradient: float) -> None:
    name = library.define(SCHEMA, twice, twice_fake, (setup, lambda ctx, grad: grad * gradient))
    text = failing(name, "gradients", reference=lambda x: torch.from_numpy(2 * x.numpy()))
    assert "finite differences" in text


@pytest.mark.parametrize("reference", [lambda x: 2 * x, lambda x: torch.from_numpy(2 * x.numpy())])
def test_a_backward_that_gives_none(library: Any, reference: Any) -> None:
    name = library.define(SCHEMA, twice, twice_fake, (setup, lambda ctx, grad: None))
    text = failing(name, "gradients", reference=reference)
    assert "x gets no gradient" in text and "x.detach()" in text


class NanGradient(torch.autograd.Function):
    """2 x, and autograd of it that has no numbers."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * torch.nan


@pytest.mark.parametrize("factor", [2, 3])
def test_where_autograd_of_the_reference_gives_nan_differences_decide(library: Any, factor: int) -> None:
    name = library.define(SCHEMA, twice, twice_fake, (setup, lambda ctx, grad: grad * factor))
    if factor == 2:
        assert run(name, "gradients", reference=NanGradient.apply).ok
    else:
        assert "the gradient of x differs" in failing(name, "gradients", reference=NanGradient.apply)


def test_a_backward_that_raises_is_named_by_its_line(library: Any) -> None:
    def raising(ctx: Any, grad: Any) -> Any:
        raise KeyError("saved")

    name = library.define(SCHEMA, twice, twice_fake, (setup, raising))
    text = failing(name, "gradients", reference=lambda x: 2 * x)
    assert "the backward raised KeyError" in text and 'raise KeyError("saved")' in text


def test_an_operator_without_backward_is_skipped(library: Any) -> None:
    report = run(library.define(SCHEMA, twice, twice_fake), "gradients", reference=lambda x: 2 * x)
    assert (report["gradients"].status, report["gradients"].note) == ("skipped", "no backward is defined")


def test_opcheck_names_a_schema_that_hides_a_mutation(library: Any) -> None:
    def hides(x: Any) -> Any:
        x.zero_()
        return twice(x)

    text = failing(library.define(SCHEMA, hides, twice_fake), "opcheck")
    assert "test_schema" in text


def test_an_operator_that_launches_nothing(library: Any) -> None:
    text = failing(library.define(SCHEMA, twice, twice_fake), "launches")
    assert "launched no kernel: its result was computed by something else" in text
