"""Kernels of every part of the language, on npu tensors, against torch."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from ferrata import errors
from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32, ac.i32)
F = ac.dtype_var("F", ac.f16, ac.f32)
ANY = ac.dtype_var("ANY", ac.f16, ac.bf16, ac.f32, ac.i8, ac.u8, ac.i16, ac.i32, ac.i64)
DTYPES = {ac.f16: torch.float16, ac.f32: torch.float32, ac.i32: torch.int32, ac.bf16: torch.bfloat16}


@ac.kernel
def add(x: ac.Gm[T], y: ac.Gm[T], z: ac.Gm[T], n: int, *, tile: ac.Const[int] = 2048):
    """z = x + y, split over the launched cores."""
    start, count = ac.core_share(n, align=ac.block_elems(T))
    xs, ys = ac.queue(ac.VECIN, T, tile, buffers=2), ac.queue(ac.VECIN, T, tile, buffers=2)
    zs = ac.queue(ac.VECOUT, T, tile, buffers=2)
    for i in range(0, count, tile):
        m = min(tile, count - i)
        with xs.put() as a, ys.put() as b:  # AllocTensor .. EnQue
            ac.copy(a[:m], x[start + i :])  # DataCopy, or DataCopyPad for a tail
            ac.copy(b[:m], y[start + i :])
        with xs.get() as a, ys.get() as b, zs.put() as c:  # DeQue .. FreeTensor
            ac.add(c, a, b, m)
        with zs.get() as c:
            ac.copy(z[start + i :], c[:m])


def numbers(n: int, dtype: torch.dtype) -> torch.Tensor:
    return (torch.randn(n, generator=torch.Generator().manual_seed(n)) * 10).to(dtype).to("npu")


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int32])
@pytest.mark.parametrize(("n", "cores"), [(0, 1), (1, 1), (7, 4), (2048, 1), (4097, 3), (100_003, 48)])
def test_add_of_any_length_on_any_cores(dtype: torch.dtype, n: int, cores: int) -> None:
    x, y = numbers(n, dtype), numbers(n + 1, dtype)[1:]
    z = torch.zeros(n, dtype=dtype, device="npu")
    add[cores](x, y.contiguous(), z, n)
    assert torch.equal(z.cpu(), x.cpu() + y.cpu())


@pytest.mark.parametrize("tile", [256, 1024])
def test_a_const_is_a_template_argument(tile: int) -> None:
    x, z = numbers(3000, torch.float32), torch.empty(3000, device="npu")
    add[2](x, x, z, 3000, tile=tile)
    assert torch.equal(z.cpu(), x.cpu() * 2)
    assert f"add<float, {tile}>" in add.source(entry=({"T": ac.f32}, {"tile": tile}))


@ac.kernel
def copies(x: ac.Gm[ANY], z: ac.Gm[ANY], n: int, whole: int):
    assert whole % 64 == 0
    buffer = ac.ub(ANY, 1024)
    ac.copy(buffer[:whole], x)
    ac.order(ac.MTE2, ac.MTE3)
    ac.copy(z, buffer[:whole])
    ac.barrier()
    ac.copy(buffer, x[whole : whole + n])
    ac.order(ac.MTE2, ac.MTE3)
    ac.copy(z[whole:], buffer, n)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.uint8, torch.int64])
@pytest.mark.parametrize("n", [1, 31, 33])
def test_copies_move_every_element_and_no_other(dtype: torch.dtype, n: int) -> None:
    x = torch.arange(1, 129, dtype=torch.float32).to(dtype).to("npu")
    z = torch.zeros(128, dtype=dtype, device="npu")
    copies[1](x, z, n, 64)
    expected = torch.zeros(128, dtype=dtype)
    expected[: 64 + n] = x.cpu()[: 64 + n]
    assert torch.equal(z.cpu(), expected)


def test_copy_takes_data_copy_where_whole_blocks_are_proven() -> None:
    text = copies.source()
    assert "DataCopy(buffer, x_gm, whole);" in text
    assert "DataCopyPad(buffer, x_gm[whole], DataCopyExtParams(1, n * sizeof(ANY), 0, 0, 0)" in text


@ac.kernel
def by_dtype(x: ac.Gm[F], z: ac.Gm[F], n: int):
    xs = ac.queue(ac.VECIN, F, 256)
    zs = ac.queue(ac.VECOUT, F, 256)
    wide = ac.tbuf(ac.f32, 256)
    with xs.put() as a:
        ac.copy(a[:n], x)
    with xs.get() as a, zs.put() as c:
        if F is ac.f32:
            ac.muls(c, a, 2.0, n)
        else:
            # half computes in float
            ac.cast(wide, a, ac.RoundMode.CAST_NONE, n)
            ac.barrier(ac.V)
            ac.muls(wide, wide, 2.0, n)
            ac.barrier(ac.V)
            ac.cast(c, wide, ac.RoundMode.CAST_RINT, n)
    with zs.get() as c:
        ac.copy(z, c[:n])


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_branches_on_a_dtype_are_taken_while_compiling(dtype: torch.dtype) -> None:
    x, z = numbers(77, dtype), torch.zeros(77, dtype=dtype, device="npu")
    by_dtype[1](x, z, 77)
    assert torch.equal(z.cpu(), x.cpu() * 2)
    assert "if constexpr (IsSameType<F, float>::value) {" in by_dtype.source()


@ac.kernel
def reductions(x: ac.Gm[F], z: ac.Gm[ac.f32], n: int):
    xs = ac.queue(ac.VECIN, F, 512)
    with xs.put() as a:
        ac.copy(a[:n], x)
    with xs.get() as a:
        z[0] = ac.max_of(a, n)
        z[1] = ac.min_of(a, n)
        low = ac.sum_of(a[:8], 8)
        z[2] = low
        if n > 100:
            return
        z[3] = 5


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("n", [8, 100, 511])
def test_reductions_to_numbers(dtype: torch.dtype, n: int) -> None:
    x, z = numbers(n, dtype), torch.zeros(4, device="npu")
    reductions[1](x, z, n)
    host = x.cpu().float()
    got = z.cpu()
    assert got[0] == host.max() and got[1] == host.min() and got[3] == (0 if n > 100 else 5)
    torch.testing.assert_close(got[2], host[:8].sum(), rtol=2e-2 if dtype == torch.float16 else 1e-5, atol=5e-2)


@ac.kernel
def optional(x: ac.Gm[ac.f32], w: ac.Gm[ac.f32] | None, z: ac.Gm[ac.f32]):
    if w is not None:
        z[0] = x[0] * w[0]
    else:
        z[0] = x[0]
    z[1] = 1 if w is None else 2


def test_an_optional_tensor_may_be_absent() -> None:
    x, w, z = torch.tensor([3.0]).npu(), torch.tensor([4.0]).npu(), torch.zeros(2).npu()
    optional[1](x, None, z)
    assert z.tolist() == [3, 1]
    optional[1](x, w, z)
    assert z.tolist() == [12, 2]


@dataclass
class Params:
    """Numbers of a call."""

    n: int
    scale: float
    negate: bool


def weigh(p: Params, x):
    return -x * p.scale if p.negate else x * p.scale


@ac.kernel
def structures(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], p: Params):
    for i in range(p.n):
        z[i] = weigh(p, x[i])
    q = Params(p.n + 1, p.scale * 2, not p.negate)
    z[p.n] = weigh(q, x[0])


def test_dataclasses_of_numbers_are_structures() -> None:
    x, z = torch.tensor([1.0, 2.0, 3.0]).npu(), torch.zeros(4).npu()
    structures[1](x, z, Params(3, 0.5, True))
    assert z.tolist() == [-0.5, -1.0, -1.5, 1.0]


@ac.kernel
def by_hand(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], n: int):
    xs = ac.queue(ac.VECIN, ac.f32, 64, buffers=2, depth=2)
    for i in range(2):
        a = xs.alloc()
        ac.copy(a[:n], x[i * n :])
        xs.enque(a)
    e = ac.event(ac.V, ac.MTE3)
    for i in range(2):
        a = xs.deque()
        ac.adds(a, a, 1.0, n)
        ac.set_flag(e)
        ac.wait_flag(e)
        ac.copy(z[i * n :], a[:n])
        ac.order(ac.MTE3, ac.MTE2)
        xs.free(a)


def test_queues_and_events_by_hand() -> None:
    x, z = numbers(100, torch.float32), torch.zeros(100).npu()
    by_hand[1](x, z, 50)
    assert torch.equal(z.cpu(), x.cpu() + 1)


@ac.kernel
def early(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], n: int):
    xs = ac.queue(ac.VECIN, ac.f32, 32)
    for i in range(n):
        with xs.put() as a:
            ac.copy(a[:8], x[i * 8 :])
        with xs.get() as a:
            if a[0] < 0:
                continue
            if a[0] > 100:
                break
            z[i] = a[0]
    with xs.put() as a:
        ac.copy(a[:8], x)
    with xs.get() as a:
        z[n] = a[1]
        return


def test_jumps_give_buffers_back() -> None:
    x = torch.zeros(5, 8)
    x[:, 0] = torch.tensor([1.0, -1.0, 2.0, 101.0, 3.0])
    x[0, 1] = 9
    z = torch.zeros(6).npu()
    early[1](x.npu(), z, 5)
    assert z.tolist() == [1, 0, 2, 0, 0, 9]


@ac.kernel
def total(x: ac.Gm[ac.f32], parts: ac.Gm[ac.f32], z: ac.Gm[ac.f32], n: int):
    """Every core writes a part, the first adds them behind a barrier of all."""
    start, count = ac.core_share(n)
    own = ac.ub(ac.f32, 64)
    s = 0.0
    for i in range(start, start + count):
        s += x[i]
    own[0] = s
    ac.order(ac.S, ac.MTE3)
    ac.copy(parts[ac.block_idx() * 8 :], own[:1])
    ac.barrier()
    ac.sync_all()
    if ac.block_idx() == 0:
        for core in range(ac.block_num()):
            ac.copy(own[:8], parts[core * 8 :])
            ac.order(ac.MTE2, ac.S)
            z[0] = z[0] + own[0]
            ac.order(ac.S, ac.MTE2)


def test_cores_wait_for_each_other() -> None:
    x, parts, z = torch.ones(100).npu(), torch.zeros(64).npu(), torch.zeros(1).npu()
    total[8](x, parts, z, 100)
    assert z.item() == 100
    assert "__global__ __mix__(0, 1) void total(" in total.source()


@ac.kernel
def foreach(xs: list[ac.Gm[F]], n: int, z: ac.Gm[ac.f32]):
    for i in range(len(xs)):
        x = xs[i]
        z[i] = float(x[n])


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_a_list_of_tensors(dtype: torch.dtype) -> None:
    tensors = [torch.full((3, 4), float(i), dtype=dtype).npu() for i in range(5)]
    z = torch.zeros(5).npu()
    foreach[1](tensors, 7, z)
    assert z.tolist() == [0, 1, 2, 3, 4]


@ac.kernel(core="mix")
def mixed(z: ac.Gm[ac.i32], n: int):
    start, count = ac.core_share(n)
    for i in range(start, start + count):
        z[16 * i] = ac.block_num()


def test_a_mix_kernel_counts_its_vector_cores() -> None:
    assert "__mix__(1, 2)" in mixed.source()
    assert "GetBlockNum() * GetTaskRatio()" in mixed.source()


def per_tile(x: ac.Gm[F], z: ac.Gm[F], *, size: ac.Const[int]):
    a = ac.ub(F, size)
    ac.copy(a, x, 16)
    ac.order(ac.MTE2, ac.MTE3)
    ac.copy(z, a, 16)


@ac.kernel
def const_helper(x: ac.Gm[F], z: ac.Gm[F], *, tile: ac.Const[int] = 128):
    per_tile(x, z, size=tile * 2)


def test_a_helper_with_a_const_is_a_template_and_its_memory_counts() -> None:
    x, z = numbers(16, torch.float32), torch.zeros(16).npu()
    const_helper[1](x, z)
    assert torch.equal(z.cpu(), x.cpu())
    assert const_helper.instance({"F": ac.f16}, {"tile": 128}).ub == 512


@ac.kernel
def generic(x: ac.Gm[ANY], z: ac.Gm[ANY], n: int):
    for i in range(n):
        a = x[i]
        z[i] = a if a > 0 else ANY(float(a) * 2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.int64])
def test_elements_of_a_dtype_variable(dtype: torch.dtype) -> None:
    x = torch.tensor([1, -2, 3, 0, -5]).to(dtype).npu()
    z = torch.zeros(5, dtype=dtype).npu()
    generic[1](x, z, 5)
    assert z.cpu().tolist() == [1, -4, 3, 0, -10]


def drain(q, out, at: int, n: int):
    """A queue alone does not tell C++ its elements."""
    with q.get() as a:
        ac.copy(out[at:], a[:n])


def blank(element, n: int):
    return n + ac.sizeof(element)


def checked(*, size: ac.Const[int]):
    assert size % 32 == 0


@ac.kernel
def through(x: ac.Gm[F], z: ac.Gm[ac.f32], w: ac.Gm[F], n: int, *, tile: ac.Const[int] = 64):
    checked(size=tile * 2)
    xs = ac.queue(ac.VECIN, F, tile)
    with xs.put() as a:
        ac.copy(a[:n], x)
    drain(xs, w, 0, n)
    z[0] = blank(F, n) + blank(ac.f16, 0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_helpers_get_what_their_arguments_do_not_tell(dtype: torch.dtype) -> None:
    x, w, z = numbers(10, dtype), torch.zeros(10, dtype=dtype).npu(), torch.zeros(1).npu()
    through[1](x, z, w, 10)
    assert torch.equal(w.cpu(), x.cpu()) and z.item() == 10 + x.element_size() + 2
    with pytest.raises(errors.BadInstance, match="size % 32 == 0"):
        through.instance({"F": ac.f16}, {"tile": 8})


@ac.kernel
def same_here(x: ac.Gm[F], z: ac.Gm[F], n: int):
    a = ac.ub(F, 64)
    b = ac.ub(ac.f32, 64)
    ac.copy(a[:n], x)
    ac.order(ac.MTE2, ac.V)
    if F is ac.f32:
        ac.copy(b, a, 64)
        ac.barrier()
        ac.copy(z, b[:n])
    else:
        ac.barrier()
        ac.copy(z, a[:n])


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_a_variable_that_can_be_one_type_only_is_that_type(dtype: torch.dtype) -> None:
    x, z = numbers(10, dtype), torch.zeros(10, dtype=dtype).npu()
    same_here[1](x, z, 10)
    assert torch.equal(z.cpu(), x.cpu())


FLOATS = ac.dtype_var("FLOATS", ac.f16, ac.bf16, ac.f32)


@ac.kernel
def converted(x: ac.Gm[FLOATS], z: ac.Gm[FLOATS], h: ac.Gm[ac.f16], n: int):
    xs, zs = ac.queue(ac.VECIN, FLOATS, 1024), ac.queue(ac.VECOUT, FLOATS, 1024)
    hs = ac.queue(ac.VECOUT, ac.f16, 1024)
    wide = ac.tbuf(ac.f32, 1024)
    with xs.put() as a:
        ac.copy(a[:n], x)
    with xs.get() as a, zs.put() as b, hs.put() as c:
        ac.convert(wide, a, n)
        ac.barrier(ac.V)
        ac.convert(b[:n], wide)
        ac.convert(c, wide, n)
    with zs.get() as b, hs.get() as c:
        ac.copy(z, b[:n])
        ac.copy(h, c[:n])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("n", [1, 777])
def test_convert_to_float_and_back(dtype: torch.dtype, n: int) -> None:
    x = (torch.randn(n) * 100).to(dtype)
    x[0] = -0.0
    z, h = torch.zeros(n, dtype=dtype, device="npu"), torch.zeros(n, dtype=torch.float16, device="npu")
    converted[1](x.to("npu"), z, h, n)
    assert torch.equal(z.cpu(), x) and z.cpu()[0].signbit()
    assert torch.equal(h.cpu(), x.to(torch.float16))
    assert "Cast(c, wide, RoundMode::CAST_RINT, n);" in converted.source()


@ac.kernel
def of_numbers(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], n: int):
    total = 0.0
    for i in range(n):
        total += ac.exp_of(-x[i])
        z[2 * i + 1] = ac.ln_of(x[i])
        z[2 * i] = 1 / ac.sqrt_of(x[i] + 1)
    z[2 * n] = total


def test_functions_of_one_number_go_through_the_vector_unit() -> None:
    x, z = torch.tensor([0.0, 1.0, 2.5, 1e6]), torch.zeros(9, device="npu")
    of_numbers[1](x.to("npu"), z, 4)
    torch.testing.assert_close(z.cpu()[:8], torch.stack([(x + 1).rsqrt(), x.log()], 1).flatten())
    torch.testing.assert_close(z.cpu()[8], (-x).exp().sum())


def made_with(factor: int, bias: float):
    U = ac.dtype_var("U", ac.f32)

    @ac.kernel
    def inner(x: ac.Gm[U], z: ac.Gm[U], pipe: int, double: float):
        """Closures of constants, and names that C++ has taken."""
        register = factor * pipe
        TPipe = x[0] * double
        T = register + bias
        z[0] = TPipe + T
        a = ac.ub(
            ac.f32,  # the element
            # the size
            64,
        )
        ac.duplicate(a, 1.0, 8)
        ac.order(ac.V, ac.S)
        z[1] = a[0]

    return inner


def test_a_kernel_made_in_a_function_closes_over_constants() -> None:
    x, z = torch.tensor([2.0]).npu(), torch.zeros(2).npu()
    one, other = made_with(3, 0.5), made_with(4, 1.5)
    one[1](x, z, 5, 10.0)
    assert z.tolist() == [35.5, 1]
    other[1](x, z, 5, 10.0)
    assert z.tolist() == [41.5, 1]
    text = one.source()
    assert "constexpr int64_t factor = 3;" in text and "// the element" in text and "// the size" in text


@ac.kernel(core="mix")
def own_name(own_name: ac.Gm[ac.f32], n: int):
    if ac.is_vector_core() and ac.block_idx() == 0:
        own_name[0] = n


def test_a_mix_kernel_with_a_parameter_of_its_name() -> None:
    z = torch.zeros(1).npu()
    own_name[1](z, 7)
    assert z.item() == 7
