#ifndef GATHER_ROWS_TILING_H
#define GATHER_ROWS_TILING_H
#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(GatherRowsTilingData)
TILING_DATA_FIELD_DEF(int64_t, rows);
TILING_DATA_FIELD_DEF(int64_t, cols);
TILING_DATA_FIELD_DEF(int64_t, picks);
TILING_DATA_FIELD_DEF(uint32_t, usedCores);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(GatherRows, GatherRowsTilingData)
BEGIN_TILING_DATA_DEF(GatherRowsSmallTilingData)
TILING_DATA_FIELD_DEF(int32_t, cols);
TILING_DATA_FIELD_DEF(int32_t, picks);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(GatherRows_200, GatherRowsSmallTilingData)
} // namespace optiling
#endif
