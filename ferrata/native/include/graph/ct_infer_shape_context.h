// InferShapeContext of the compiler, with the inference context of resource handles.
#pragma once
#include "../exe_graph/runtime/infer_shape_context.h"
#include "inference_context.h"

namespace gert {

enum class CtInferShapeInputExternLayout : uint32_t { kInferShapeFunc = 0, kInferenceContext = 1 };

class CtInferShapeContext : public InferShapeContext {
public:
  const ge::InferenceContextPtr &GetInferenceContextPtr() const {
    static const ge::InferenceContextPtr none;
    const ge::InferenceContextPtr *context = GetInputPointer<ge::InferenceContextPtr>(
        GetComputeNodeInputNum() + static_cast<size_t>(CtInferShapeInputExternLayout::kInferenceContext));
    return context != nullptr ? *context : none;
  }
};
static_assert(sizeof(CtInferShapeContext) == 48, "size of the interface");

} // namespace gert
