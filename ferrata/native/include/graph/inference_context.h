// Shapes and types of resource handles, carried between V1 inference functions.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ascend_string.h"
#include "tensor.h"
#include "types.h"

namespace ge {

class FERRATA_GE_API ShapeAndType {
public:
  ShapeAndType() = default;
  ShapeAndType(const Shape &shape, DataType type) : shape_(shape), type_(type) {}
  void SetShape(const Shape &shape) { shape_ = shape; }
  void SetType(DataType type) { type_ = type; }
  Shape GetShape() const { return shape_; }
  DataType GetDataType() const { return type_; }

private:
  Shape shape_;
  DataType type_ = DT_UNDEFINED;
};

class InferenceContext;
using InferenceContextPtr = std::shared_ptr<InferenceContext>;

class FERRATA_GE_API InferenceContext {
public:
  static InferenceContextPtr Create() { return InferenceContextPtr(new InferenceContext()); }
  void SetInputHandleShapesAndTypes(std::vector<std::vector<ShapeAndType>> &&all) { inputs_ = std::move(all); }
  const std::vector<std::vector<ShapeAndType>> &GetInputHandleShapesAndTypes() const { return inputs_; }
  void SetOutputHandleShapesAndTypes(const std::vector<std::vector<ShapeAndType>> &all) { outputs_ = all; }
  void SetOutputHandleShapesAndTypes(std::vector<std::vector<ShapeAndType>> &&all) { outputs_ = std::move(all); }
  const std::vector<std::vector<ShapeAndType>> &GetOutputHandleShapesAndTypes() const { return outputs_; }
  void SetMarks(const std::vector<AscendString> &marks) { marks_ = marks; }
  void GetMarks(std::vector<AscendString> &marks) const { marks = marks_; }

private:
  InferenceContext() = default;
  std::vector<std::vector<ShapeAndType>> inputs_;
  std::vector<std::vector<ShapeAndType>> outputs_;
  std::vector<AscendString> marks_;
};

} // namespace ge
