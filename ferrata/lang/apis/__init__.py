"""The rows of the API registry, one file a category. `ferrata.lang.api` gives them their types."""

from ferrata.lang.apis import absent, arith, cast, compare, compound, fill, layout, mask, reduce, sort, types

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
    absent.ROWS,
)
STRUCTS = types.ROWS
