#include <algorithm>
#include "gather_rows_tiling.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "platform/platform_info.h"
namespace optiling {
struct GatherRowsCompileInfo {
  uint32_t coreNum = 0;
  uint64_t ubSize = 0;
};
static ge::graphStatus TilingPrepare4GatherRows(gert::TilingParseContext *context) {
  auto info = context->GetCompiledInfo<GatherRowsCompileInfo>();
  auto platformInfo = context->GetPlatformInfo();
  auto plat = platform_ascendc::PlatformAscendC(platformInfo);
  info->coreNum = plat.GetCoreNumAiv();
  plat.GetCoreMemSize(platform_ascendc::CoreMemType::UB, info->ubSize);
  return ge::GRAPH_SUCCESS;
}
static ge::graphStatus Tiling4GatherRows(gert::TilingContext *context) {
  auto info = reinterpret_cast<const GatherRowsCompileInfo *>(context->GetCompileInfo());
  if (info == nullptr || info->coreNum == 0)
    return ge::GRAPH_FAILED;
  auto xShape = context->GetInputShape(0)->GetOriginShape();
  auto idxShape = context->GetInputShape(1)->GetStorageShape();
  const float *scale = context->GetAttrs()->GetAttrPointer<float>(0);
  const gert::StorageShape *mask = context->GetOptionalInputShape(2);
  int64_t picks = idxShape.GetShapeSize();
  uint32_t cores = static_cast<uint32_t>(std::min<int64_t>(info->coreNum, std::max<int64_t>(picks, 1)));
  size_t *ws = context->GetWorkspaceSizes(1);
  auto plat = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  ws[0] = plat.GetLibApiWorkSpaceSize() + cores * 32;
  context->SetBlockDim(cores);
  if (picks < 8 && mask == nullptr) {
    GatherRowsSmallTilingData t;
    t.set_cols(xShape.GetDim(1));
    t.set_picks(picks);
    t.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(t.GetDataSize());
    context->SetTilingKey(200);
    return ge::GRAPH_SUCCESS;
  }
  GatherRowsTilingData tiling;
  tiling.set_rows(xShape.GetDim(0));
  tiling.set_cols(xShape.GetDim(1));
  tiling.set_picks(picks);
  tiling.set_usedCores(cores);
  tiling.set_scale(*scale);
  context->SetTilingKey(mask == nullptr ? 100 : 101);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(GatherRows).Tiling(Tiling4GatherRows).TilingParse<GatherRowsCompileInfo>(TilingPrepare4GatherRows);
} // namespace optiling
