"""Whole modules on the device against the CPU: outputs, gradients, training steps, optimisers, state."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from torch import nn

MODULES: list[tuple[Callable[[], nn.Module], tuple[int, ...]]] = [
    (lambda: nn.Linear(6, 3), (2, 6)),
    (lambda: nn.Conv1d(3, 4, 3, padding=1), (2, 3, 8)),
    (lambda: nn.Conv2d(3, 4, 3, stride=2, groups=1), (2, 3, 9, 9)),
    (lambda: nn.Conv3d(2, 2, 2), (1, 2, 4, 4, 4)),
    (lambda: nn.ConvTranspose2d(3, 2, 3, output_padding=1, stride=2), (1, 3, 5, 5)),
    (lambda: nn.BatchNorm2d(3), (4, 3, 5, 5)),
    (lambda: nn.GroupNorm(2, 4), (2, 4, 3)),
    (lambda: nn.RMSNorm(6), (2, 6)),
    (lambda: nn.MaxPool2d(2), (1, 2, 6, 6)),
    (lambda: nn.AdaptiveAvgPool2d(2), (1, 2, 5, 5)),
    (lambda: nn.Upsample(scale_factor=2, mode="bilinear"), (1, 2, 4, 4)),
    (lambda: nn.PReLU(), (3, 4)),
    (lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), (2, 5, 8)),
]


@pytest.mark.parametrize("make, shape", MODULES)
def test_outputs_and_gradients_equal_those_of_the_cpu(make: Callable[[], nn.Module], shape: tuple[int, ...]) -> None:
    cpu = make()
    npu = copy.deepcopy(cpu).npu()
    x = torch.randn(shape, requires_grad=True)
    y = x.detach().npu().requires_grad_()
    expected, actual = cpu(x), npu(y)
    torch.testing.assert_close(actual.cpu(), expected)
    expected.pow(2).sum().backward()
    actual.pow(2).sum().backward()
    for a, b in zip([y, *npu.parameters()], [x, *cpu.parameters()], strict=True):
        assert a.device.type == "npu"
        torch.testing.assert_close(a.grad.cpu(), b.grad)


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_recurrent_modules(kind: type[nn.RNNBase], bidirectional: bool) -> None:
    cpu = kind(3, 4, num_layers=2, bidirectional=bidirectional)
    npu = copy.deepcopy(cpu).npu()
    x = torch.randn(6, 2, 3)
    torch.testing.assert_close(npu(x.npu())[0].cpu(), cpu(x)[0], rtol=1e-4, atol=1e-5)
    packed = nn.utils.rnn.pack_padded_sequence(x.npu(), torch.tensor([6, 4]))
    assert npu(packed)[0].data.device.type == "npu"
    cell = {nn.RNN: nn.RNNCell, nn.LSTM: nn.LSTMCell, nn.GRU: nn.GRUCell}[kind](3, 4)
    expected = cell(x[0])
    actual = cell.npu()(x[0].npu())
    left, right = (actual[0], expected[0]) if kind is nn.LSTM else (actual, expected)
    torch.testing.assert_close(left.cpu(), right)


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(32, 16)
        layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 32)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1], device=ids.device)
        return self.head(self.encoder(self.embed(ids), mask=mask))  # type: ignore[no-any-return]


def train(device: str, make: Callable[..., torch.optim.Optimizer]) -> list[float]:
    torch.manual_seed(3)
    model, ids = Classifier(), torch.randint(0, 32, (4, 9))
    model, ids = model.to(device), ids.to(device)
    optimizer = make(model.parameters())
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        logits = model(ids[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


OPTIMISERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.01),
    "adam foreach": lambda p: torch.optim.Adam(p, lr=0.01, foreach=True),
    "adamw fused": lambda p: torch.optim.AdamW(p, lr=0.01, fused=True),
    "sgd fused": lambda p: torch.optim.SGD(p, lr=0.1, fused=True),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.05),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.01),
}


@pytest.mark.parametrize("name", OPTIMISERS)
def test_a_transformer_trains_as_on_the_cpu(name: str) -> None:
    npu, cpu = train("npu", OPTIMISERS[name]), train("cpu", OPTIMISERS[name])
    assert npu == pytest.approx(cpu, rel=1e-4) and npu[-1] < npu[0]


def test_attention_takes_masks_and_causality() -> None:
    q, k, v = (torch.randn(2, 2, 5, 8) for _ in range(3))
    mask = torch.randn(5, 5)
    for arguments in ({}, {"is_causal": True}, {"attn_mask": mask}):
        moved = {key: value.npu() if isinstance(value, torch.Tensor) else value for key, value in arguments.items()}
        expected = nn.functional.scaled_dot_product_attention(q, k, v, **arguments)  # type: ignore[arg-type]
        actual = nn.functional.scaled_dot_product_attention(q.npu(), k.npu(), v.npu(), **moved)
        torch.testing.assert_close(actual.cpu(), expected)


def test_a_state_dict_moves_between_devices() -> None:
    cpu = nn.Linear(3, 2)
    npu = nn.Linear(3, 2).npu()
    npu.load_state_dict(cpu.state_dict())
    assert npu.weight.device.type == "npu" and torch.equal(npu.weight.cpu(), cpu.weight)
    with torch.device("npu"):
        assert nn.Linear(2, 2).weight.device.type == "npu"
    assert nn.Linear(2, 2, device="meta").to_empty(device="npu").weight.device.type == "npu"


def test_data_loader_with_pinned_memory() -> None:
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(torch.arange(8.0)), batch_size=4, pin_memory=True
    )
    assert [batch[0].npu().sum().item() for batch in loader] == [6, 22]
