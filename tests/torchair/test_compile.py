"""torch.compile with our backend: static and dynamic shapes, training, breaks, aliasing, recompilation."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
import torch

from ferrata import torchair


def compiled(f: Any, **options: Any) -> Any:
    return torch.compile(f, backend=torchair.get_npu_backend(), **{"fullgraph": True, **options})


@pytest.mark.parametrize("dynamic", [False, True])
def test_custom_operator_between_aten_nodes_equals_eager(add: Any, operators: Any, dynamic: bool) -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> Any:
        a = torch.relu(x) * 2
        return add(a, y).sum(1), a.view(-1)

    x, y = torch.randn(8, 2048), torch.randn(8, 2048)
    for got, expected in zip(compiled(f, dynamic=dynamic)(x, y), f(x, y), strict=True):
        torch.testing.assert_close(got, expected)
    assert operators.runs["AddCustomT"] == 1


def test_a_dynamic_graph_is_compiled_once_for_every_size(add: Any) -> None:
    f = compiled(lambda x, y: add(x, y) * x.shape[0] + x.shape[1], dynamic=True)
    f(torch.randn(4, 6), torch.randn(4, 6))
    with torch._dynamo.config.patch(error_on_recompile=True):
        for rows, cols in [(2, 3), (7, 7), (8, 2048), (33, 2), (1000, 5)]:
            x, y = torch.randn(rows, cols), torch.randn(rows, cols)
            torch.testing.assert_close(f(x, y), (x + y) * rows + cols)


def test_sizes_go_in_and_come_out(add: Any) -> None:
    def f(x: torch.Tensor, n: int) -> Any:
        y = x.view(-1, n)
        return add(y, y), y.shape[0] * 2, x.shape[0] // n

    g = compiled(f, dynamic=True)
    for size, n in [(24, 4), (36, 6), (40, 5)]:
        x = torch.randn(size)
        got, rows, quotient = g(x, n)
        torch.testing.assert_close(got, 2 * x.view(-1, n))
        assert (rows, quotient) == (2 * (size // n), size // n)


def test_static_recompiles_and_is_right_for_each_size(add: Any) -> None:
    f = compiled(lambda x, y: add(x, y), dynamic=False)
    for n in (3, 5):
        x, y = torch.randn(n, n), torch.randn(n, n)
        torch.testing.assert_close(f(x, y), x + y)


@pytest.mark.parametrize("shape", [(0,), (0, 4), (1,), (1, 1), ()])
def test_empty_single_and_scalar_shapes(add: Any, operators: Any, shape: tuple[int, ...]) -> None:
    x, y = torch.randn(shape), torch.randn(shape)
    got = compiled(lambda x, y: add(x, y))(x, y)
    torch.testing.assert_close(got, x + y)
    assert operators.runs["AddCustomT"] == (0 if 0 in shape else 1)  # empty tensors launch nothing


def test_non_contiguous_inputs_reach_the_kernel_contiguous(operators: Any) -> None:
    seen = []

    def run(ctx: Any) -> None:
        x = ctx.input("x")
        seen.append(x.is_contiguous())
        torch.neg(x, out=ctx.malloc_output("y", x.shape, x.dtype))

    op = operators.torch("neg(Tensor x) -> Tensor", lambda x: -x, torch.empty_like)
    operators.ge("NegT", run, inputs=["x"], outputs=["y"])
    operators.converter(op, lambda x: torchair.ge.custom_op("NegT", x))
    x = torch.randn(4, 6)
    # Meta keeps the strides of a transposed input, and what follows was captured for them
    got = compiled(lambda x: op(x.t()).t().view(-1))(x)
    torch.testing.assert_close(got, -x.reshape(-1))
    assert seen == [True]


def test_inputs_that_are_returned_and_viewed_alias_as_in_eager(add: Any) -> None:
    def f(x: torch.Tensor) -> Any:
        return x, x.view(-1), add(x, x)

    x = torch.randn(3, 4)
    same, view, _ = compiled(f)(x)
    assert same.data_ptr() == x.data_ptr() and view.data_ptr() == x.data_ptr()


def test_a_converter_that_returns_its_input_gives_a_new_tensor(operators: Any) -> None:
    op = operators.torch("same(Tensor x) -> Tensor", lambda x: x.clone(), torch.empty_like)
    operators.converter(op, lambda x: x)
    x = torch.ones(3)
    got = compiled(lambda x: op(x))(x)
    got.zero_()
    assert x.sum() == 3


def test_graph_breaks_without_fullgraph(add: Any) -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        y = add(x, x)
        torch._dynamo.graph_break()
        return add(y, y)

    x = torch.randn(5)
    torch.testing.assert_close(compiled(f, fullgraph=False)(x), 4 * x)


def test_a_module_trains_as_in_eager(operators: Any) -> None:
    op = operators.torch("scale(Tensor x, float k) -> Tensor", lambda x, k: x * k, lambda x, k: torch.empty_like(x))
    torch.library.register_autograd(
        f"{operators.namespace}::scale",
        lambda ctx, g: (op(g, ctx.k), None),
        setup_context=lambda ctx, inputs, output: setattr(ctx, "k", inputs[1]),
        lib=operators.library,
    )
    operators.ge(
        "ScaleT",
        lambda ctx: (
            ctx.malloc_output(0, ctx.input(0).shape, ctx.input(0).dtype).copy_(ctx.input(0) * ctx.attr("k")) is None
        ),
        inputs=["x"],
        outputs=["y"],
        attrs={"k": "Float"},
    )
    operators.converter(
        op,
        lambda x, k: torchair.ge.custom_op(
            "ScaleT", inputs={"x": x}, outputs=["y"], attrs={"k": torchair.ge.attr.Float(k)}
        ),
    )

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = torch.nn.Linear(6, 8), torch.nn.Linear(8, 2)
            self.norm = torch.nn.BatchNorm1d(8)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.b(op(torch.relu(self.norm(self.a(x))), 0.5))

    torch.manual_seed(0)
    eager = Model()
    model = Model()
    model.load_state_dict(eager.state_dict())
    graph = compiled(model, dynamic=True)
    optimizers = [torch.optim.SGD(m.parameters(), 0.1) for m in (eager, model)]
    for size in (5, 9, 12):
        x = torch.randn(size, 6)
        losses = []
        for net, optimizer in zip((eager, graph), optimizers, strict=True):
            optimizer.zero_grad()
            loss = net(x).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        torch.testing.assert_close(*losses)
    for p, q in zip(eager.state_dict().values(), model.state_dict().values(), strict=True):
        torch.testing.assert_close(p, q)
    assert operators.runs["ScaleT"] == 6  # forward and backward, three steps


def test_input_mutation_and_buffers(add: Any) -> None:
    def f(x: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
        state.add_(x)
        return add(state, x)

    x, state, twin = torch.randn(4), torch.zeros(4), torch.zeros(4)
    g = compiled(f)
    for _ in range(3):
        torch.testing.assert_close(g(x, state), f(x, twin))
    torch.testing.assert_close(state, twin)


def test_no_grad_and_inference_mode(add: Any) -> None:
    x = torch.randn(4, requires_grad=True)
    f = compiled(lambda x: add(x, x) + 1)
    with torch.no_grad():
        torch.testing.assert_close(f(x), 2 * x + 1)
    with torch.inference_mode():
        y = torch.randn(4)
        torch.testing.assert_close(f(y), 2 * y + 1)


def test_one_compiled_function_serves_several_threads(add: Any) -> None:
    f = compiled(lambda x, y: add(x, y) * 2, dynamic=True)
    x = torch.randn(4, 4)
    f(x, x)
    f(x, x + 1)
    wrong: list[int] = []

    def work(seed: int) -> None:
        for n in range(2, 30):
            a = torch.full((n, n), float(seed))
            if not torch.equal(f(a, a), 4 * a):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


@pytest.mark.parametrize("name", ["npu", "npugraph_ex"])
def test_backends_by_name(add: Any, name: str) -> None:
    from ferrata.torchair import entry

    f = torch.compile(lambda x: add(x, x), backend=getattr(entry, name), fullgraph=True)
    torch.testing.assert_close(f(torch.ones(3)), 2 * torch.ones(3))


def test_captured_mode_needs_no_converter(operators: Any) -> None:
    from ferrata.torchair.entry import npugraph_ex

    op = operators.torch("twice(Tensor x) -> Tensor", lambda x: x * 2, torch.empty_like)
    f = torch.compile(lambda x: op(x) + 1, backend=npugraph_ex, fullgraph=True, options={"clone_output": True})
    torch.testing.assert_close(f(torch.ones(3)), 3 * torch.ones(3))


def test_get_compiler_is_an_aot_compiler(add: Any) -> None:
    from torch._dynamo.backends.common import aot_autograd

    kept = []

    def compiler(gm: Any, inputs: Any) -> Any:
        kept.append(torchair.get_compiler()(gm, inputs))
        return kept[-1]

    f = torch.compile(lambda x: add(x, x), backend=aot_autograd(fw_compiler=compiler), fullgraph=True)
    torch.testing.assert_close(f(torch.ones(3)), 2 * torch.ones(3))
    assert "run_AddCustomT([arg0_1, arg0_1])" in kept[0].get_code()


def test_user_passes_see_and_change_the_graph(add: Any) -> None:
    config = torchair.CompilerConfig()
    seen = []

    def to_mul(gm: Any, inputs: Any, config: Any) -> None:
        for node in gm.graph.nodes:
            if node.target is torch.ops.aten.add.Tensor:
                node.target = torch.ops.aten.mul.Tensor

    config.post_grad_custom_pre_pass = to_mul
    config.post_grad_custom_post_pass = lambda gm, inputs, config: seen.append(len(gm.graph.nodes))
    f = torch.compile(lambda x: add(x, x) + x, backend=torchair.get_npu_backend(compiler_config=config))
    torch.testing.assert_close(f(torch.full((3,), 3.0)), torch.full((3,), 18.0))
    assert seen == [4]


@pytest.mark.parametrize("key", [torch.ops.aten.relu.default, torch.ops.aten.relu])
def test_custom_decompositions_are_applied(key: Any) -> None:
    calls = []

    def decompose(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return torch.clamp(x, min=0)

    backend = torchair.get_npu_backend(custom_decompositions={key: decompose})
    x = torch.tensor([-1.0, 2.0])
    torch.testing.assert_close(torch.compile(torch.relu, backend=backend)(x), torch.relu(x))
    assert calls


def test_data_dependent_sizes(add: Any) -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        kept = x[x > 0]
        return add(kept, kept)

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        x = torch.tensor([-1.0, 2.0, 3.0])
        torch.testing.assert_close(compiled(f)(x), torch.tensor([4.0, 6.0]))


def test_a_view_with_the_wrong_strides_cannot_slip_in(add: Any) -> None:
    f = compiled(lambda x: add(x[:, ::2], x[:, ::2]).view(-1), dynamic=True)
    x = torch.randn(4, 6)
    torch.testing.assert_close(f(x), 2 * x[:, ::2].reshape(-1))


def test_a_data_dump_that_cannot_be_written_is_a_warning(add: Any, tmp_path: Path) -> None:
    place = tmp_path / "dumps"
    place.mkdir()
    config = torchair.CompilerConfig()
    config.debug.data_dump.type = "npy"
    config.debug.data_dump.path = str(place)
    place.rmdir()
    place.write_text("")  # a file in the place of the folder that was there when the option was set
    f = torch.compile(lambda x: add(x, x), backend=torchair.get_npu_backend(compiler_config=config))
    with pytest.warns(RuntimeWarning, match="The data dump .* was not written: .*Not a directory"):
        assert f(torch.ones(2)).tolist() == [2, 2]


def test_a_switch_for_an_unknown_pass_is_told(add: Any) -> None:
    config = torchair.CompilerConfig()
    config.ge_config.optimization_switch = "DeadNods:off"
    f = torch.compile(lambda x: add(x, x), backend=torchair.get_npu_backend(compiler_config=config))
    with pytest.warns(UserWarning, match="names the pass 'DeadNods', which this engine does not have: DeadNodes"):
        f(torch.ones(2))
