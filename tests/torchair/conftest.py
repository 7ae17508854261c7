"""Operators for these tests: torch schemas and GE types defined per test and forgotten afterwards."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from ferrata import ge
from ferrata.torchair import registry

_numbers = itertools.count()


class Operators:
    """Defines torch operators in a fresh namespace, and GE operators with Python implementations."""

    def __init__(self) -> None:
        self.namespace = f"fetest{next(_numbers)}"
        self.library = torch.library.Library(self.namespace, "DEF")
        self.ge_types: list[str] = []
        self.targets: list[Any] = []
        self.runs: dict[str, int] = {}

    def torch(self, schema: str, run: Callable[..., Any], fake: Callable[..., Any] | None) -> Any:
        """Define an operator; `run` is its kernel for the CPU, so that no graph can call it, `fake` its Meta."""
        self.library.define(schema)
        name = schema.split("(")[0]
        self.library.impl(name, run, "CPU")
        if fake is not None:
            torch.library.register_fake(f"{self.namespace}::{name}", fake, lib=self.library)
        return getattr(getattr(torch.ops, self.namespace), name).default

    def ge(
        self,
        op_type: str,
        run: Callable[..., Any] | None,
        *,
        infer_shape: Callable[..., Any] | None = None,
        infer_dtype: Callable[..., Any] | None = None,
        **proto: Any,
    ) -> None:
        """Register a GE type; `run(ctx)` executes it (None: nothing implements it)."""
        ge.register_op(op_type, **proto)
        self.ge_types.append(op_type)
        if run is None:
            return
        self.runs[op_type] = 0

        def execute(self_: Any, ctx: Any) -> Any:
            self.runs[op_type] += 1
            return run(ctx)

        body: dict[str, Any] = {"execute": execute}
        if infer_shape is not None:
            body["infer_shape"] = lambda _, ctx: infer_shape(ctx)
        if infer_dtype is not None:
            body["infer_dtype"] = lambda _, ctx: infer_dtype(ctx)
        ge.register_op_impl(op_type)(type(op_type, (), body))

    def converter(self, target: Any, function: Callable[..., Any]) -> None:
        registry.register_fx_node_ge_converter(target)(function)
        self.targets.append(target)

    def close(self) -> None:
        for op_type in self.ge_types:
            ge.unregister_op(op_type)
        for target in self.targets:
            registry.unregister(target)
        self.library._destroy()


@pytest.fixture
def operators() -> Iterator[Operators]:
    torch._dynamo.reset()
    made = Operators()
    yield made
    made.close()


def same_shape(ctx: Any) -> None:
    ctx.set_output_shape(0, ctx.input_shape(0))


def add_into(ctx: Any) -> None:
    x, y = ctx.input("x"), ctx.input("y")
    torch.add(x, y, out=ctx.malloc_output("z", x.shape, x.dtype))


@pytest.fixture
def add(operators: Operators) -> Any:
    """The operator of the tutorial: torch `ascendc_add`, GE `AddCustom`, a converter."""
    from ferrata import torchair

    target = operators.torch(
        "ascendc_add(Tensor x, Tensor y) -> Tensor", lambda x, y: x + y, lambda x, y: torch.empty_like(x)
    )
    operators.ge(
        "AddCustomT",
        add_into,
        infer_shape=same_shape,
        infer_dtype=lambda ctx: ctx.set_output_dtype(0, ctx.input_dtype(0)),
        inputs={"x": torch.float32, "y": torch.float32},
        outputs={"z": torch.float32},
    )
    operators.converter(
        target,
        lambda x, y, z=None, meta_outputs=None: torchair.ge.custom_op(
            "AddCustomT", inputs={"x": x, "y": y}, outputs=["z"]
        ),
    )
    return target


@pytest.fixture
def captured(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every captured graph that is made."""
    from ferrata.torchair.capture import Captured

    made: list[Any] = []
    original = Captured.__init__

    def init(self: Any, *args: Any) -> None:
        original(self, *args)
        made.append(self)

    monkeypatch.setattr(Captured, "__init__", init)
    torch._dynamo.reset()
    return made
