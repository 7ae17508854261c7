"""Random bits that are a function of a seed and a position: for kernels, and the same for their references in torch."""

import torch

from ferrata import lang as ac

ODD, SPREAD = -1640531535, 1013904243  # of the golden ratio: neighbouring positions and seeds start far apart


def fill(h, t, first: int, seed: int, n: int):
    """24 random bits, from -2**23 on, for each position from `first` on, in h; integers of 32 bits wrap around."""
    ac.create_vec_index(h, first, n)
    ac.barrier(ac.V)
    ac.adds(h, h, seed % 2**32 * SPREAD, n)
    ac.barrier(ac.V)
    ac.muls(h, h, ODD, n)
    for _ in range(3):  # h * (2 h + 1) brings every bit up, the shift brings the upper half down
        ac.barrier(ac.V)
        ac.add(t, h, h, n)
        ac.barrier(ac.V)
        ac.adds(t, t, 1, n)
        ac.barrier(ac.V)
        ac.mul(h, h, t, n)
        ac.barrier(ac.V)
        ac.shift_right(t, h, 16, n)
        ac.barrier(ac.V)
        ac.add(h, h, t, n)
    ac.barrier(ac.V)
    ac.shift_right(h, h, 8, n)
    ac.barrier(ac.V)


def reference(n: int, seed: int, device: torch.device | str = "cpu") -> torch.Tensor:
    """The bits of positions 0 to n - 1."""
    h = ((torch.arange(n, device=device) + seed % 2**32 * SPREAD) * ODD).int()
    for _ in range(3):
        h = h * (2 * h + 1)
        h = h + (h >> 16)
    return h >> 8
