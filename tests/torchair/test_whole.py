"""Resampling is one operator of GE where it can be, equal to eager in every bit, forward and gradient."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

import ferrata
from ferrata.ge.session import Session
from ferrata.torchair import whole

pytestmark = pytest.mark.slow


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """The operator types of each graph that the backend compiles."""
    found: list[set[str]] = []
    original = Session.compile

    def spied(self: Any, graph: Any, *args: Any, **kwargs: Any) -> Any:
        found.append({n.type for n in graph.nodes})
        return original(self, graph, *args, **kwargs)

    monkeypatch.setattr(Session, "compile", spied)
    return found


def compiled(function: Callable[..., Any], level: str | None = "O1", dynamic: bool | None = False) -> Any:
    torch._dynamo.reset()
    config = ferrata.CompilerConfig()
    if level is not None:
        config.ge_config.oo_level = level
    return torch.compile(function, backend=ferrata.get_npu_backend(compiler_config=config), dynamic=dynamic)


PICTURE, VOLUME = (2, 3, 5, 6), (1, 2, 3, 5, 4)
F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
KEPT = [
    ("bicubic", PICTURE, F32, {"size": (9, 8)}, "ResizeBicubic"),
    ("bicubic", PICTURE, F32, {"size": (3, 1), "align_corners": True}, "ResizeBicubic"),
    ("bilinear", PICTURE, F32, {"size": (9, 4)}, "ResizeBilinearV2"),
    ("bilinear", PICTURE, F32, {"scale_factor": (1.7, 0.6)}, "ResizeBilinearV2"),
    ("bilinear", PICTURE, BF16, {"size": (7, 8), "align_corners": True}, "ResizeBilinearV2"),
    ("nearest", PICTURE, F32, {"size": (3, 8)}, "ResizeNearestNeighborV2"),
    ("nearest", PICTURE, F64, {"scale_factor": 1.3}, "ResizeNearestNeighborV2"),
    ("nearest", VOLUME, F32, {"size": (4, 5, 6)}, "UpsampleNearest3d"),
    ("trilinear", VOLUME, F32, {"scale_factor": 1.5}, "UpsampleTrilinear3d"),
]


@pytest.mark.parametrize(("mode", "shape", "dtype", "given", "op_type"), KEPT)
@pytest.mark.parametrize("layout", [torch.contiguous_format, "last"])
def test_one_operator_equal_to_eager_in_every_bit(
    types: list[set[str]],
    mode: str,
    shape: tuple[int, ...],
    dtype: Any,
    given: dict[str, Any],
    op_type: str,
    layout: Any,
) -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(x * 2, mode=mode, **given)

    x = torch.randn(shape, dtype=dtype)
    if layout == "last":
        x = x.contiguous(memory_format=torch.channels_last if x.dim() == 4 else torch.channels_last_3d)
    x, y = x.clone().requires_grad_(), x.clone().requires_grad_()
    expected, got = run(x), compiled(run)(y)
    assert torch.equal(got, expected)
    assert got.stride() == expected.stride()
    grad = torch.randn_like(expected)
    torch.autograd.backward(expected, grad)
    torch.autograd.backward(got, grad)
    assert x.grad is not None
    assert y.grad is not None
    assert torch.equal(y.grad, x.grad)
    forward, gradient = types
    assert op_type in forward
    assert op_type + "Grad" in gradient
    assert not {"IndexByTensor", "IndexPutV2"} & (forward | gradient)


@pytest.mark.parametrize(("mode", "shape", "dtype", "given", "op_type"), KEPT)
def test_without_gradients_too(
    types: list[set[str]], mode: str, shape: tuple[int, ...], dtype: Any, given: dict[str, Any], op_type: str
) -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(x, mode=mode, **given)

    x = torch.randn(shape, dtype=dtype)
    with torch.inference_mode():
        assert torch.equal(compiled(run)(x), run(x))
    assert op_type in types[0]


@pytest.mark.parametrize(
    ("mode", "dtype", "given"),
    [
        ("bicubic", F32, {"scale_factor": 1.7}),  # GE's has no step of its own
        ("bicubic", F64, {"size": (9, 8)}),  # GE's is of float32
        ("bilinear", F64, {"size": (9, 8)}),
    ],
)
def test_what_ge_does_not_have_is_broken_up_and_portable(
    types: list[set[str]], mode: str, dtype: Any, given: dict[str, Any]
) -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(x, mode=mode, **given)

    x, y = (torch.linspace(-1, 2, 180, dtype=dtype).reshape(PICTURE).requires_grad_() for _ in range(2))
    expected, got = run(x), compiled(run)(y)
    torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)
    torch.autograd.backward(expected.sum())
    torch.autograd.backward(got.sum())
    torch.testing.assert_close(y.grad, x.grad, rtol=1e-5, atol=1e-5)
    assert not any(t.startswith(("Resize", "aten")) for graph in types for t in graph)


def test_a_batch_that_changes_keeps_it_whole_in_one_compilation(types: list[set[str]]) -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(x, size=(7, 9), mode="bicubic")

    with torch.no_grad(), torch._dynamo.config.patch(error_on_recompile=True):
        made = compiled(run, dynamic=None)
        for batch in (2, 5, 3, 8):
            x = torch.randn(batch, *PICTURE[1:])
            torch._dynamo.mark_dynamic(x, 0)
            assert torch.equal(made(x), run(x))
    assert len(types) == 1
    assert "ResizeBicubic" in types[0]


def test_sizes_that_change_are_computed_and_compiled_once(types: list[set[str]]) -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(x, scale_factor=2.0, mode="bilinear")

    with torch.no_grad(), torch._dynamo.config.patch(error_on_recompile=True):
        made = compiled(run, dynamic=True)
        for h, w in ((4, 5), (7, 3), (6, 6)):
            x = torch.randn(2, 3, h, w)
            torch.testing.assert_close(made(x), run(x), rtol=1e-5, atol=1e-5)
    assert len(types) == 1


def test_other_threads_and_later_traces_get_pytorchs_answer() -> None:
    """The kernels are replaced for good; the question is answered for one thread, for as long as it asks."""
    from torch.fx.experimental.proxy_tensor import make_fx

    def targets() -> set[str]:
        from torch._dispatch.python import enable_python_dispatcher

        def run(x: torch.Tensor) -> torch.Tensor:
            return functional.interpolate(x, size=(4, 4), mode="bicubic")

        with enable_python_dispatcher():
            gm = make_fx(run, tracing_mode="fake")(torch.randn(PICTURE))
        return {str(n.target) for n in gm.graph.nodes if n.op == "call_function"}

    one = {"aten.upsample_bicubic2d.default"}
    elsewhere: list[set[str]] = []
    with whole.resampling():
        assert targets() == one
        with whole.resampling(wanted=False):
            assert not targets() & one
        thread = threading.Thread(target=lambda: elsewhere.append(targets()))
        thread.start()
        thread.join()
        assert targets() == one
    assert elsewhere
    assert not elsewhere[0] & one
    assert not targets() & one


def test_both_a_size_and_a_factor_is_pytorchs_error() -> None:
    with whole.resampling():
        from torch._dispatch.python import enable_python_dispatcher

        with enable_python_dispatcher(), pytest.raises(RuntimeError, match="Must specify exactly one"):
            torch.ops.aten.upsample_bicubic2d.vec(torch.randn(PICTURE), [4, 4], False, [2.0, 2.0])
