"""What kernels share whose cores tell each other a number: sums over the cores before this one."""

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
