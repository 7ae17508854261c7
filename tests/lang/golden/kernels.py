"""Kernels whose Ascend C stands beside this file, one `.asc` each: what translation must give, word for word."""

from __future__ import annotations

from dataclasses import dataclass

from ferrata import lang as ac

T = ac.dtype_var("T", ac.f16, ac.f32, ac.i32)
F = ac.dtype_var("F", ac.f16, ac.f32)

# columns of a tile
TILE = 2048
EPSILON = 1e-6


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


def load(q, wide, x, at: int, n: int):
    """n elements of x as float in `wide`."""
    with q.put() as a:
        ac.copy(a[:n], x[at:])
    with q.get() as a:
        if a.dtype is ac.f32:
            ac.adds(wide, a, 0, n)
        else:
            ac.cast(wide, a, ac.RoundMode.CAST_NONE, n)
    ac.barrier(ac.V)


@ac.kernel
def rms_norm(x: ac.Gm[F], weight: ac.Gm[F] | None, z: ac.Gm[F], rows: int, columns: int, epsilon: float):
    """z = x / sqrt(mean(x * x) + epsilon) * weight, row by row; a row fits into a tile."""
    first, count = ac.core_rows(rows)
    xs = ac.queue(ac.VECIN, F, TILE, buffers=2)
    zs = ac.queue(ac.VECOUT, F, TILE, buffers=2)
    wide = ac.tbuf(ac.f32, TILE)
    squares = ac.tbuf(ac.f32, TILE)
    gain = ac.tbuf(ac.f32, TILE)
    if weight is not None:
        load(xs, gain, weight, 0, columns)
    for row in range(first, first + count):
        load(xs, wide, x, row * columns, columns)
        ac.mul(squares, wide, wide, columns)
        ac.barrier(ac.V)
        mean = ac.sum_of(squares, columns) / columns

        # one over the root, by the vector unit: scalar code has no sqrt
        ac.duplicate(squares, mean + epsilon, 8)
        ac.barrier(ac.V)
        ac.sqrt(squares, squares, 8)
        ac.order(ac.V, ac.S)
        scale = 1.0 / squares[0]
        ac.muls(wide, wide, scale, columns)
        ac.barrier(ac.V)
        if weight is not None:
            ac.mul(wide, wide, gain, columns)
            ac.barrier(ac.V)
        with zs.put() as c:
            if F is ac.f32:
                ac.adds(c, wide, 0, columns)
            else:
                ac.cast(c, wide, ac.RoundMode.CAST_RINT, columns)
        with zs.get() as c:
            ac.copy(z[row * columns :], c[:columns])


@dataclass
class Window:
    """A stretch of a tensor."""

    start: int
    count: int
    scale: float


def bounds(w: Window, n: int):
    """What of the window lies inside of n elements."""
    start = max(w.start, 0)
    stop = min(w.start + w.count, n)
    if stop <= start:
        return 0, 0
    return start, stop - start


@ac.kernel
def statements(x: ac.Gm[ac.i32], z: ac.Gm[ac.i32], w: Window, n: int):
    """Every statement of the language once."""
    # a comment of its own
    start, count = bounds(w, n)
    total = 0  # a comment behind
    best: ac.i32 = -1
    for i in range(start + count - 1, start - 1, -2):
        v = x[i]
        if v < 0 or v % 3 == 1:
            continue
        elif v > 1000:
            break
        else:
            total += v
        # the last of the loop
        best = v if v > best else best
    while total > 10:
        total //= 2
    if total == 7:
        kind = 1
    elif total in (8, 9):
        kind = 2
    else:
        kind = -1
    low, high = min(total, kind), max(total, kind, 3)
    for offset in (0, 4):
        z[offset] = low << 2
        z[offset + 1] = ~high & 0xFF
    z[2] = int(w.scale * total / 3) + abs(kind)
    z[3] += best**2
    assert total <= 10, "halved until it is"
    if not (w.count > 0 and n > 0):
        return
    z[8] = 1
    # the end


@ac.kernel(core="mix")
def mixed(z: ac.Gm[ac.f32], n: int):
    if ac.is_vector_core():
        start, count = ac.core_share(n)
        a = ac.ub(ac.f32, 64)
        ac.duplicate(a, float(start), 64)
        ac.order(ac.V, ac.MTE3)
        ac.copy(z[start:], a, count)


@ac.kernel
def foreach(xs: list[ac.Gm[F]], zs: list[ac.Gm[F]], counts: ac.Gm[ac.i64], by: float):
    """zs[i] = xs[i] * by, a tensor a core in turn."""
    work = ac.queue(ac.VECIN, F, TILE)
    for i in range(ac.block_idx(), len(xs), ac.block_num()):
        x, z = xs[i], zs[i]
        n = counts[i]
        for at in range(0, n, TILE):
            m = min(TILE, n - at)
            a = work.alloc()
            ac.copy(a[:m], x[at:])
            work.enque(a)
            b = work.deque()
            ac.muls(b, b, by, m)
            ac.order(ac.V, ac.MTE3)
            ac.copy(z[at:], b[:m])
            ac.order(ac.MTE3, ac.MTE2)
            work.free(b)


ALL = (add, rms_norm, statements, mixed, foreach)
