"""Kernels as objects: their signature, instances, the budget of the Unified Buffer, arguments of a launch."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import pytest
import torch

from ferrata import errors, run
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32)


@dataclass
class Params:
    n: int
    eps: float


@ac.kernel
def scale(x: ac.Gm[T], z: ac.Gm[T], n: int, by: float = 2.0, flip: bool = False, *, tile: ac.Const[int] = 64):
    """z = x * by.

    Not more than a tile.
    """
    xs = ac.queue(ac.VECIN, T, tile)
    zs = ac.queue(ac.VECOUT, T, tile)
    with xs.put() as a:
        ac.copy(a[:n], x)
    with xs.get() as a, zs.put() as c:
        ac.muls(c, a, -by if flip else by, n)
    with zs.get() as c:
        ac.copy(z, c[:n])


@ac.kernel
def structured(z: ac.Gm[ac.f32], p: Params, w: ac.Gm[ac.f32] | None = None):
    z[0] = p.n + p.eps


def test_a_kernel_tells_its_signature() -> None:
    assert scale.name == "scale" and scale.core == "vector" and scale.doc.startswith("z = x * by.")
    assert [(p.name, p.kind, p.default) for p in scale.params] == [
        ("x", "gm", None), ("z", "gm", None), ("n", "int", None), ("by", "float", 2.0), ("flip", "bool", False),
        ("tile", "const", 64),
    ]  # fmt: skip
    assert scale.dtype_vars == (T,) and scale.file == __file__
    assert structured.params[2].optional and structured.params[1].python is Params


def test_the_text_does_not_change_between_calls() -> None:
    assert scale.source() == scale.source()
    assert "#line" not in scale.source()
    assert f'"{__file__}"' in scale.source(lines=True)


def test_launch_binds_and_runs_nothing() -> None:
    made = scale.launch("x", "z", 5, cores=3, tile=32)
    assert dict(made.args) == {"x": "x", "z": "z", "n": 5, "by": 2.0, "flip": False}
    assert dict(made.consts) == {"tile": 32} and made.cores == 3 and made.kernel is scale


def test_instances_are_kept() -> None:
    one = scale.instance({"T": ac.f16}, {"tile": 64})
    assert scale.instance({"T": ac.f16}, {"tile": 64}) is one
    assert one.ub == 2 * 64 * 2 and one.consts == {"tile": 64}
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(scale.instance({"T": ac.f32}, {}))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(each) for each in found}) == 1


def test_no_cores_and_empty_tensors_run_nothing() -> None:
    z = torch.zeros(4).npu()
    before = run.runtime().launches()
    scale[0](z, z, 4)
    assert run.runtime().launches() == before
    scale[1](z[:0], z[:0], 0)
    assert run.runtime().launches() == before + 1


def npu(*values: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.tensor(values, dtype=dtype).npu()


ARGUMENTS: list[tuple[Any, str]] = [
    (lambda: scale[1](torch.ones(2), npu(1, 2), 2), "argument 'x': lies on cpu; kernels take npu tensors"),
    (lambda: scale[1](npu(1), npu(1, dtype=torch.float16), 1), "argument 'z': is ac.f16, and 'x' has made T ac.f32"),
    (lambda: scale[1](npu(1, dtype=torch.int32), npu(1), 1), "argument 'x': is ac.i32; T can be ac.f16, ac.f32"),
    (lambda: scale[1](npu(1, 2, 3, 4)[::2], npu(1, 2), 2), "argument 'x': is not contiguous (strides (2,) of sizes (2,))"),
    (lambda: scale[1](npu(1), npu(1), 2**63), f"argument 'n': takes a 64-bit int, and {2**63} has more bits"),
    (lambda: scale[1](npu(1), npu(1), 1.5), "argument 'n': takes int, not float"),
    (lambda: scale[1](npu(1), npu(1), 1, "2"), "argument 'by': takes float, not str"),
    (lambda: scale[1](npu(1), npu(1), 1, 2, 1), "argument 'flip': takes bool, not int"),
    (lambda: scale[1](npu(1), npu(1)), "argument 'n': is missing"),
    (lambda: scale[1](npu(1), npu(1), 1, 1.0, True, 5), "the launch has 6 arguments, the kernel takes 5: x, z, n, by, flip"),
    (lambda: scale[1](npu(1), npu(1), 1, n=1), "argument 'n': is given twice"),
    (lambda: scale[1](npu(1), npu(1), 1, til=1), "argument 'til': there is no such parameter"),
    (lambda: scale[1]([1.0], npu(1), 1), "argument 'x': takes an npu tensor, not list"),
    (lambda: scale[1](None, npu(1), 1), "argument 'x': takes an npu tensor, not NoneType"),
    (lambda: scale[-1](npu(1), npu(1), 1), "argument 'cores': is a number of cores from 0 to 65535, not -1"),
    (lambda: scale.launch(1, 2, 3, cores=3 / 2), "argument 'cores': is a number of cores from 0 to 65535, not 1.5"),
    (lambda: scale.launch(1, 2, 3, cores=3 / 2), "not 1.5: divide with // or fe.ceil_div"),
    (lambda: scale.launch(npu(1), npu(1), 1), "argument 'cores': is missing"),
    (lambda: scale(npu(1), npu(1), 1), "argument 'cores': is missing; a kernel is launched on cores: scale[cores](...)"),
    (lambda: scale[1](npu(1).double(), npu(1), 1), "which kernels do not know; T can be ac.f16, ac.f32"),
    (lambda: structured[1](npu(1), 3), "argument 'p': takes Params, not int"),
    (lambda: structured[1](npu(1), Params(1, "x")), "argument 'p.eps': takes float, not str"),  # type: ignore[arg-type]
    (lambda: structured.instance()(1, npu(1)), "takes 3 arguments: z, p, w"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), ARGUMENTS, ids=[words[:40] for _, words in ARGUMENTS])
def test_a_wrong_argument_is_one_clear_error(call: Any, words: str) -> None:
    with pytest.raises(errors.BadKernelArgument) as caught:
        call()
    assert words in str(caught.value)
    assert f"{__file__}:" in str(caught.value)


INSTANCES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {}, "no element type for T"),
    ({"T": ac.i32}, {}, "T cannot be ac.i32; it can be ac.f16, ac.f32"),
    ({"T": torch.float16}, {}, "T is an element type such as ac.f16, not torch.float16"),
    ({"U": ac.f16}, {}, "it has no dtype variable 'U'"),
    ({"T": ac.f16}, {"size": 1}, "it has no Const 'size'; it has tile"),
    ({"T": ac.f16}, {"tile": 1.0}, "Const 'tile' is int, not 1.0"),
    ({"T": ac.f16}, {"tile": -1}, "it does not hold that tile >= 0"),
]


@pytest.mark.parametrize(("dtypes", "consts", "words"), INSTANCES, ids=[words[:30] for _, _, words in INSTANCES])
def test_a_wrong_binding_is_refused(dtypes: dict[str, Any], consts: dict[str, Any], words: str) -> None:
    with pytest.raises(errors.BadInstance, match="scale") as caught:
        scale.instance(dtypes, consts)
    assert words in str(caught.value)


def test_over_budget_names_every_allocating_line() -> None:
    with pytest.raises(errors.UbOverBudgetAtInstance) as caught:
        scale.instance({"T": ac.f32}, {"tile": 32768})
    text = str(caught.value)
    assert "needs 262144 bytes of the Unified Buffer; dav-2201 gives 196608" in text
    assert text.count("131072") == 2 and "xs = ac.queue(ac.VECIN, T, tile)" in text and "zs = ac.queue" in text


@ac.kernel
def stepping(z: ac.Gm[ac.f32], *, tile: ac.Const[int], deep: ac.Const[bool] = False):
    assert tile % 16 == 0 and tile > 0
    half = tile // 2
    if deep:
        for i in range(0, 64, half):
            z[i] = half


def test_an_assert_about_consts_is_a_demand_of_the_instance() -> None:
    with pytest.raises(errors.BadInstance, match="tile % 16 == 0"):
        stepping.instance({}, {"tile": 8})
    with pytest.raises(errors.BadInstance, match="Const 'tile' has no value and no default"):
        stepping.instance()
    z = torch.zeros(64).npu()
    stepping[1](z, tile=64, deep=True)
    assert z[0] == 32 and z[32] == 32 and z.sum() == 64
    assert "constexpr int64_t half_ = tile / 2;" in stepping.source()
    assert "if constexpr (deep) {" in stepping.source()


@ac.kernel
def asserting(z: ac.Gm[ac.f32], n: int):
    assert n > 0, "n is positive, 100%"
    z[0] = n // 2


def test_an_assert_stops_the_kernel_with_its_message() -> None:
    z = torch.zeros(1).npu()
    asserting[1](z, 5)
    assert z.item() == 2
    assert "n / 2" in asserting.source()  # the assert has said that it is not negative
    with pytest.raises(errors.AssertFailed, match="n is positive, 100%"):
        asserting[1](z, -5)


def test_a_kernel_is_launched_not_called() -> None:
    with pytest.raises(errors.BadKernelArgument, match=r"scale\[cores\]"):
        scale(1)


def test_functions_of_the_language_say_where_they_belong() -> None:
    with pytest.raises(errors.OnlyInKernels, match=r"ac\.copy"):
        ac.copy(None, None)  # type: ignore[arg-type]


def test_a_missing_annotation_is_refused_when_decorated() -> None:
    with pytest.raises(errors.MissingAnnotation, match="parameter 'n' of kernel 'bad' has no annotation") as caught:

        @ac.kernel
        def bad(x: ac.Gm[T], n):
            pass

    assert "def bad(x: ac.Gm[T], n):" in str(caught.value)


@pytest.mark.parametrize("annotation", [str, "ac.Local[T]", list, "unknown", dict[str, int]])
def test_an_annotation_that_kernels_cannot_take_is_refused(annotation: Any) -> None:
    def bad(x):
        pass

    bad.__annotations__["x"] = annotation
    with pytest.raises(errors.BadAnnotation, match="parameter 'x' of 'bad' is annotated"):
        ac.kernel(bad)


def test_a_kernel_without_a_source_says_so() -> None:
    space: dict[str, Any] = {"ac": ac, "__name__": "nowhere"}
    exec("def made(z: ac.Gm[ac.f32]):\n    z[0] = 1\n", space)
    with pytest.raises(errors.NoKernelSource, match="made"):
        ac.kernel(space["made"]).source()


@ac.kernel
def constant_sizes(x: ac.Gm[T]):
    a = ac.ub(T, 65536)
    b = ac.tbuf(ac.f32, 32768)
    ac.copy(a, x)
    ac.muls(b, b, 2.0, 64)


def test_over_budget_of_constant_sizes_is_known_when_translated() -> None:
    with pytest.raises(errors.UbOverBudgetAtInstance) as caught:
        constant_sizes.source()
    text = str(caught.value)
    assert "needs 262144 bytes" in text and text.count("131072") == 2 and "a = ac.ub(T, 65536)" in text
