"""Settings that are kept and checked, names that are refused, graphs and formats."""

from __future__ import annotations

import pytest
import torch

from ferrata.errors import BadOption, BadSetting, NotOnEmulator
from ferrata.npu import formats, refused, utils

npu = torch.npu


def test_settings_are_kept() -> None:
    npu.set_option({"ACL_OP_DEBUG_LEVEL": 0})
    assert npu.is_jit_compile_false() and npu.get_mm_bmm_format_nd() is True
    npu.set_compile_mode(jit_compile=True)
    assert not npu.is_jit_compile_false()
    npu.set_compile_mode(jit_compile=False)
    npu.set_sync_debug_mode("warn")
    assert npu.get_sync_debug_mode() == 1
    npu.set_sync_debug_mode(0)
    npu.set_task_queue_enable(2)
    assert npu.get_task_queue_enable() == 2
    assert npu.matmul.allow_hf32 is False and npu.conv.allow_hf32 is True and npu.config.allow_internal_format is False
    npu.matmul.cube_math_type = 3
    assert npu.matmul.cube_math_type is npu.CubeMathType.USE_HF32
    npu.matmul.cube_math_type = npu.CubeMathType.KEEP_DTYPE
    assert npu.utilization() == 0


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: npu.set_option({"NO_SUCH_KEY": 1}), BadOption),
        (lambda: npu.set_sync_debug_mode("loud"), BadSetting),
        (lambda: npu.set_task_queue_enable(3), BadSetting),
        (lambda: npu.set_deterministic_level(4), BadSetting),
        (lambda: setattr(npu.matmul, "allow_hf32", 3), BadOption),
        (lambda: setattr(npu.matmul, "alow_hf32", True), AttributeError),
        (lambda: npu.set_device_limit("npu:0", "many"), TypeError),
        (lambda: npu.set_device_limit(5, 1), AssertionError),
        (lambda: npu.set_mm_bmm_format_nd(1), TypeError),
        (lambda: npu.no_such_name, AttributeError),
    ],
)
def test_wrong_settings_have_their_own_errors(call: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()  # type: ignore[operator]


def test_core_limits() -> None:
    stream = npu.Stream()
    assert npu.get_stream_limit(stream) == npu.get_device_limit(0)
    npu.set_stream_limit(stream, cube_num=4)
    assert npu.get_stream_limit(stream) == {"cube_core_num": 4, "vector_core_num": 48}
    npu.reset_stream_limit(stream)
    assert npu.get_stream_limit(stream)["cube_core_num"] == 24


@pytest.mark.parametrize(
    "name", [*refused.FUNCTIONS, "caching_allocator_delete", "graph_task_group_begin", "change_current_allocator"]
)
def test_names_that_need_hardware_are_refused(name: str) -> None:
    with pytest.raises(NotOnEmulator, match=f"torch.npu.{name} is not available on the emulated device"):
        getattr(npu, name)(0)


def test_a_graph_replays_on_the_same_tensors() -> None:
    x = torch.ones(3, device="npu")
    graph = npu.NPUGraph()
    with npu.graph(graph):
        assert npu.is_current_stream_capturing()
        y = (x * 2).relu()
        z = y.view(3, 1)
        y.add_(1)
    assert y.tolist() == [3, 3, 3] and not npu.is_current_stream_capturing()
    x.fill_(5)
    graph.replay()
    assert y.tolist() == [11, 11, 11] and z[0, 0].item() == 11
    with pytest.raises(NotOnEmulator, match="hand a value to Python"), npu.graph(npu.NPUGraph()):
        x.sum().item()
    assert not npu.is_current_stream_capturing()
    assert npu.make_graphed_callables(torch.relu, (x,)) is torch.relu


def test_formats_are_tags() -> None:
    x = torch.randn(2, 3, device="npu")
    y = formats.npu_format_cast(x, 29)
    assert (
        formats.get_npu_format(y) is formats.Format.FRACTAL_NZ and torch.equal(x, y) and formats.get_npu_format(x) == 2
    )
    assert formats.npu_format_cast_(x, 4) is x and formats.get_npu_format(x) == 4
    assert formats.get_npu_format(torch.empty(1, 1, 1, 1, device="npu")) == 0
    assert formats.get_storage_size(x[0]) == 6
    with pytest.raises(ValueError, match="99 is not a format"):
        formats.npu_format_cast(x, 99)
    assert formats.empty_with_format((2, 2), dtype=torch.float16, device="npu", acl_format=29).dtype == torch.float16
    with pytest.raises(RuntimeError, match="one dtype and size"):
        formats.copy_memory_(x, x.half())


def test_the_storage_size_in_a_compiled_function_is_that_of_each_call() -> None:
    """Views of one shape lie in storages of any size, and no guard of Dynamo watches those: the graph breaks here."""
    from ferrata import torchair

    def scaled(x: torch.Tensor) -> torch.Tensor:
        return (x + 1) * formats.get_storage_size(x)

    large = torch.ones(10, 3, device="npu")
    torch._dynamo.reset()
    compiled = torch.compile(scaled, backend=torchair.get_npu_backend())
    for x in (large[:3].clone(), large[2:5], large[:3], large[:3].clone(), large[:4], large[:6].clone()):
        assert torch.equal(compiled(x), scaled(x))
    with pytest.raises(Exception, match="does not know how to trace method `nbytes`"):
        torch.compile(scaled, backend=torchair.get_npu_backend(), fullgraph=True)(large)


def test_informational_functions() -> None:
    assert (
        "ferrata" in utils.get_cann_version()
        and utils._is_gte_cann_version("8.0.RC1")
        and not utils._is_gte_cann_version("99.0")
    )
    with pytest.raises(BadSetting):
        utils.get_cann_version("NOPE")
    assert npu.is_support_inf_nan() and npu.npu_check_overflow(torch.tensor([1.0, float("inf")], device="npu"))
    assert not npu.npu_check_overflow(torch.ones(2, device="npu")) and npu.npu_check_overflow(float("nan"))
    with pytest.raises(RuntimeError):
        npu.get_npu_overflow_flag()
