"""What kernels over rows share: stretches of a tensor as float, whatever its type."""

from ferrata import lang as ac


def load(wide, queue, x, at: int, n: int):
    """n elements of x as float."""
    with queue.put() as a:
        ac.copy(a[:n], x[at:])
    with queue.get() as a:
        ac.convert(wide, a, n)
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
