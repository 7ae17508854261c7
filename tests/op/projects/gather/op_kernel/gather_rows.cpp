#include "gather_rows.h"
using namespace GatherRowsNs;
extern "C" __global__ __aicore__ void gather_rows(GM_ADDR x, GM_ADDR indices, GM_ADDR mask, GM_ADDR y, GM_ADDR hits,
                                                  GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  if (workspace == nullptr) {
    return;
  }
  GM_ADDR userWs = GetUserWorkspace(workspace);
  if (userWs == nullptr) {
    return;
  }
  if (TILING_KEY_IS(100)) {
    GET_TILING_DATA(t, tiling);
    GatherRowsKernel<DTYPE_X, DTYPE_INDICES, false> op;
    op.Init(x, indices, mask, y, hits, userWs, t.cols, t.picks);
    op.Process();
  } else if (TILING_KEY_IS(101)) {
    GET_TILING_DATA(t, tiling);
    GatherRowsKernel<DTYPE_X, DTYPE_INDICES, true> op;
    op.Init(x, indices, mask, y, hits, userWs, t.cols, t.picks);
    op.Process();
  } else if (TILING_KEY_IS(200)) {
    GET_TILING_DATA_WITH_STRUCT(GatherRowsSmallTilingData, t, tiling);
#if ORIG_DTYPE_INDICES == DT_INT64
    GatherRowsKernel<DTYPE_X, int64_t, false> op;
#else
    GatherRowsKernel<DTYPE_X, int32_t, false> op;
#endif
    op.Init(x, indices, mask, y, hits, userWs, t.cols, t.picks);
    op.Process();
  }
}
