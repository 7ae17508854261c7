"""The rows of the API registry, one file a category. `ferrata.lang.api` gives them their types."""

from ferrata.lang.apis import (
    absent,
    arith,
    c_arith,
    c_convert,
    c_core,
    c_select,
    cast,
    compare,
    compound,
    data_movement,
    enums,
    fill,
    layout,
    mask,
    reduce,
    scalar,
    sort,
    sync,
    tensors,
    types,
)

TABLES = (
    arith.ROWS,
    compound.ROWS,
    compare.ROWS,
    cast.ROWS,
    reduce.ROWS,
    fill.ROWS,
    sort.ROWS,
    layout.ROWS,
    mask.ROWS,
    data_movement.ROWS,
    sync.ROWS,
    tensors.ROWS,
    scalar.ROWS,
    absent.ROWS,
)
STRUCTS = (*types.ROWS, *enums.ROWS)
C_TABLES = (c_arith.ROWS, c_convert.ROWS, c_select.ROWS, c_core.ROWS)
