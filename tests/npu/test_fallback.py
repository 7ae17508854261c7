"""The fallback: same storage, no copies, every kind of argument, identity of results, mixed devices."""

from __future__ import annotations

import pytest
import torch

from ferrata.npu import extension


def test_in_place_returns_the_very_tensor() -> None:
    x = torch.ones(3, device="npu")
    address = x.data_ptr()
    assert x.add_(1) is x and x.data_ptr() == address and x.tolist() == [2, 2, 2]
    out = torch.ops.aten.add_.Tensor(x, x)
    assert out is x and x.tolist() == [4, 4, 4]


def test_out_gets_memory_and_shape() -> None:
    a, out = torch.arange(6.0, device="npu"), torch.empty(0, device="npu")
    assert torch.add(a, 1, out=out) is out
    assert out.shape == (6,) and extension().is_device_address(out.data_ptr())
    values, indices = torch.empty(0, device="npu"), torch.empty(0, dtype=torch.int64, device="npu")
    torch.sort(a.flip(0), out=(values, indices))
    assert values.tolist() == [0, 1, 2, 3, 4, 5] and indices.tolist() == [5, 4, 3, 2, 1, 0]
    strided = torch.zeros(6, 2, device="npu")[:, 0]
    torch.mul(a, 2, out=strided)
    assert strided.stride() == (2,) and strided.tolist() == [0, 2, 4, 6, 8, 10]


def test_metadata_changes_in_place_reach_the_tensor() -> None:
    x = torch.arange(6.0, device="npu").view(2, 3)
    assert x.t_().shape == (3, 2) and x.is_contiguous() is False
    assert x.squeeze_().unsqueeze_(0).shape == (1, 3, 2)
    x.swapaxes_(0, 2)
    assert x.shape == (2, 3, 1)


def test_same_tensor_twice_is_one_argument() -> None:
    x = torch.tensor([1.0, 2.0], device="npu")
    assert x.mul_(x).tolist() == [1, 4]
    assert torch.cat([x, x, x]).tolist() == [1, 4] * 3
    with pytest.raises(RuntimeError, match="unsupported operation"):
        torch.add(x[:1].expand(2), 1, out=x[:1].expand(2))


def test_overlap_between_views_is_still_noticed() -> None:
    x = torch.arange(6.0, device="npu")
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        torch.mul(x[:-1], 2, out=x[1:])


def test_lists_optional_tensors_and_optional_lists() -> None:
    a, b = torch.arange(4.0, device="npu"), torch.ones(2, 2, device="npu")
    assert torch.stack([a, a]).shape == (2, 4)
    index = torch.tensor([0, 1], device="npu")
    b[:, index] = torch.zeros(2, device="npu")  # None for the first dimension
    assert b.sum().item() == 0
    assert a[torch.tensor([True, False, True, False], device="npu")].tolist() == [0, 2]
    assert torch.nn.functional.layer_norm(a, (4,)).device.type == "npu"
    assert torch.bucketize(a, torch.tensor([1.0, 2.0], device="npu")).tolist() == [0, 0, 1, 2]
    assert [t.item() for t in torch.unbind(a)] == [0, 1, 2, 3]
    assert torch.meshgrid(a, a, indexing="ij")[0].shape == (4, 4)


def test_foreach_operators() -> None:
    tensors = [torch.full((n,), float(n), device="npu") for n in range(1, 5)]
    addresses = [t.data_ptr() for t in tensors]
    torch._foreach_add_(tensors, 1)
    assert [t.data_ptr() for t in tensors] == addresses and tensors[3].tolist() == [5.0] * 4
    assert [t[0].item() for t in torch._foreach_mul(tensors, tensors)] == [4, 9, 16, 25]
    assert torch._foreach_norm(tensors)[0].item() == 2
    many = [torch.ones(1, device="npu") for _ in range(200)]
    torch._foreach_copy_(many, [torch.full((1,), float(i), device="npu") for i in range(200)])
    assert many[199].item() == 199


def test_scalars_and_zero_dimensional_cpu_tensors_mix() -> None:
    x = torch.arange(3.0, device="npu")
    for other in (2, 2.0, True, torch.tensor(2.0), torch.tensor(2)):
        assert (x * other).device.type == "npu"
        assert (torch.mul(other, x) if isinstance(other, torch.Tensor) else other * x).dtype == torch.float32
    assert (x + torch.tensor(1.0, dtype=torch.float64)).dtype == torch.float32
    assert torch.where(x > 1, x, 0.0).tolist() == [0, 0, 2]


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: a + b,
        lambda a, b: b + a,
        lambda a, b: torch.cat([a, b]),
        lambda a, b: a.add_(b),
        lambda a, b: b.add_(a),
        lambda a, b: a @ b,
        lambda a, b: torch.add(a, a, out=b),
        lambda a, b: torch.where(a > 0, a, b),
    ],
)
def test_mixed_devices_are_refused(call: object) -> None:
    with pytest.raises(
        RuntimeError, match="Expected all tensors to be on the same device, but found at least two devices"
    ):
        call(torch.ones(3, device="npu"), torch.ones(3))  # type: ignore[operator]


def test_index_tensors_may_be_on_the_cpu_as_on_other_devices() -> None:
    x = torch.arange(4.0, device="npu")
    assert x[torch.tensor([1, 3])].tolist() == [1, 3]
    x[torch.tensor([0])] = 5
    assert x[0].item() == 5


def test_values_reach_python() -> None:
    x = torch.tensor([0.0, 3.0], device="npu")
    assert (
        x[1].item() == 3 and bool(x[1]) and int(x[1]) == 3 and x.tolist() == [0, 3] and [float(v) for v in x] == [0, 3]
    )
    assert x.nonzero().tolist() == [[1]] and torch.equal(x, x.clone()) and torch.allclose(x, x) and x.any().item()
    assert x.max(0).indices.item() == 1 and torch.unique(x, return_counts=True)[1].tolist() == [1, 1]


def test_operators_with_kernels_of_their_own_kind() -> None:
    weight, offsets = torch.arange(12.0).view(4, 3), torch.tensor([0, 2])
    ids = torch.tensor([0, 1, 2, 3])
    for mode in ("sum", "mean", "max"):
        expected = torch.nn.functional.embedding_bag(ids, weight, offsets, mode=mode)
        actual = torch.nn.functional.embedding_bag(ids.npu(), weight.npu(), offsets.npu(), mode=mode)
        assert torch.equal(actual.cpu(), expected)
    x = torch.ones(10000, device="npu")
    dropped, mask = torch.native_dropout(x, 0.25, True)
    assert mask.dtype == torch.bool and 0.7 < mask.float().mean().item() < 0.8
    assert torch.allclose(dropped[mask], torch.tensor(4 / 3, device="npu"))
    x.record_stream(torch.npu.current_stream())
    assert torch._fused_sdp_choice(*[torch.ones(1, 1, 2, 4, device="npu")] * 3) >= 0


def test_complex_conjugate_and_negative_views() -> None:
    cpu = torch.randn(3, dtype=torch.complex64)
    npu = cpu.npu()
    assert npu.conj().is_conj() and torch.equal((npu.conj() * npu).cpu(), cpu.conj() * cpu)
    assert torch.equal(npu.conj().imag.cpu(), cpu.conj().imag) and torch.equal(
        npu.conj().resolve_conj().cpu(), cpu.conj()
    )


def test_quantized_tensors_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="quantized tensors are not supported on the npu device"):
        torch.quantize_per_tensor(torch.ones(3, device="npu"), 0.1, 0, torch.qint8)


def test_compressed_sparse_tensors_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="npu device"):
        torch.ones(2, 2, device="npu").to_sparse_csr()


def test_an_operator_of_another_library_falls_back_or_says_how_to_register() -> None:
    library = torch.library.Library("npu_fallback_test", "DEF")
    library.define("both(Tensor x) -> Tensor")
    library.impl("both", lambda x: x.sin() + 1, "CPU")
    library.define("none(Tensor x) -> Tensor")
    x = torch.ones(2, device="npu")
    y = torch.ops.npu_fallback_test.both(x)
    assert y.device.type == "npu" and extension().is_device_address(y.data_ptr())
    assert torch.equal(y.cpu(), torch.ones(2).sin() + 1)
    with pytest.raises(
        NotImplementedError, match=r"npu_fallback_test::none has no kernel for the npu device.*PrivateUse1"
    ):
        torch.ops.npu_fallback_test.none(x)
    extension().set_strict_fallback(True)
    try:
        with pytest.raises(NotImplementedError, match="TORCH_NPU_FALLBACK_CPU_DISABLE=1 forbids its CPU kernel"):
            torch.ops.npu_fallback_test.both(x)
        assert (x + 1).tolist() == [2, 2]
    finally:
        extension().set_strict_fallback(False)


def test_a_constant_of_a_python_kernel_stays_on_the_cpu() -> None:
    constant = torch.tensor([1.0, 2.0])
    library = torch.library.Library("npu_constant_test", "DEF")
    library.define("constant(Tensor x) -> Tensor")
    library.impl("constant", lambda x: constant, "CPU")
    y = torch.ops.npu_constant_test.constant(torch.ones(1, device="npu"))
    assert y.device.type == "npu" and constant.device.type == "cpu" and y.tolist() == [1, 2]


def test_errors_of_kernels_pass_through_and_the_next_call_is_right() -> None:
    a = torch.ones(2, 3, device="npu")
    for _ in range(3):
        with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
            a @ a
        with pytest.raises(IndexError):
            a.index_select(0, torch.tensor([5], device="npu"))
        assert (a @ a.t()).tolist() == [[3, 3], [3, 3]]
    assert torch.ones(2).add(1).device.type == "cpu"


def test_inference_mode_and_no_grad() -> None:
    x = torch.ones(2, device="npu")
    with torch.inference_mode():
        y = (x + 1).view(2, 1)
        y.add_(1)
    assert y.is_inference() and y.tolist() == [[3], [3]]
    with torch.no_grad():
        assert not (torch.nn.Parameter(x) * 2).requires_grad


def test_threads_share_a_tensor() -> None:
    import concurrent.futures

    weight = torch.randn(64, 64, device="npu")
    expected = weight.cpu() @ weight.cpu()

    def work(_: int) -> bool:
        return all(torch.allclose((weight @ weight).cpu(), expected) for _ in range(50))

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))
    assert weight.device.type == "npu"


def test_vmap_and_functional_transforms() -> None:
    x = torch.randn(3, 4)
    f = torch.func.vmap(torch.func.grad(lambda v: (v.sin() * v).sum()))
    torch.testing.assert_close(f(x.npu()).cpu(), f(x))
    jac = torch.func.jacrev(lambda v: v**2)
    torch.testing.assert_close(jac(x[0].npu()).cpu(), jac(x[0]))
