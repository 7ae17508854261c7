// Tensors of the graph side: ge::Shape, ge::TensorDesc, ge::Tensor. Handles that share what they stand for.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ascend_string.h"
#include "error_codes.h"
#include "types.h"

namespace ge {

// Rank 0 also stands for an unknown rank ([-2]).
class FERRATA_GE_API Shape {
public:
  Shape();
  explicit Shape(const std::vector<int64_t> &dims);
  size_t GetDimNum() const; // 0 for [-2]
  // GRAPH_FAILED for a bad index.
  graphStatus SetDim(size_t i, int64_t value);
  int64_t GetDim(size_t i) const; // 0 for a bad index
  std::vector<int64_t> GetDims() const;
  int64_t GetShapeSize() const; // 0 for no dimensions or overflow, -1 with any negative dimension

private:
  std::shared_ptr<std::vector<int64_t>> dims_;
};

class FERRATA_GE_API TensorDesc {
public:
  TensorDesc();
  explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType type = DT_FLOAT);
  TensorDesc(const TensorDesc &other);
  TensorDesc(TensorDesc &&other) noexcept;
  TensorDesc &operator=(const TensorDesc &other);
  TensorDesc &operator=(TensorDesc &&other) noexcept;
  ~TensorDesc();

  void Update(const Shape &shape, Format format = FORMAT_ND, DataType type = DT_FLOAT);
  Shape GetShape() const;
  void SetShape(const Shape &shape);
  Shape GetOriginShape() const;
  void SetOriginShape(const Shape &shape);
  graphStatus SetUnknownDimNumShape();
  // (min, max) per dimension; max -1 = no bound.
  graphStatus SetShapeRange(const std::vector<std::pair<int64_t, int64_t>> &range);
  graphStatus GetShapeRange(std::vector<std::pair<int64_t, int64_t>> &range) const;
  Format GetFormat() const;
  void SetFormat(Format format);
  Format GetOriginFormat() const;
  void SetOriginFormat(Format format);
  DataType GetDataType() const;
  void SetDataType(DataType type);
  std::string GetName() const {
    AscendString name;
    (void)GetName(name);
    return ToStdString(name);
  }
  graphStatus GetName(AscendString &name) const;
  void SetName(const std::string &name) { SetName(name.c_str()); }
  void SetName(const char *name);
  int64_t GetSize() const;
  void SetSize(int64_t size);
  int64_t GetRealDimCnt() const;
  void SetRealDimCnt(int64_t count);
  Placement GetPlacement() const;
  void SetPlacement(Placement placement);

private:
  struct Fields;
  std::unique_ptr<Fields> fields_;
};

class FERRATA_GE_API Tensor {
public:
  using DeleteFunc = std::function<void(uint8_t *)>;

  Tensor();
  explicit Tensor(const TensorDesc &desc);
  Tensor(const TensorDesc &desc, const std::vector<uint8_t> &data);
  Tensor(const TensorDesc &desc, const uint8_t *data, size_t size);
  Tensor(TensorDesc &&desc, std::vector<uint8_t> &&data);

  TensorDesc GetTensorDesc() const;
  graphStatus SetTensorDesc(const TensorDesc &desc);
  const uint8_t *GetData() const;
  uint8_t *GetData();
  size_t GetSize() const;
  graphStatus SetData(std::vector<uint8_t> &&data);
  graphStatus SetData(const std::vector<uint8_t> &data);
  graphStatus SetData(const uint8_t *data, size_t size);
  graphStatus SetData(const std::string &text) { return SetData(std::vector<std::string>{text}); }
  graphStatus SetData(const char *text);
  graphStatus SetData(const std::vector<std::string> &texts) { return SetData(ToAscendStrings(texts)); }
  graphStatus SetData(const std::vector<AscendString> &texts);
  graphStatus SetData(uint8_t *data, size_t size, const DeleteFunc &deleter);
  DataType GetDataType() const;
  graphStatus SetDataType(const DataType &type);
  Format GetFormat() const;
  graphStatus SetFormat(const Format &format);
  // GRAPH_SUCCESS when the bytes fit the description.
  graphStatus IsValid();
  Tensor Clone() const;

private:
  struct Content;
  std::shared_ptr<Content> content_;
};

} // namespace ge
