"""What kernels share whose cores tell each other a number: sums over the cores before this one, and what they sum."""

from ferrata import lang as ac

SLOT = 8  # numbers of four bytes in a block: each core writes a block of its own
MOST = 64  # cores of a chip


def exchange(slots, own, mine):
    """The sums of `mine` over the cores before this one and over all, added in the same order on every core.

    slots: SLOT elements a core, on the device; own: SLOT * MOST elements of the core.
    """
    own[0] = mine
    ac.order(ac.S, ac.MTE3)
    ac.copy(slots[ac.block_idx() * SLOT :], own[:SLOT])
    ac.barrier()
    ac.sync_all()
    ac.copy(own, slots, SLOT * ac.block_num())
    ac.order(ac.MTE2, ac.S)
    before, total = own.dtype(0), own.dtype(0)
    for core in range(ac.block_num()):
        if core == ac.block_idx():
            before = total
        total += own[core * SLOT]
    return before, total


def scan(padded, shifted, offsets, zeros: int, count: int):
    """Add up the `count` elements behind that many zeros: in step s each adds the one s before it, then s doubles."""
    step = 1
    while step < count:
        ac.gather(shifted, padded, offsets, (zeros - step) * 4, count)  # any distance: a slice would be misaligned
        ac.barrier(ac.V)
        ac.add(padded[zeros:], padded[zeros:], shifted, count)
        ac.barrier(ac.V)
        step *= 2


def pack(xs, to, bits, x, at: int, m: int, threshold: float):
    """What of m elements of x stays, packed in `to`; returns how many. bits: a bit for each element that stays."""
    with xs.put() as a:
        ac.copy(a[:m], x[at:])
    with xs.get() as a:
        # whole repeats: bits behind m are made too, from whatever lies there, and not used
        ac.compare_scalar(bits, a, threshold, ac.CMPMODE.GT, ac.round_up(m, 128))
        ac.barrier(ac.V)
        if x.dtype is ac.f32:  # a word of the pattern is as wide as an element
            return ac.gather_mask(to, a, bits.reinterpret_cast(ac.u32), True, m, [1, 1, 8, 8])
        return ac.gather_mask(to, a, bits.reinterpret_cast(ac.u16), True, m, [1, 1, 8, 8])
