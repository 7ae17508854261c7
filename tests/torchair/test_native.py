"""Operators in C++ through torch.compile: inference, execution, failures, second registrations, CPU graphs."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from ferrata import errors, torchair

pytestmark = pytest.mark.slow  # the native libraries are built on first use

SOURCE = r"""
#include "graph/custom_op.h"
#include "graph/operator_reg.h"
#include <cstdio>
using namespace ge;

namespace {
int g_mode = 0; // what Execute does wrong
}
extern "C" void native_mode(int mode) { g_mode = mode; }

namespace ge {
class NativeAxpy : public EagerExecuteOp, public ShapeInferOp {
public:
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    const gert::Tensor *x = ctx->GetInputTensor(0);
    const gert::Tensor *y = ctx->GetInputTensor(1);
    if (g_mode == 1) {
      std::fprintf(stderr, "NativeAxpy: the table is empty\n");
      return GRAPH_FAILED;
    }
    gert::StorageShape shape = x->GetShape();
    if (g_mode == 2)
      shape.MutableStorageShape().SetDim(0, shape.GetStorageShape().GetDim(0) + 1),
          shape.MutableOriginShape().SetDim(0, shape.GetOriginShape().GetDim(0) + 1);
    if (g_mode == 3)
      return GRAPH_SUCCESS;
    gert::Tensor *z = ctx->MallocOutputTensor(0, shape, x->GetFormat(), x->GetDataType());
    if (z == nullptr)
      return GRAPH_FAILED;
    const float alpha = *ctx->GetAttrs()->GetFloat(0);
    const auto *a = static_cast<const float *>(x->GetAddr());
    const auto *b = static_cast<const float *>(y->GetAddr());
    auto *out = static_cast<float *>(z->GetAddr());
    for (int64_t i = 0; i < x->GetShapeSize(); ++i)
      out[i] = a[i] + alpha * b[i];
    return GRAPH_SUCCESS;
  }
  graphStatus InferShape(gert::InferShapeContext *ctx) override {
    *ctx->GetOutputShape(0) = *ctx->GetInputShape(0);
    return GRAPH_SUCCESS;
  }
  graphStatus InferDataType(gert::InferDataTypeContext *ctx) override {
    return ctx->SetOutputDataType(0, ctx->GetInputDataType(0));
  }
};
REG_OP(NativeAxpy)
    .INPUT(x, TensorType({DT_FLOAT}))
    .INPUT(y, TensorType({DT_FLOAT}))
    .OUTPUT(z, TensorType({DT_FLOAT}))
    .ATTR(alpha, Float, 1.0)
    .OP_END_FACTORY_REG(NativeAxpy)
REG_AUTO_MAPPING_OP(NativeAxpy);

class NativeInc : public EagerExecuteOp {
public:
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    gert::Tensor *x = ctx->MakeOutputRefInput(0, 0);
    if (x == nullptr)
      return GRAPH_FAILED;
    auto *data = static_cast<float *>(const_cast<void *>(static_cast<const void *>(x->GetAddr())));
    for (int64_t i = 0; i < x->GetShapeSize(); ++i)
      data[i] += 1;
    return GRAPH_SUCCESS;
  }
};
REG_OP(NativeInc).INPUT(x, TensorType({DT_FLOAT})).OUTPUT(x, TensorType({DT_FLOAT})).OP_END_FACTORY_REG(NativeInc)
REG_AUTO_MAPPING_OP(NativeInc);

REG_OP(NativeBare).INPUT(x, TensorType::ALL()).OUTPUT(y, TensorType::ALL()).OP_END_FACTORY_REG(NativeBare)
} // namespace ge
"""

AGAIN = r"""
#include "graph/custom_op.h"
#include "graph/operator_reg.h"
using namespace ge;
namespace ge {
REG_OP(NativeBare).INPUT(a, TensorType::ALL()).OUTPUT(b, TensorType::ALL()).OP_END_FACTORY_REG(NativeBare)
} // namespace ge
"""


def build_library(folder: Path, name: str, text: str) -> Path:
    from ferrata.native import build

    gert = build.ge()
    (folder / f"{name}.cpp").write_text(text)
    library = folder / f"lib{name}.so"
    subprocess.run(
        [build.compiler(), "-std=c++17", "-O1", "-fPIC", "-shared", f"-I{build.INCLUDE}", str(folder / f"{name}.cpp"),
         "-o", str(library), f"-L{gert.parent}", "-lgert", f"-Wl,-rpath,{gert.parent}"], check=True,
    )  # fmt: skip
    return library


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The library above, loaded; gives its switch for misbehaviour."""
    import ctypes

    import ferrata.npu  # noqa: F401

    path = build_library(tmp_path_factory.mktemp("native"), "nativeops", SOURCE)
    torch.ops.load_library(str(path))
    return ctypes.CDLL(str(path)).native_mode


@pytest.fixture
def axpy(operators: Any, native: Any) -> Iterator[Any]:
    """torch `native_axpy`, whose converter is derived from the C++ prototype."""
    native(0)
    yield operators.torch(
        "native_axpy(Tensor x, Tensor y, float alpha=1.0) -> Tensor",
        lambda x, y, alpha=1.0: x + alpha * y,
        lambda x, y, alpha=1.0: torch.empty_like(x),
    )
    native(0)


def compiled(f: Any, **options: Any) -> Any:
    return torch.compile(f, backend=torchair.get_npu_backend(), **{"fullgraph": True, **options})


@pytest.mark.parametrize("device", ["npu", "cpu"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_runs_on_the_device_and_for_cpu_graphs(axpy: Any, device: str, dynamic: bool) -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return axpy(torch.relu(x), y.t(), 2.0).t() * 2

    g = compiled(f, dynamic=dynamic)
    for rows, cols in [(4, 6), (3, 5)]:
        x, y = torch.randn(rows, cols, device=device), torch.randn(cols, rows, device=device)
        got = g(x, y)
        assert got.device.type == device
        torch.testing.assert_close(got, f(x, y))


@pytest.mark.parametrize("device", ["npu", "cpu"])
def test_in_place(operators: Any, native: Any, device: str) -> None:
    op = operators.torch("native_inc_(Tensor(a!) x) -> ()", lambda x: x.add_(1) is None or None, lambda x: None)
    operators.converter(op, lambda x: torchair.ge.custom_op("NativeInc", inputs={"x": x}, outputs=["x"]))

    def f(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        op(y)
        op(x)
        return y + x

    x = torch.zeros(3, device=device)
    assert compiled(f)(x).tolist() == [2, 2, 2] and x.tolist() == [1, 1, 1]


def test_execute_that_fails_says_what_it_printed(axpy: Any, native: Any) -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return axpy(x, x)

    g, x = compiled(f), torch.ones(3, device="npu")
    native(1)
    with pytest.raises(errors.ExecuteFailed, match="the table is empty") as caught:
        g(x)
    assert f"test_native.py:{f.__code__.co_firstlineno + 1}" in str(caught.value)
    native(0)
    assert g(x).tolist() == [2, 2, 2]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("mode", "kind"), [(2, errors.OutputMismatch), (3, errors.OutputNotSet)])
def test_outputs_that_differ_from_the_plan(axpy: Any, native: Any, dynamic: bool, mode: int, kind: type) -> None:
    g = compiled(lambda x: axpy(x, x), dynamic=dynamic)
    x = torch.ones(3, device="npu")
    native(mode)
    with pytest.raises(kind):
        g(x)
    native(0)
    assert g(x).tolist() == [2, 2, 2]


def test_prototype_without_implementation_and_second_registration(operators: Any, native: Any, tmp_path: Path) -> None:
    op = operators.torch("native_bare(Tensor x) -> Tensor", lambda x: x * 1, torch.empty_like)
    with pytest.raises(Exception, match=r"REG_AUTO_MAPPING_OP\(NativeBare\)") as caught:
        compiled(lambda x: op(x))(torch.ones(2))
    assert isinstance(caught.value.inner_exception, errors.NoImplementation)  # type: ignore[attr-defined]
    torch.ops.load_library(str(build_library(tmp_path, "again", AGAIN)))
    with pytest.raises(Exception, match="NativeBare is registered twice") as caught:
        compiled(lambda x: op(x) + 1)(torch.ones(2))
    assert isinstance(caught.value.inner_exception, errors.DuplicateOperator)  # type: ignore[attr-defined]


def test_one_dtype_is_enough_for_the_prototype_to_refuse(axpy: Any) -> None:
    with pytest.raises(Exception, match=r"input 'x' is DT_FLOAT16, the prototype allows DT_FLOAT\."):
        compiled(lambda x: axpy(x, x))(torch.ones(2, dtype=torch.float16, device="npu"))
