"""What kernels that sort share: records of two floats (score, position), the best first."""

from ferrata import lang as ac


def merge(best, records, merged, had: int, got: int, most: int):
    """The best of two sorted lists of records, in `best`: of the `had` that it holds and `got` others."""
    if had == 0:
        ac.copy(best, records, 8 * ac.ceil_div(got, 4))
    else:
        both = ac.MrgSortSrcList(ac.f32, best, records, records, records)
        ac.mrg_sort(merged, both, ac.MrgSort4Info([had, got, 0, 0], False, 3, 1))
        ac.barrier(ac.V)
        ac.copy(best, merged, 8 * ac.ceil_div(min(had + got, most), 4))
    ac.barrier(ac.V)
