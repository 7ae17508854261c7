"""What kernels over rows and stretches of a tensor share: to float and back, whatever its type, and what is done there."""

from ferrata import lang as ac


def load(wide, queue, x, at: int, n: int):
    """n elements of x as float."""
    with queue.put() as a:
        ac.copy(a[:n], x[at:])
    with queue.get() as a:
        ac.convert(wide, a, n)
    ac.barrier(ac.V)


def exponentials(wide, peak: float, n: int):
    """exp(x - peak) in place."""
    ac.adds(wide, wide, -peak, n)
    ac.barrier(ac.V)
    ac.exp(wide, wide, n)
    ac.barrier(ac.V)


def store(z, queue, wide, at: int, n: int):
    """n floats to z, rounded to its type."""
    with queue.put() as a:
        ac.convert(a, wide, n)
    with queue.get() as a:
        ac.copy(z[at:], a[:n])


def store_number(z, queue, value: float, at: int):
    """One float to z."""
    with queue.put() as a:
        ac.duplicate(a, value, 8)
    with queue.get() as a:
        ac.copy(z[at:], a[:1])


def add_number(z, queue, value, start: int, count: int, tile: int):
    """A number is added to a stretch of z where it lies: the copies out add. tile: elements of a block of the queue."""
    with queue.put() as a:
        ac.duplicate(a, value, tile)
    ac.set_atomic_add(z.dtype)
    with queue.get() as a:
        for i in range(0, count, tile):
            ac.copy(z[start + i :], a[: min(tile, count - i)])
    ac.disable_dma_atomic()  # or the next kernel on this core would add too


def turn(a, b, a_sin, b_sin, cos, sin, n: int):
    """(a, b) by angles: (a cos - b sin, b cos + a sin)."""
    ac.mul(a_sin, a, sin, n)
    ac.mul(b_sin, b, sin, n)
    ac.mul(a, a, cos, n)
    ac.mul(b, b, cos, n)
    ac.barrier(ac.V)
    ac.sub(a, a, b_sin, n)
    ac.add(b, b, a_sin, n)
    ac.barrier(ac.V)
