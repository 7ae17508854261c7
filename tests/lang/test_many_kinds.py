"""Kernels of twenty kinds, from hashes to sorting networks, each against NumPy: what people write that no tutorial shows."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32)
Q = ac.dtype_var("Q", ac.i8, ac.u8)
N = ac.dtype_var("N", ac.i16, ac.i32, ac.i64)


@ac.kernel
def logsumexp(x: ac.Gm[T], z: ac.Gm[ac.f32], rows: int, d: int, *, tile: ac.Const[int] = 64):
    first, count = ac.core_rows(rows)
    q = ac.queue(ac.VECIN, T, tile, buffers=2)
    wide = ac.tbuf(ac.f32, tile)
    for r in range(first, first + count):
        m, s = -3e38, 0.0
        for c in range(0, d, tile):
            n = min(tile, d - c)
            with q.put() as a:
                ac.copy(a[:n], x[r * d + c :])
            with q.get() as a:
                ac.convert(wide, a, n)
            ac.barrier(ac.V)
            new = max(m, ac.max_of(wide, n))
            ac.adds(wide, wide, -new, n)
            ac.barrier(ac.V)
            ac.exp(wide, wide, n)
            ac.barrier(ac.V)
            s = s * ac.exp_of(m - new) + ac.sum_of(wide, n)
            m = new
        z[r] = m + ac.ln_of(s)


@ac.kernel
def histogram(x: ac.Gm[ac.u8], counts: ac.Gm[ac.i32], n: int):
    start, count = ac.core_share(n, align=32)
    bins = ac.ub(ac.i32, 256)
    ac.duplicate(bins, 0, 256)
    ac.order(ac.V, ac.S)
    for i in range(start, start + count):
        bins[x[i]] += 1
    ac.order(ac.S, ac.MTE3)
    ac.set_atomic_add(ac.i32)
    ac.copy(counts, bins, 256)
    ac.disable_dma_atomic()


def swap_if(a, i: int, j: int, up: bool):
    x, y = a[i], a[j]
    if (x > y) == up:
        a[i], a[j] = y, x


@ac.kernel
def bitonic(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], *, n: ac.Const[int] = 64):
    a = ac.ub(ac.f32, n)
    ac.copy(a, x, n)
    ac.order(ac.MTE2, ac.S)
    size = 2
    while size <= n:
        step = size // 2
        while step > 0:
            for i in range(n):
                j = i ^ step
                if j > i:
                    swap_if(a, i, j, i & size == 0)
            step //= 2
        size *= 2
    ac.order(ac.S, ac.MTE3)
    ac.copy(z, a, n)


@ac.kernel
def running_max(x: ac.Gm[N], z: ac.Gm[N], n: int):
    best = x[0]
    for i in range(n):
        v = x[i]
        if v <= best:
            z[i] = best
            continue
        best = v
        z[i] = v


def is_letter(c: int):
    return 97 <= c <= 122 or 65 <= c <= 90


@ac.kernel
def upper(text: ac.Gm[ac.u8], out: ac.Gm[ac.u8], words: ac.Gm[ac.i32], n: int):
    inside = False
    found = 0
    for i in range(n):
        c = text[i]
        if is_letter(c):
            if not inside:
                found += 1
            inside = True
        else:
            inside = False
        out[i] = c - 32 if 97 <= c <= 122 else c
    words[0] = found


@ac.kernel
def gemv(a: ac.Gm[ac.i8], v: ac.Gm[ac.i8], z: ac.Gm[ac.i32], rows: int, d: int):
    first, count = ac.core_rows(rows)
    for r in range(first, first + count):
        total = 0
        for c in range(d):
            total += a[r * d + c] * v[c]
        z[r] = total


@ac.kernel
def gemv_vector(a: ac.Gm[Q], v: ac.Gm[Q], z: ac.Gm[ac.f32], rows: int, d: int, *, tile: ac.Const[int] = 128):
    first, count = ac.core_rows(rows)
    q = ac.queue(ac.VECIN, Q, tile, buffers=2)
    half = ac.tbuf(ac.f16, tile)
    one, two = ac.tbuf(ac.f32, tile), ac.tbuf(ac.f32, tile)
    for r in range(first, first + count):
        total = 0.0
        for c in range(0, d, tile):
            n = min(tile, d - c)
            for which in (0, 1):
                with q.put() as b:
                    if which == 0:
                        ac.copy(b[:n], a[r * d + c :])
                    else:
                        ac.copy(b[:n], v[c:])
                with q.get() as b:
                    ac.cast(half, b, ac.RoundMode.CAST_NONE, n)
                ac.barrier(ac.V)
                if which == 0:
                    ac.cast(one, half, ac.RoundMode.CAST_NONE, n)
                else:
                    ac.cast(two, half, ac.RoundMode.CAST_NONE, n)
                ac.barrier(ac.V)
            ac.mul(one, one, two, n)
            ac.barrier(ac.V)
            total += ac.sum_of(one, n)
        z[r] = total


@dataclass
class Window:
    lo: int
    hi: int
    scale: float
    on: bool


def clamp(v: float, w: Window):
    lo, hi = float(w.lo), float(w.hi)
    if v < lo:
        return lo, 1
    if v > hi:
        return hi, 1
    return v, 0


def scaled(v: float, w: Window):
    c, hit = clamp(v, w)
    return c * w.scale if w.on else c, hit, hit * 2


@ac.kernel
def windowed(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], hits: ac.Gm[ac.i32], w: Window, n: int):
    total, twice = 0, 0
    for i in range(n):
        value, hit, two = scaled(x[i], w)
        z[i] = value
        total += hit
        twice += two
    hits[0], hits[1] = total, twice


@ac.kernel
def tiled(
    x: ac.Gm[T], z: ac.Gm[T], n: int, *, rows: ac.Const[int] = 4, cols: ac.Const[int] = 32, twice: ac.Const[bool] = True
):
    size = rows * cols
    half = size // 2 + (cols % 3) * 0
    a = ac.ub(T, size if twice else half)
    step = size if twice else half
    for i in range(0, n, step):
        m = min(step, n - i)
        ac.copy(a[:m], x[i:])
        ac.order(ac.MTE2, ac.V)
        ac.muls(a, a, 2 if twice else 3, m)
        ac.order(ac.V, ac.MTE3)
        ac.copy(z[i:], a[:m])
        ac.order(ac.MTE3, ac.MTE2)


def find(x, n: int, key: int) -> int:
    for i in range(n):
        for j in range(i, n):
            if x[i] + x[j] == key:
                return i * 1000 + j
    return -1


@ac.kernel
def pair_sum(x: ac.Gm[ac.i32], keys: ac.Gm[ac.i32], z: ac.Gm[ac.i64], n: int, k: int):
    for i in range(k):
        z[i] = find(x, n, keys[i])


@ac.kernel
def mixes(a: ac.Gm[ac.f16], b: ac.Gm[ac.bf16], c: ac.Gm[ac.i8], d: ac.Gm[ac.i64], z: ac.Gm[ac.f32], w: ac.Gm[ac.i64]):
    z[0] = a[0] + b[0]
    z[1] = a[0] * c[0]
    z[2] = b[0] - d[0]
    z[3] = c[0] / d[0]
    z[4] = max(a[0], b[0])
    w[0] = d[0] // c[0]
    w[1] = d[0] % c[0]
    w[2] = int(a[0]) + int(b[0])
    w[3] = d[0] << 3 | 5
    w[4] = -d[0] >> 2
    a[1] = d[0]
    b[1] = a[0]
    c[1] = d[0]


@ac.kernel
def primes(z: ac.Gm[ac.i32], limit: int):
    found = 0
    n = 1
    while n < limit:
        n += 1
        if n > 2 and n % 2 == 0:
            continue
        d = 3
        while d * d <= n:
            if n % d == 0:
                break
            d += 2
        else:
            z[1 + found] = n
            found += 1
    z[0] = found


@ac.kernel
def crc32(data: ac.Gm[ac.u8], z: ac.Gm[ac.i64], n: int):
    crc = 0xFFFFFFFF
    for i in range(n):
        crc ^= data[i]
        for _ in range(8):
            crc = (crc >> 1) ^ 0xEDB88320 if crc & 1 else crc >> 1
    z[0] = crc ^ 0xFFFFFFFF


@ac.kernel
def transpose(x: ac.Gm[N], z: ac.Gm[N], rows: int, cols: int):
    for r in range(rows):
        for c in range(cols):
            z[c * rows + r] = x[r * cols + c]


@ac.kernel
def sum_lists(xs: list[ac.Gm[ac.f32]], bias: ac.Gm[ac.f32] | None, z: ac.Gm[ac.f32]):
    total = 0.0 if bias is None else bias[0]
    for k in range(len(xs)):
        x = xs[k]
        for i in range(len(xs[k])):
            total += x[i]
    z[0] = total


@ac.kernel
def moving(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], n: int, *, k: ac.Const[int] = 4):
    ring = ac.ub(ac.f32, 8)
    ac.duplicate(ring, 0.0, 8)
    ac.order(ac.V, ac.S)
    total = 0.0
    at = 0
    for i in range(n):
        old = ring[at]
        total += x[i] - old
        ring[at] = x[i]
        at = (at + 1) % k
        z[i] = total / min(i + 1, k)


@ac.kernel
def relu6(x: ac.Gm[T], z: ac.Gm[T], n: int):
    start, count = ac.core_share(n, align=ac.block_elems(T))
    xs, zs = ac.queue(ac.VECIN, T, 256, buffers=2), ac.queue(ac.VECOUT, T, 256, buffers=2)
    for i in range(start, start + count, 256):
        m = min(256, start + count - i)
        with xs.put() as a:
            ac.copy(a[:m], x[i:])
        with xs.get() as a, zs.put() as b:
            ac.maxs(b, a, 0, m)
            ac.barrier(ac.V)
            ac.mins(b, b, 6, m)
        with zs.get() as b:
            ac.copy(z[i:], b[:m])


def square(v: float):
    return v * v


def negate(v: float):
    return -v


def apply(function, x, z, n: int):
    for i in range(n):
        z[i] = function(x[i])


@ac.kernel
def mapped(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], n: int):
    apply(square, x, z, n)
    apply(negate, z, z, n)


@ac.kernel
def rle(x: ac.Gm[ac.i32], values: ac.Gm[ac.i32], runs: ac.Gm[ac.i32], total: ac.Gm[ac.i32], n: int):
    count = 0
    i = 0
    while i < n:
        j = i + 1
        while j < n and x[j] == x[i]:
            j += 1
        values[count], runs[count] = x[i], j - i
        count += 1
        i = j
    total[0] = count


@ac.kernel
def newton(x: ac.Gm[ac.f32], z: ac.Gm[ac.f32], steps: ac.Gm[ac.i32], n: int, eps: float):
    for i in range(n):
        v = x[i]
        g, k = (v if v > 1 else 1.0), 0
        if v <= 0:
            z[i], steps[i] = 0.0, -1
            continue
        while True:
            new = 0.5 * (g + v / g)
            k += 1
            if abs(new - g) <= eps * g or k == 50:
                g = new
                break
            g = new
        z[i] = g
        steps[i] = k


rng = np.random.default_rng(0)


def dev(a: npt.NDArray[Any]) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(a)).npu()


def test_logsumexp() -> None:
    x = rng.normal(size=(5, 150)).astype(np.float32) * 5
    z = dev(np.zeros(5, np.float32))
    logsumexp[3](dev(x), z, 5, 150)
    m = x.max(1)
    np.testing.assert_allclose(z.cpu().numpy(), m + np.log(np.exp(x - m[:, None]).sum(1)), rtol=1e-6)


def test_histogram() -> None:
    x = rng.integers(0, 256, 1000).astype(np.uint8)
    c = dev(np.zeros(256, np.int32))
    histogram[4](dev(x), c, 1000)
    assert (c.cpu().numpy() == np.bincount(x, minlength=256)).all()


def test_bitonic() -> None:
    x = rng.normal(size=64).astype(np.float32)
    z = dev(np.zeros(64, np.float32))
    bitonic[1](dev(x), z)
    assert (z.cpu().numpy() == np.sort(x)).all()


def test_running_max() -> None:
    for dt in (np.int16, np.int32, np.int64):
        x = rng.integers(-99, 99, 50).astype(dt)
        z = dev(np.zeros(50, dt))
        running_max[1](dev(x), z, 50)
        assert (z.cpu().numpy() == np.maximum.accumulate(x)).all()


def test_upper() -> None:
    t = b"hello World, it's 3 o'Clock  z"
    x = np.frombuffer(t, np.uint8)
    o = dev(np.zeros(len(t), np.uint8))
    w = dev(np.zeros(1, np.int32))
    upper[1](dev(x.copy()), o, w, len(t))
    assert bytes(o.cpu().numpy()) == t.upper()
    assert w.cpu().item() == len(re.findall(b"[A-Za-z]+", t))


def test_gemv() -> None:
    a = rng.integers(-128, 128, (7, 33)).astype(np.int8)
    v = rng.integers(-128, 128, 33).astype(np.int8)
    z = dev(np.zeros(7, np.int32))
    gemv[3](dev(a), dev(v), z, 7, 33)
    assert (z.cpu().numpy() == a.astype(int) @ v.astype(int)).all()


def test_gemv_vector() -> None:
    for dt in (np.int8, np.uint8):
        i = np.iinfo(dt)
        a = rng.integers(i.min, i.max + 1, (7, 200)).astype(dt)
        v = rng.integers(i.min, i.max + 1, 200).astype(dt)
        z = dev(np.zeros(7, np.float32))
        gemv_vector[3](dev(a), dev(v), z, 7, 200)
        np.testing.assert_allclose(z.cpu().numpy(), a.astype(float) @ v.astype(float))


def test_windowed() -> None:
    x = (rng.normal(size=20) * 5).astype(np.float32)
    z = dev(np.zeros(20, np.float32))
    h = dev(np.zeros(2, np.int32))
    for on in (True, False):
        windowed[1](dev(x), z, h, Window(-3, 2, 0.5, on), 20)
        e = np.clip(x, -3, 2) * np.float32(0.5 if on else 1)
        np.testing.assert_array_equal(z.cpu().numpy(), e)
        k = ((x < -3) | (x > 2)).sum()
        assert h.cpu().tolist() == [k, 2 * k]


def test_tiled() -> None:
    x = np.arange(300, dtype=np.float32)
    z = dev(np.zeros(300, np.float32))
    tiled[1](dev(x), z, 300)
    assert (z.cpu().numpy() == 2 * x).all()
    tiled[1](dev(x), z, 300, rows=2, cols=48, twice=False)
    assert (z.cpu().numpy() == 3 * x).all()


def test_pair_sum() -> None:
    x = rng.integers(-20, 20, 15).astype(np.int32)
    keys = np.array([0, 5, 99], np.int32)
    z = dev(np.zeros(3, np.int64))
    pair_sum[1](dev(x), dev(keys), z, 15, 3)

    def find(key):
        for i in range(15):
            for j in range(i, 15):
                if x[i] + x[j] == key:
                    return i * 1000 + j
        return -1

    assert z.cpu().tolist() == [find(k) for k in keys]


def test_mixes() -> None:
    a = torch.tensor([2.5, 0], dtype=torch.float16).npu()
    b = torch.tensor([3.25, 0], dtype=torch.bfloat16).npu()
    c = torch.tensor([-7, 0], dtype=torch.int8).npu()
    d = torch.tensor([100], dtype=torch.int64).npu()
    z = torch.zeros(5).npu()
    w = torch.zeros(5, dtype=torch.int64).npu()
    mixes[1](a, b, c, d, z, w)
    np.testing.assert_allclose(z.cpu().numpy(), np.array([5.75, -17.5, -96.75, -7 / 100, 3.25], np.float32))
    assert w.cpu().tolist() == [100 // -7, 100 % -7, 5, 100 << 3 | 5, -100 >> 2], w
    assert a.cpu().tolist() == [2.5, 100] and b.cpu().tolist() == [3.25, 2.5] and c.cpu().tolist() == [-7, 100]


def test_primes() -> None:
    z = dev(np.zeros(60, np.int32))
    primes[1](z, 200)
    p = [n for n in range(2, 201) if all(n % d for d in range(2, n))]
    assert z.cpu().tolist()[: 1 + len(p)] == [len(p), *p]


def test_crc32() -> None:
    t = b"123456789"
    z = dev(np.zeros(1, np.int64))
    crc32[1](dev(np.frombuffer(t, np.uint8).copy()), z, len(t))
    assert z.cpu().item() == zlib.crc32(t)


def test_transpose() -> None:
    for dt in (np.int16, np.int64):
        x = rng.integers(-99, 99, (5, 9)).astype(dt)
        z = dev(np.zeros((9, 5), dt))
        transpose[1](dev(x), z, 5, 9)
        assert (z.cpu().numpy() == x.T).all()


def test_sum_lists() -> None:
    xs = [torch.randn(k).npu() for k in (3, 5, 0, 7)]
    z = torch.zeros(1).npu()
    for b in (None, torch.ones(1).npu()):
        sum_lists[1](xs, b, z)
        np.testing.assert_allclose(
            z.cpu().item(), sum(x.cpu().sum().item() for x in xs) + (0 if b is None else 1), rtol=1e-5, atol=1e-5
        )


def test_moving() -> None:
    x = rng.normal(size=30).astype(np.float32)
    z = dev(np.zeros(30, np.float32))
    moving[1](dev(x), z, 30, k=5)
    e = [x[max(0, i - 4) : i + 1].mean() for i in range(30)]
    np.testing.assert_allclose(z.cpu().numpy(), e, rtol=1e-4, atol=1e-5)


def test_relu6() -> None:
    for dt in (np.float16, np.float32):
        x = (rng.normal(size=1000) * 6).astype(dt)
        z = dev(np.zeros(1000, dt))
        relu6[5](dev(x), z, 1000)
        assert (z.cpu().numpy() == np.clip(x, 0, 6)).all()


def test_mapped() -> None:
    x = rng.normal(size=9).astype(np.float32)
    z = dev(np.zeros(9, np.float32))
    mapped[1](dev(x), z, 9)
    assert (z.cpu().numpy() == -(x * x)).all()


def test_rle() -> None:
    x = np.repeat(np.array([3, -1, 3, 7]), [2, 5, 1, 4]).astype(np.int32)
    v, r, t = (dev(np.zeros(12, np.int32)) for _ in range(3))
    rle[1](dev(x), v, r, t, 12)
    assert t.cpu()[0] == 4 and v.cpu().tolist()[:4] == [3, -1, 3, 7] and r.cpu().tolist()[:4] == [2, 5, 1, 4]


def test_newton() -> None:
    x = np.array([4, 2, 0.25, -1, 1e10, 0], np.float32)
    z = dev(np.zeros(6, np.float32))
    s = dev(np.zeros(6, np.int32))
    newton[1](dev(x), z, s, 6, 1e-6)
    np.testing.assert_allclose(z.cpu().numpy(), np.sqrt(np.maximum(x, 0)), rtol=1e-6)
    assert s.cpu().tolist()[3] == -1
