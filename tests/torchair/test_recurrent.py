"""LSTM, GRU and RNN on the device and in a graph: packed sequences, stacks, projections, dropout between the layers.

The reference is eager mode on the CPU. Dynamo leaves recurrent layers to eager mode unless it is told `allow_rnn`, and
packing always; graphs are what stands between.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

import ferrata.npu  # noqa: F401  registers the device
import ferrata.torchair as torchair

pytestmark = pytest.mark.slow

LAYERS: dict[str, Callable[..., nn.Module]] = {"LSTM": nn.LSTM, "GRU": nn.GRU, "RNN": nn.RNN}
FORMS: dict[str, dict[str, Any]] = {
    "plain": {},
    "both ways": {"bidirectional": True, "bias": False},
    "stacked": {"num_layers": 2, "bidirectional": True, "batch_first": True},
    "projected": {"proj_size": 3, "num_layers": 2, "batch_first": True},
}
ROWS = [(n, f) for n in LAYERS for f in FORMS if n == "LSTM" or f != "projected"]


class Tagger(nn.Module):
    """A layer between an affine map and a squashing; with lengths it works on a packed sequence."""

    def __init__(self, layer: str, **form: Any) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first = form.get("batch_first", False)
        self.inner, self.layer = nn.Linear(5, 5), LAYERS[layer](5, 6, **form)

    def forward(self, x: Tensor, lengths: Tensor | None = None) -> tuple[Tensor, ...]:
        x = self.inner(x)
        if lengths is None:
            y, ends = self.layer(x)
        else:
            packed = pack_padded_sequence(x, lengths, batch_first=self.first, enforce_sorted=False)
            y, ends = self.layer(packed)
            y, counted = pad_packed_sequence(y, batch_first=self.first, padding_value=-1.0)
            assert torch.equal(counted, lengths)
        return (y.tanh(), *(ends if isinstance(ends, tuple) else (ends,)))


def seen(model: nn.Module, compiled: Callable[..., Any], device: str, packed: bool, batch: bool = True) -> list[Tensor]:
    """Results and gradients of two calls, with lengths that change, and the results of one without gradients."""
    model = copy.deepcopy(model).to(device)
    run = compiled(model)
    made: list[Tensor] = []
    for lengths in ([2, 4, 1], [4, 3, 4]):
        more = (torch.tensor(lengths),) if packed else ()
        shape = ((3, 4, 5) if model.first else (4, 3, 5)) if batch else (4, 5)
        x = torch.linspace(-2, 2, 60)[: torch.Size(shape).numel()].reshape(shape).to(device).requires_grad_()
        model.zero_grad()
        results = run(x, *more)
        sum((r * torch.linspace(0.5, 1, r.shape[-1], device=device)).sum() for r in results).backward()
        gradients = [p.grad for p in (x, *model.parameters()) if p.grad is not None]
        made += [*results, *gradients]
    with torch.no_grad():
        made += run(x.detach(), *more)
    return [t.detach().cpu() for t in made]


def agree(got: list[Tensor], expected: list[Tensor]) -> None:
    assert len(got) == len(expected)
    for a, b in zip(got, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def eagerly(model: nn.Module) -> nn.Module:
    return model


def as_graphs(model: nn.Module) -> Any:
    torch._dynamo.reset()
    return torch.compile(model, backend=torchair.get_npu_backend())


@pytest.mark.parametrize(("layer", "form"), ROWS)
def test_packed_sequences_on_the_device(layer: str, form: str) -> None:
    model = Tagger(layer, **FORMS[form])
    agree(seen(model, eagerly, "npu", packed=True), seen(model, eagerly, "cpu", packed=True))


@pytest.mark.parametrize("device", ["cpu", "npu"])
@pytest.mark.parametrize(("layer", "form"), [("LSTM", "projected"), ("GRU", "stacked")])
def test_graphs_around_a_packed_sequence(layer: str, form: str, device: str) -> None:
    model = Tagger(layer, **FORMS[form])
    agree(seen(model, as_graphs, device, packed=True), seen(model, eagerly, "cpu", packed=True))


@pytest.mark.parametrize("batch", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["batch", "one"])
@pytest.mark.parametrize("device", ["cpu", "npu"])
@pytest.mark.parametrize(
    ("layer", "form"), [pytest.param(*r, marks=() if r == ("LSTM", "stacked") else pytest.mark.slow) for r in ROWS]
)
def test_layers_in_one_graph(layer: str, form: str, device: str, batch: bool) -> None:
    model = Tagger(layer, **FORMS[form])

    def whole(model: nn.Module) -> Any:
        torch._dynamo.reset()
        return torch.compile(model, backend=torchair.get_npu_backend(), fullgraph=True)

    with torch._dynamo.config.patch(allow_rnn=True):
        got = seen(model, whole, device, packed=False, batch=batch)
    agree(got, seen(model, eagerly, "cpu", packed=False, batch=batch))


@pytest.mark.parametrize("device", ["cpu", "npu"])
@pytest.mark.parametrize("layer", ["LSTM", *(pytest.param(n, marks=pytest.mark.slow) for n in ("GRU", "RNN"))])
def test_a_stack_in_a_graph_drops_out_between_its_layers_as_in_eager_mode(layer: str, device: str) -> None:
    """The same numbers from the same seed. PyTorch's own decomposition drops nothing."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = LAYERS[layer](5, 6, num_layers=3, bidirectional=True, dropout=0.5, batch_first=True).to(device)
    x = torch.randn(3, 4, 5).to(device).requires_grad_()

    def within(x: Tensor) -> Any:
        return model(x)

    def run(f: Callable[..., Any]) -> tuple[Tensor, Tensor]:
        torch.manual_seed(7)
        y = f(x)[0]
        return y, torch.autograd.grad(y.square().sum(), x)[0]

    with torch._dynamo.config.patch(allow_rnn=True):
        got = run(torch.compile(within, backend=torchair.get_npu_backend(), fullgraph=True))
    expected = run(model)
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-6)
    model.eval()
    assert not torch.allclose(run(model)[0], expected[0])


def test_a_packed_sequence_goes_to_the_device_and_back() -> None:
    torch.manual_seed(0)
    layer = nn.LSTM(5, 6)
    there = copy.deepcopy(layer).to("npu")
    packed = pack_padded_sequence(torch.randn(4, 3, 5), torch.tensor([4, 2, 1]))
    sent: PackedSequence = packed.to("npu")  # type: ignore[arg-type]
    assert sent.data.device.type == "npu" and sent.batch_sizes.device.type == "cpu"
    torch._dynamo.reset()
    for run in (there, torch.compile(there, backend=torchair.get_npu_backend())):
        got = run(sent)[0]
        assert isinstance(got, PackedSequence) and got.data.device.type == "npu"
        torch.testing.assert_close(got.cpu().data, layer(packed)[0].data)
    with pytest.raises(RuntimeError, match=r"'lengths' argument should be a 1D CPU int64 tensor, but got 1D npu"):
        pack_padded_sequence(torch.randn(4, 3, 5).to("npu"), torch.tensor([4, 2, 1]).to("npu"))
