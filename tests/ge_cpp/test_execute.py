"""GeExecutor: C++ operators on tensors of the device."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch

from ferrata import (
    errors,
    npu,  # noqa: F401  (registers the device)
)
from ferrata.ge.native import NativeNode

F32, I64 = 0, 9
pytestmark = pytest.mark.usefixtures("operators")


def node(op: str, inputs: list[int], outputs: list[int], name: str = "n", **attrs: Any) -> NativeNode:
    made = NativeNode(op, name, inputs, outputs, attrs)
    made.infer_dtypes([F32] * made.inputs)
    return made


def add() -> Any:
    return node("AddHost", [1, 1], [1]).executor("model.py:3")


@pytest.mark.parametrize("shape", [(), (1,), (3, 5), (8, 2048), (0, 4)])
def test_sum_equals_torch(shape: tuple[int, ...]) -> None:
    x, y = torch.randn(shape), torch.randn(shape)
    (z,) = add().run([x.npu(), y.npu()])
    assert z.device.type == "npu"
    assert torch.equal(z.cpu(), x + y)


def test_inputs_that_are_not_contiguous_are_copied() -> None:
    x, y = torch.randn(6, 4), torch.randn(4, 6)
    (z,) = add().run([x.npu().t(), y.npu()])
    assert torch.equal(z.cpu(), x.t() + y)


def test_views_with_an_offset() -> None:
    x = torch.randn(10)
    (z,) = add().run([x.npu()[2:6], x.npu()[5:9]])
    assert torch.equal(z.cpu(), x[2:6] + x[5:9])


@pytest.mark.parametrize("with_bias", [False, True])
def test_dynamic_and_optional_ports(with_bias: bool) -> None:
    first, parts, bias = torch.randn(5), [torch.randn(5), torch.randn(5), torch.randn(5)], torch.randn(1)
    executor = node("Gathered", [1, 3, int(with_bias)], [1, 3]).executor()
    tensors = [first.npu(), *(p.npu() for p in parts), bias.npu() if with_bias else None]
    total, *copies = executor.run(tensors)
    torch.testing.assert_close(total.cpu(), first + sum(parts) + (bias if with_bias else 0))
    assert all(torch.equal(c.cpu(), p) for c, p in zip(copies, parts, strict=True))


def test_reference_output_is_the_input() -> None:
    x = torch.arange(4.0).npu()
    same, old = node("Increment", [1], [1, 1]).executor().run([x])
    assert same.data_ptr() == x.data_ptr()
    assert x.cpu().tolist() == [1, 2, 3, 4]
    assert old.cpu().tolist() == [0, 1, 2, 3]


def test_reference_output_of_a_view_writes_back() -> None:
    base = torch.zeros(3, 2).npu()
    node("Increment", [1], [1, 1]).executor().run([base.t()])
    assert base.cpu().tolist() == [[1, 1]] * 3


def test_output_shrinks_to_the_shape_that_execute_sets() -> None:
    x = torch.tensor([0.0, 3, 0, 4, 5])
    executor = node("Nonzero1D", [1], [1]).executor()
    executor.set_planned([([-1], I64)])
    (y,) = executor.run([x.npu()])
    assert y.cpu().tolist() == [1, 3, 4]
    (y,) = executor.run([torch.zeros(2).npu()])
    assert y.shape == (0,)


def test_context_gives_workspaces_arguments_and_names() -> None:
    from ferrata.ge import native

    native.set_option("test.option", "1")
    made = node("Contextual", [1], [1], name="here")
    made.compile([[2, 3]], [[3]])
    (facts,) = made.executor().run([torch.zeros(2, 3).npu()])
    size, compiled, rank = facts.cpu().tolist()
    assert size == 512
    assert compiled >= 1
    assert rank == 2


def test_attributes_of_every_kind_reach_execute() -> None:
    attrs = {
        "an_int": -7,
        "a_float": 1.5,
        "a_bool": False,
        "a_text": "täxt",
        "a_type": I64,
        "ints": [5, 6, 7],
        "floats": [],
        "bools": [False, True],
        "texts": ["", "xyz"],
        "nested": [[1, 9], [2]],
        "tensor": torch.tensor([1.0, 2.5]),
        "types": [0, 9],
        "bytes": b"\x00\x07",
        "needed": 11,
    }
    executor = node("Attributed", [1], [1], **attrs).executor()
    with pytest.raises(errors.ExecuteFailed) as failure:
        executor.run([torch.zeros(1).npu()])
    expected = (
        "count=14\nint=-7 float=1.5 bool=0 text=täxt type=9\nints=5,6,7, floats= bools=2:01 texts=2:,xyz "
        "nested=2:2,1,9 tensor=0:8:2.5 types=2:9 bytes=2:7 needed=11 beyond=1\n"
    )
    assert expected in str(failure.value)


def test_a_missing_attribute_empties_the_list() -> None:
    executor = node("Attributed", [1], [1]).executor()
    with pytest.raises(errors.ExecuteFailed, match="count=0"):
        executor.run([torch.zeros(1).npu()])


def test_failure_shows_status_and_everything_printed(capfd: pytest.CaptureFixture[str]) -> None:
    executor = add()
    x = torch.ones(3).npu()
    with pytest.raises(errors.ExecuteFailed) as failure:
        executor.run([x, torch.ones(4).npu()])
    text = str(failure.value)
    assert "AddHost (node n) at model.py:3" in text
    assert "50331649 (GRAPH_PARAM_INVALID)" in text
    for line in ("x has 3 elements", "y has 4", "they must be equal", "see the manual"):
        assert line in text
    assert executor.run([x, x])[0].cpu().tolist() == [2, 2, 2]
    assert "they must be equal" in capfd.readouterr().err  # the real stream has it, too


def test_exception_of_the_author_is_a_failure() -> None:
    with pytest.raises(errors.ExecuteFailed, match="threw: out of ideas"):
        node("Throws", [1], [1]).executor().run([torch.zeros(1).npu()])


def test_fault_of_a_kernel_keeps_its_class_and_names_the_node() -> None:
    with pytest.raises(errors.KernelFault, match="read outside GM") as failure:
        node("Faults", [1], [1]).executor("model.py:9").run([torch.zeros(1).npu()])
    assert type(failure.value).__name__ == "OutOfBounds"
    assert (failure.value.file, failure.value.line) == ("/k.asc", 41)
    notes = getattr(failure.value, "__notes__", ["Faults (node n) at model.py:9"])  # from Python 3.11 on
    assert "Faults (node n) at model.py:9" in notes[0]
    x = torch.ones(2).npu()
    assert add().run([x, x])[0].cpu().tolist() == [2, 2]


def test_output_that_was_never_allocated() -> None:
    with pytest.raises(errors.OutputNotSet, match="did not allocate output y"):
        node("SetsNothing", [1], [1]).executor().run([torch.zeros(1).npu()])


@pytest.mark.parametrize(("op", "message"), [("OnlyInfers", "EagerExecuteOp"), ("BadConstructor", "constructor")])
def test_class_that_cannot_execute(op: str, message: str) -> None:
    with pytest.raises(errors.NotExecutable, match=message):
        node(op, [1], [1]).executor().run([torch.zeros(1).npu()])


@pytest.mark.parametrize(("shape", "dtype"), [([4], F32), ([3, 1], F32), ([], F32), ([3], I64)])
def test_plan_and_result_differ(shape: list[int], dtype: int) -> None:
    executor = add()
    executor.set_planned([(shape, dtype)], "the plan")
    x = torch.ones(3).npu()
    with pytest.raises(
        errors.OutputMismatch, match=r"output z was planned as (.|\n)*produced DT_FLOAT \[3\](.|\n)*the plan"
    ):
        executor.run([x, x])


@pytest.mark.parametrize(("shape", "dtype"), [([3], F32), ([-1], F32), ([-2], F32), ([3], 28)])
def test_plan_that_fits(shape: list[int], dtype: int) -> None:
    executor = add()
    executor.set_planned([(shape, dtype)])
    x = torch.ones(3).npu()
    assert executor.run([x, x])[0].cpu().tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        (lambda: [torch.ones(1).npu()], "2 input tensors, 1 were given"),
        (lambda: [torch.ones(1).npu(), 3], "input 1 is no tensor but int"),
    ],
)
def test_wrong_inputs(tensors: Any, message: str) -> None:
    with pytest.raises(errors.ExecutorInput, match=message):
        add().run(tensors())


def test_many_threads_share_one_node() -> None:
    executor = add()
    wrong: list[int] = []

    def work(seed: int) -> None:
        x = torch.full((64,), float(seed)).npu()
        for _ in range(200):
            if not torch.equal(executor.run([x, x])[0].cpu(), (x + x).cpu()):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_outputs_live_on_after_the_executor() -> None:
    x = torch.ones(1000).npu()
    executor = add()
    (z,) = executor.run([x, x])
    del executor
    torch.randn(1000).npu()
    assert z.cpu().sum() == 2000
