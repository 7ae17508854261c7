// gert::RuntimeAttrs: the attributes of a node, by declaration index over required and optional ones alike.
#pragma once
#include "continuous_vector.h"
#include "runtime_tensor.h"

namespace gert {

// A view: the count, then one offset from this object per attribute, then the packed values.
class RuntimeAttrs {
public:
  RuntimeAttrs() = delete;
  RuntimeAttrs(const RuntimeAttrs &) = delete;
  RuntimeAttrs &operator=(const RuntimeAttrs &) = delete;

  size_t GetAttrNum() const { return count_; }
  // Null for a bad index.
  template <typename T> const T *GetAttrPointer(size_t i) const {
    return i < count_ ? reinterpret_cast<const T *>(Base() + Offsets()[i]) : nullptr;
  }
  const int64_t *GetInt(size_t i) const { return GetAttrPointer<int64_t>(i); }
  const float *GetFloat(size_t i) const { return GetAttrPointer<float>(i); }
  const bool *GetBool(size_t i) const { return GetAttrPointer<bool>(i); }
  const char *GetStr(size_t i) const { return GetAttrPointer<char>(i); }
  const Tensor *GetTensor(size_t i) const { return GetAttrPointer<Tensor>(i); }
  const TypedContinuousVector<int64_t> *GetListInt(size_t i) const {
    return GetAttrPointer<TypedContinuousVector<int64_t>>(i);
  }
  const TypedContinuousVector<float> *GetListFloat(size_t i) const {
    return GetAttrPointer<TypedContinuousVector<float>>(i);
  }
  const ContinuousVectorVector *GetListListInt(size_t i) const { return GetAttrPointer<ContinuousVectorVector>(i); }
  const ContinuousVectorVector *GetListListFloat(size_t i) const { return GetAttrPointer<ContinuousVectorVector>(i); }

private:
  const uint8_t *Base() const { return reinterpret_cast<const uint8_t *>(this); }
  const uint64_t *Offsets() const { return reinterpret_cast<const uint64_t *>(this) + 1; }

  uint64_t count_;
};
static_assert(sizeof(RuntimeAttrs) == 8, "size of the interface");

} // namespace gert
