"""Tensors on the device: creation, moves, views, storage, text; each against the CPU."""

from __future__ import annotations

import copy
import io
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest
import torch

from ferrata.errors import NotShared
from ferrata.npu import extension

DTYPES = [
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int16, torch.int32,
    torch.int64, torch.bool, torch.complex64,
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0, 2), (7, 5), (2, 3, 4, 5)])
def test_a_round_trip_keeps_every_value(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    cpu = (torch.randn(shape) * 5).to(dtype)
    npu = cpu.npu()
    assert npu.device == torch.device("npu:0") and npu.is_npu and npu.dtype == dtype
    assert torch.equal(npu.cpu(), cpu)


def test_to_takes_every_way_of_naming_the_device() -> None:
    x = torch.ones(2)
    for device in ("npu", "npu:0", torch.device("npu"), torch.device("npu", 0)):
        assert x.to(device).device == torch.device("npu:0")
    assert x.npu(0).npu().device.index == 0
    assert x.to("npu", torch.float16, non_blocking=True).dtype == torch.float16


def test_moving_to_the_same_device_copies_nothing() -> None:
    x = torch.ones(3, device="npu")
    assert x.npu() is x and x.to("npu") is x


def test_memory_of_every_tensor_is_device_memory() -> None:
    known = extension().is_device_address
    a = torch.arange(10.0, device="npu")
    for t in (a, a + 1, a.view(2, 5)[1], torch.cat([a, a]), a.to(torch.int32), torch.linalg.qr(a.view(5, 2))[0]):
        assert known(t.data_ptr())
    assert known(a.data_ptr() + 39) and not known(a.cpu().data_ptr())


@pytest.mark.parametrize(
    "make",
    [
        lambda d: torch.zeros(3, 4, device=d),
        lambda d: torch.full((2,), 7, device=d),
        lambda d: torch.arange(9, device=d),
        lambda d: torch.linspace(0, 1, 5, device=d),
        lambda d: torch.eye(3, device=d),
        lambda d: torch.tril_indices(3, 3, device=d),
        lambda d: torch.tensor([[1, 2], [3, 4]], device=d),
        lambda d: torch.scalar_tensor(2.5, device=d),
        lambda d: torch.ones(2, device=d).new_zeros(4),
        lambda d: torch.hann_window(8, device=d),
        lambda d: torch.empty_strided((2, 3), (1, 2), device=d).fill_(1),
        lambda d: torch.vander(torch.arange(3, device=d)),
        lambda d: torch.complex(torch.ones(2, device=d), torch.ones(2, device=d)),
    ],
)
def test_factories_give_what_the_cpu_gives(make: object) -> None:
    cpu, npu = make("cpu"), make("npu")  # type: ignore[operator]
    assert npu.device.type == "npu" and npu.stride() == cpu.stride()
    assert torch.equal(npu.cpu(), cpu)


def test_memory_formats_are_kept() -> None:
    x = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
    assert x.npu().is_contiguous(memory_format=torch.channels_last)
    assert (x.npu() + 1).is_contiguous(memory_format=torch.channels_last)
    assert torch.empty(2, 3, 4, 5, device="npu", memory_format=torch.channels_last).stride() == x.stride()


def test_views_share_the_storage() -> None:
    x = torch.zeros(4, 6, device="npu")
    views = [
        x[1:3],
        x.t(),
        x.view(24),
        x.reshape(2, 12),
        x.unsqueeze(0),
        x.expand(2, 4, 6),
        x.diagonal(),
        x.unfold(0, 2, 1),
        x.as_strided((2, 2), (6, 1), 3),
        x.chunk(2)[1],
        x.split(3, 1)[0],
        x.unbind(0)[2],
        x.movedim(0, 1),
        x.flatten(),
        x.view(torch.int32),
        torch.view_as_real(torch.zeros(2, dtype=torch.complex64, device="npu")),
        x.detach(),
        x.data,
    ]
    x.fill_(3)
    for view in views:
        assert view.device.type == "npu"
        if view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() and view.dtype == torch.float32:
            assert bool((view == 3).all())
    assert sum(v.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() for v in views) == len(views) - 1


def test_a_view_keeps_the_memory_after_the_base_is_gone() -> None:
    view = torch.arange(1000.0, device="npu")[500:]
    assert view.sum().item() == sum(range(500, 1000))


def test_resize_keeps_the_data_and_the_views_follow_the_storage() -> None:
    x = torch.arange(4.0, device="npu")
    view = x[:2]
    x.resize_(100)
    assert x[:4].tolist() == [0, 1, 2, 3] and extension().is_device_address(x.data_ptr())
    x[0] = 9
    assert view[0].item() == 9
    x.resize_(2, 2)
    assert x.shape == (2, 2)


def test_storage_interface() -> None:
    x = torch.arange(6, dtype=torch.uint8, device="npu")
    storage = x.untyped_storage()
    assert storage.device == torch.device("npu:0") and storage.is_npu and storage.nbytes() == 6
    assert storage.cpu().tolist() == [0, 1, 2, 3, 4, 5] and storage.cpu().npu().is_npu
    storage.resize_(10)
    assert storage.nbytes() == 10 and x.tolist() == [0, 1, 2, 3, 4, 5]
    y = torch.empty(0, dtype=torch.uint8, device="npu").set_(storage, 2, (3,))
    assert y.tolist() == [2, 3, 4]
    y.set_(x)
    assert y.data_ptr() == x.data_ptr()
    y.set_()
    assert y.numel() == 0 and y.device.type == "npu"
    assert torch.UntypedStorage(5, device="npu").nbytes() == 5


def test_text_copy_and_pickles() -> None:
    x = torch.tensor([1.5, 2.0], device="npu")
    assert repr(x) == "tensor([1.5000, 2.0000], device='npu:0')"
    assert torch.equal(copy.deepcopy(x), x) and copy.deepcopy(x).data_ptr() != x.data_ptr()
    assert x.type() == "torch.npu.FloatTensor" and x.numpy(force=True).tolist() == [1.5, 2.0]
    with pytest.raises(TypeError, match=r"Use Tensor\.cpu"):
        x.numpy()


@pytest.mark.parametrize("zipped", [True, False])
def test_serialization(zipped: bool) -> None:
    file = io.BytesIO()
    base = torch.arange(12.0, device="npu").view(3, 4)
    torch.save(
        {"a": base, "view": base[1], "p": torch.nn.Parameter(base.clone())}, file, _use_new_zipfile_serialization=zipped
    )
    for where, expected in [(None, "npu"), ("cpu", "cpu"), ({"npu:0": "cpu"}, "cpu"), ("npu", "npu")]:
        file.seek(0)
        loaded = torch.load(file, map_location=where)
        assert {t.device.type for t in loaded.values()} == {expected}
        assert torch.equal(loaded["a"].cpu(), base.cpu())
        loaded["a"][1] = 0
        assert loaded["view"].sum().item() == 0, "shared storage must stay shared"


def test_dlpack_shares_memory() -> None:
    x = torch.arange(5, device="npu")
    y = torch.from_dlpack(x)
    assert y.device == x.device and y.data_ptr() == x.data_ptr()
    assert torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x)).tolist() == x.tolist()


def test_pinned_memory() -> None:
    x = torch.randn(4)
    pinned = x.pin_memory()
    assert pinned.is_pinned() and not x.is_pinned() and torch.equal(pinned, x)
    assert torch.empty(3, pin_memory=True).is_pinned() and pinned[1:].is_pinned()
    assert torch.equal(pinned.to("npu", non_blocking=True).cpu(), x)
    with pytest.raises(RuntimeError, match="Only dense CPU tensors can be pinned"):
        torch.empty(3, device="npu", pin_memory=True)


def test_copies_between_devices_dtypes_and_layouts() -> None:
    cpu = torch.randn(4, 5)
    for source in (cpu, cpu.t().contiguous().t(), cpu.double()):
        target = torch.zeros(4, 5, device="npu")
        assert torch.equal(target.copy_(source).cpu(), cpu.float())
        back = torch.zeros(4, 5)
        assert torch.equal(back.copy_(target), cpu)
    broadcast = torch.zeros(3, 5, device="npu").copy_(torch.arange(5.0))
    assert broadcast[2].tolist() == [0, 1, 2, 3, 4]
    assert torch.zeros(2, device="npu").copy_(torch.tensor([1 + 1j, 2])).tolist() == [1, 2]


def test_sparse_coo_round_trip() -> None:
    dense = torch.tensor([[0.0, 2.0], [3.0, 0.0]])
    sparse = dense.npu().to_sparse()
    assert sparse.device.type == "npu" and sparse.values().device.type == "npu"
    assert torch.equal(sparse.to_dense().cpu(), dense)
    assert torch.equal((sparse @ torch.eye(2, device="npu")).cpu(), dense)
    made = torch.sparse_coo_tensor(torch.tensor([[0, 0], [1, 1]]).npu(), torch.ones(2).npu(), (2, 2)).coalesce()
    assert made.to_dense().tolist() == [[0, 2], [0, 0]]


def test_legacy_types() -> None:
    with pytest.warns(DeprecationWarning, match="torch.npu.FloatTensor is deprecated"):
        x = torch.npu.FloatTensor([1, 2])
    assert x.tolist() == [1, 2] and isinstance(x, torch.npu.FloatTensor) and not isinstance(x, torch.npu.HalfTensor)


def test_subclasses_and_packed_sequences_move() -> None:
    packed = torch.nn.utils.rnn.pack_sequence([torch.ones(3), torch.ones(2)])
    assert packed.npu().is_npu
    assert isinstance(torch.nn.Parameter(torch.ones(2)).npu(), torch.Tensor)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.uint8, torch.float32])
@pytest.mark.parametrize("bounds", [(0, 0), (0, 7), (2, 4)])
def test_histograms_of_integers(dtype: torch.dtype, bounds: tuple[int, int]) -> None:
    values = torch.tensor([0, 1, 1, 3, 7, 7, 7, 2, 5, 4])
    low, high = bounds if bounds != (0, 0) else (0, 7)
    expected, _ = np.histogram(values.numpy(), bins=8, range=(low, high))
    got = torch.histc(values.to(dtype).npu(), 8, *bounds)
    assert got.dtype == dtype and got.cpu().tolist() == expected.tolist()


def test_the_memory_of_the_device_is_not_shared_between_processes() -> None:
    x, layer = torch.ones(3).npu(), torch.nn.Linear(2, 2)
    for share in (x.share_memory_, x.untyped_storage().share_memory_, copy.deepcopy(layer).npu().share_memory):
        with pytest.raises(NotShared, match="belongs to one"):
            share()
    with pytest.raises(NotShared, match=r"12 bytes"):  # what a queue or a DataLoader's worker does
        ForkingPickler.dumps(x)
    assert not x.is_shared() and x.cpu().tolist() == [1.0] * 3
    assert layer.share_memory().weight.is_shared() and torch.ones(3).share_memory_().is_shared()
