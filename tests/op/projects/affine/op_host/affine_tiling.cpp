#include "../op_kernel/affine_tiling.h"
#include "register/op_impl_registry.h"
#include <cstdio>
#include <cstring>

namespace optiling {
static ge::graphStatus AffineTilingFunc(gert::TilingContext *context) {
  AffineTiling *tiling = context->GetTilingData<AffineTiling>();
  const auto *attrs = context->GetAttrs();
  const char *mode = attrs->GetStr(2);
  if (strcmp(mode, "all") != 0 && strcmp(mode, "none") != 0) {
    printf("mode must be all or none, not %s\n", mode);
    return ge::GRAPH_FAILED;
  }
  tiling->total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  tiling->tile = 1024;
  tiling->scale = *attrs->GetFloat(0);
  const auto *shifts = attrs->GetListInt(1);
  for (int i = 0; i < 3; ++i)
    tiling->shifts[i] = strcmp(mode, "all") == 0 ? static_cast<int32_t>(shifts->GetData()[i]) : 0;
  if (*attrs->GetFloat(3) <= 0)
    return ge::GRAPH_FAILED;
  context->SetBlockDim(1);
  context->SetTilingKey(context->GetOptionalInputShape(1) != nullptr ? 11 : 10);
  return ge::GRAPH_SUCCESS;
}
static ge::graphStatus AffineShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(Affine).Tiling(AffineTilingFunc);
IMPL_OP_INFERSHAPE(Affine).InferShape(AffineShape);
} // namespace optiling
