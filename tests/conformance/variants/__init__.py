"""The variants of the suite, one file a category of the registry; `ALL` has them by category."""

from __future__ import annotations

from tests.conformance.variant import Variant
from tests.conformance.variants import (
    arith,
    c_api,
    c_more,
    cast,
    compare,
    compound,
    copies,
    fill,
    layout,
    reduce,
    sort,
    state,
)

ALL: dict[str, tuple[Variant, ...]] = {
    "arith": arith.VARIANTS,
    "compound": compound.VARIANTS,
    "cast": cast.VARIANTS,
    "compare": compare.VARIANTS,
    "reduce": reduce.VARIANTS,
    "fill": fill.VARIANTS,
    "sort": sort.VARIANTS,
    "layout": layout.VARIANTS,
    "copies": copies.VARIANTS,
    "state": state.VARIANTS,
    "c_api": c_api.VARIANTS,
    "c_more": c_more.VARIANTS,
}
