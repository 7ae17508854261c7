"""Graphs as files: what comes back is the same program, with the same values; what cannot come back says why."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from ferrata import errors, torchair
from ferrata.ge import store
from ferrata.ge.attrs import AttrValue
from ferrata.ge.builder import GraphBuilder
from ferrata.ge.ir import Call, Desc
from ferrata.ge.program import Program
from ferrata.ge.session import Session
from ferrata.ge.store.document import from_document, to_document
from ferrata.ge.store.pack import pack, unpack
from ferrata.ge.store.values import Reader, Writer

CPU = torch.device("cpu")


def graphs_of(f: Any, *args: Any, dynamic: bool = False) -> list[tuple[Any, list[Any]]]:
    """The compiled graphs of a call, each with the inputs that it got."""
    torch._dynamo.reset()
    seen: list[tuple[Any, list[Any]]] = []

    def compiler(gm: Any, example_inputs: Any) -> Any:
        made = torchair.get_compiler()(gm, example_inputs)

        def run(values: list[Any]) -> Any:
            seen.append((made.graph, [v.clone() if isinstance(v, torch.Tensor) else v for v in values]))
            return made(values)

        run._boxed_call = True  # type: ignore[attr-defined]
        return run

    from torch._dynamo.backends.common import aot_autograd

    backend = aot_autograd(fw_compiler=compiler, inference_compiler=compiler, bw_compiler=compiler)
    torch.compile(f, backend=backend, dynamic=dynamic, fullgraph=True)(*args)
    return seen


def conv(x: Any) -> Any:
    return F.max_pool2d(F.conv2d(x, torch.ones(2, 3, 3, 3), padding=1), 2)


def sizes(x: Any, y: Any) -> Any:
    n = x.shape[0] * 2 + x.shape[1] // 2
    return x.view(-1, 2), torch.cat([x, y]).sum(0), n, torch.arange(x.shape[0]) % max(x.shape[1], 2)


def mixed(x: Any) -> Any:
    a = torch.fft.rfft(x, dim=-1)
    return a.real, x.to(torch.bfloat16), x[..., ::2], torch.full_like(x, float("-inf")), x.sort(-1)


def strided(x: Any) -> Any:
    return x.t() @ x, x.expand(2, *x.shape).permute(2, 0, 1).contiguous()


def masked(x: Any) -> Any:
    return x[x > 0], torch.nonzero(x)


def in_place(x: Any) -> Any:
    x.add_(1)
    return x * 2


CASES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "conv": (conv, (torch.randn(1, 3, 8, 8),)),
    "sizes": (sizes, (torch.randn(4, 6), torch.randn(3, 6))),
    "mixed": (mixed, (torch.randn(4, 6),)),
    "strided": (strided, (torch.randn(4, 6),)),
    "in_place": (in_place, (torch.randn(4, 6),)),
    "softmax": (lambda x: F.layer_norm(x.softmax(-1), (6,)), (torch.randn(4, 6),)),
    "numbers": (lambda x: (x * 2 + 1.5) / 3 - 1, (torch.randn(4, 6),)),
    "empty": (lambda x: x[:0] + 1, (torch.randn(4, 6),)),
    "scalar": (lambda x: x.sum() * x.mean(), (torch.randn(4, 6),)),
    "integers": (lambda x: (x // 3, x % 4, x << 1), (torch.arange(24).view(4, 6),)),
    "none": (lambda x: [x, None, 3], (torch.randn(4, 6),)),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_the_program_and_its_values_survive(name: str, dynamic: bool) -> None:
    f, args = CASES[name]
    for compiled, inputs in graphs_of(f, *args, dynamic=dynamic):
        for graph in (compiled.original, compiled.graph):
            back = from_document(*unpack(pack(*to_document(graph))))
            assert Program(back, CPU).source == Program(graph, CPU).source
            assert str(back) == str(graph)
            copies = [[v.clone() if isinstance(v, torch.Tensor) else v for v in inputs] for _ in range(2)]
            expected = Session().compile(graph).run(list(copies[0]))
            got = Session().compile(back).run(list(copies[1]))
            torch.testing.assert_close(got, expected, rtol=0, atol=0, equal_nan=True)
            torch.testing.assert_close(copies[1], copies[0], rtol=0, atol=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["llama", "bert", "resnet"])
def test_models_survive_as_air_files(name: str, tmp_path: Path) -> None:
    from tests.zoo.models import make, outputs

    module, inputs = make(name)
    with torch.no_grad():
        expected = outputs(module(**inputs))
        ((compiled, values),) = graphs_of(functools.partial(_outputs, module, outputs), inputs)
    path = store.save(compiled.original, tmp_path / "m.air")
    loaded = store.load(path)
    assert loaded.source == compiled.source
    torch.testing.assert_close(list(loaded(*values))[: len(expected)], expected)


def _outputs(module: Any, outputs: Any, inputs: dict[str, Any]) -> Any:
    return tuple(outputs(module(**inputs)))


VALUES = [
    None, True, 3, -(2**70), 1.5, float("-inf"), 1 + 2j, complex("nanj"), "é", b"\x00\xff", [1, (2, "x")], {"a": {1: 2.0}},
    slice(1, None, 2), torch.float8_e4m3fn, torch.strided, torch.channels_last, torch.device("cpu"),
    torch.ops.aten.add.Tensor, torch.ops.aten.relu.default, torch.ops.aten.sym_size, torch.sym_max, torch.Tensor.add,
    torch.ops.higher_order.cond, max, abs,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: re.sub(r" at 0x[0-9a-f]+", "", repr(value)))
def test_a_value_survives(value: Any) -> None:
    import json

    writer = Writer()
    text = json.dumps(writer.encode(value))
    back = Reader(writer.tensors).decode(json.loads(text))
    assert repr(back) == repr(value) and type(back) is type(value)


@pytest.mark.parametrize("text", ["s0", "2*s0 + 3*s1**2", "FloorDiv(s0, 2)", "Mod(s0 + 1, 8)", "Max(1, s0 - 4)"])
def test_an_expression_of_sizes_survives(text: str) -> None:
    import sympy
    from torch.utils._sympy import functions

    s0, s1 = sympy.symbols("s0 s1", integer=True, positive=True)
    names = {n: getattr(functions, n) for n in ("FloorDiv", "Mod", "Max")}
    value = eval(text, {**names, "s0": s0, "s1": s1})
    reader = Reader([])
    back = reader.decode(Writer().encode(value))
    assert back == value and str(back) == str(value)


@pytest.mark.parametrize(
    "value", [{"py": "builtins.eval"}, {"py": "operator.attrgetter"}, {"py": "os.system"}, {"sym": "load"}, {"what": 1},
              {"dtype": "load"}, {"torch": "load"}, {"e": ["Lambda", 1]}],
)  # fmt: skip
def test_a_file_cannot_name_other_functions(value: Any) -> None:
    with pytest.raises(ValueError):
        Reader([]).decode(value)


def test_tensors_keep_dtype_strides_and_sharing() -> None:
    base = torch.randn(3, 4)
    given = [base, base.t(), base, torch.empty(0, 3), torch.tensor(2.0, dtype=torch.bfloat16),
             torch.arange(4).to(torch.float8_e5m2), torch.tensor([1 + 2j]).conj()]  # fmt: skip
    with GraphBuilder("g") as g:
        graph = g.finish([g.const(t) for t in given])
    document, tensors = to_document(graph)
    assert len(tensors) == 6  # the first and the third are one
    _, back = unpack(pack(document, tensors))
    for a, b in zip(tensors, back, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape and (not a.numel() or a.stride() == b.stride())
        assert torch.equal(a.resolve_conj().to(torch.complex64), b.to(torch.complex64))


def test_a_node_that_cannot_be_stored_is_named() -> None:
    def own(x: Any) -> Any:
        return x

    with GraphBuilder("g") as g:
        x = g.data("x", Desc(0, (2,)))
        (y,) = g.aten("host::own", Call(own, "own", (x,)), [("y", Desc(0, (2,)))], ports=[("x", x)])
        graph = g.finish([y])
    with pytest.raises(errors.GraphNotStorable, match=r"holds .own. of"):
        to_document(graph)


@pytest.fixture
def air(tmp_path: Path) -> Path:
    with GraphBuilder("g") as g:
        x = g.data("x", Desc(0, (2, 3)))
        w = g.const(torch.ones(2, 3), "w")
        (y,) = g.add("Add", {"x1": x, "x2": w})
        graph = g.finish([y])
    return store.save(graph, tmp_path / "g.air")


def test_every_truncation_and_change_is_noticed(air: Path) -> None:
    data = air.read_bytes()
    for size in (0, 1, 10, len(data) // 2, len(data) - 1):
        air.write_bytes(data[:size])
        with pytest.raises(errors.GraphFileDamaged):
            store.load(air)
    at = data.index(torch.ones(2, 3).numpy().tobytes())
    air.write_bytes(data[:at] + b"\x01" + data[at + 1 :])
    with pytest.raises(errors.GraphFileDamaged, match="not those that were written"):
        store.load(air)
    at = data.index(b'"version"')
    air.write_bytes(data[:at] + b'"versioN"' + data[at + 9 :])
    with pytest.raises(errors.GraphFileDamaged, match="check sum"):
        store.load(air)
    at = data.index(b"Add")  # what other tools read, and loading does not
    air.write_bytes(data[:at] + b"Sub" + data[at + 3 :])
    with pytest.raises(errors.GraphFileDamaged, match="operators"):
        store.load(air)
    air.write_bytes(b"{}" * 50)
    with pytest.raises(errors.GraphFileDamaged):
        store.load(air)
    with pytest.raises(errors.GraphFileMissing):
        store.load(air.with_name("other.air"))


def test_another_version_is_refused(air: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ferrata.ge.store.document.VERSION", 2)
    with pytest.raises(errors.GraphFileVersion, match="version 1"):
        store.load(air)


def test_inputs_are_checked_by_name(air: Path) -> None:
    run = store.load(air)
    x = torch.randn(2, 3)
    assert torch.equal(run(x=x)[0], x + 1)
    for args, named, message in [
        ((), {}, "no 'x'"),
        ((x, x), {}, "fed 2"),
        ((x,), {"x": x}, "'x' twice"),
        ((), {"X1": x}, "fed 'X1'"),
        ((x.double(),), {}, "torch.float64"),
        ((x[0],), {}, "2 dimensions"),
        ((x.t(),), {}, "2 in dimension 0"),
        ((3,), {}, "a tensor f32"),
    ]:
        with pytest.raises(errors.FeedMismatch, match=message):
            run(*args, **named)


def test_a_missing_custom_operator_is_named_and_a_changed_one_refused(operators: Any, tmp_path: Path) -> None:
    from ferrata import ge

    def run(ctx: Any) -> None:
        x = ctx.input("x")
        torch.add(x, ctx.attr("k"), out=ctx.malloc_output("y", x.shape, x.dtype))

    same = lambda ctx: ctx.set_output_shape(0, ctx.input_shape(0))  # noqa: E731
    kind = {"inputs": {"x": torch.float32}, "outputs": {"y": torch.float32}}
    operators.ge("StoredT", run, infer_shape=same, attrs={"k": ("Int", 0)}, **kind)
    with GraphBuilder("g") as g:
        x = g.data("x", Desc(0, (2,)))
        (y,) = g.add("StoredT", {"x": x}, attrs={"k": AttrValue("Int", 3)})
        graph = g.finish([y])
    path = store.save(graph, tmp_path / "g.air")
    assert store.load(path)(torch.zeros(2))[0].tolist() == [3, 3]
    ge.unregister_op("StoredT")
    with pytest.raises(errors.MissingOperators, match=r"StoredT\(x, \*, k.*made with"):
        store.load(path)
    operators.ge("StoredT", run, infer_shape=same, attrs={"k": ("Int", 0), "j": ("Int", 0)}, **kind)
    with pytest.raises(errors.OperatorChanged, match="j: VT_INT"):
        store.load(path)
