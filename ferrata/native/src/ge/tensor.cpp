// ge::Shape, ge::TensorDesc and ge::Tensor.
#include <cstring>

#include "graph/tensor.h"

namespace ge {

Shape::Shape() : dims_(std::make_shared<std::vector<int64_t>>()) {}
Shape::Shape(const std::vector<int64_t> &dims) : dims_(std::make_shared<std::vector<int64_t>>(dims)) {}
size_t Shape::GetDimNum() const { return dims_->size() == 1 && dims_->front() == UNKNOWN_DIM_NUM ? 0 : dims_->size(); }
graphStatus Shape::SetDim(size_t i, int64_t value) {
  if (i >= dims_->size())
    return GRAPH_FAILED;
  (*dims_)[i] = value;
  return GRAPH_SUCCESS;
}
int64_t Shape::GetDim(size_t i) const { return i < dims_->size() ? (*dims_)[i] : 0; }
std::vector<int64_t> Shape::GetDims() const { return *dims_; }
int64_t Shape::GetShapeSize() const {
  if (dims_->empty())
    return 0;
  int64_t size = 1;
  bool overflow = false;
  for (const int64_t dim : *dims_) {
    if (dim < 0)
      return UNKNOWN_DIM;
    overflow = __builtin_mul_overflow(size, dim, &size) || overflow;
  }
  return overflow ? 0 : size;
}

struct TensorDesc::Fields {
  std::vector<int64_t> dims, origin_dims;
  std::vector<std::pair<int64_t, int64_t>> range;
  Format format = FORMAT_ND, origin_format = FORMAT_ND;
  DataType type = DT_FLOAT;
  std::string name;
  int64_t size = 0, real_dim_count = 0;
  Placement placement = kPlacementHost;
};

TensorDesc::TensorDesc() : fields_(new Fields()) {}
TensorDesc::TensorDesc(Shape shape, Format format, DataType type) : TensorDesc() { Update(shape, format, type); }
TensorDesc::TensorDesc(const TensorDesc &other) : fields_(new Fields(*other.fields_)) {}
TensorDesc::TensorDesc(TensorDesc &&other) noexcept : fields_(new Fields()) { std::swap(fields_, other.fields_); }
TensorDesc &TensorDesc::operator=(const TensorDesc &other) {
  *fields_ = *other.fields_;
  return *this;
}
TensorDesc &TensorDesc::operator=(TensorDesc &&other) noexcept {
  std::swap(fields_, other.fields_);
  return *this;
}
TensorDesc::~TensorDesc() = default;

void TensorDesc::Update(const Shape &shape, Format format, DataType type) {
  fields_->dims = shape.GetDims();
  fields_->format = format;
  fields_->type = type;
}
Shape TensorDesc::GetShape() const { return Shape(fields_->dims); }
void TensorDesc::SetShape(const Shape &shape) { fields_->dims = shape.GetDims(); }
Shape TensorDesc::GetOriginShape() const { return Shape(fields_->origin_dims); }
void TensorDesc::SetOriginShape(const Shape &shape) { fields_->origin_dims = shape.GetDims(); }
graphStatus TensorDesc::SetUnknownDimNumShape() {
  fields_->dims = {UNKNOWN_DIM_NUM};
  return GRAPH_SUCCESS;
}
graphStatus TensorDesc::SetShapeRange(const std::vector<std::pair<int64_t, int64_t>> &range) {
  fields_->range = range;
  return GRAPH_SUCCESS;
}
graphStatus TensorDesc::GetShapeRange(std::vector<std::pair<int64_t, int64_t>> &range) const {
  range = fields_->range;
  return GRAPH_SUCCESS;
}
Format TensorDesc::GetFormat() const { return fields_->format; }
void TensorDesc::SetFormat(Format format) { fields_->format = format; }
Format TensorDesc::GetOriginFormat() const { return fields_->origin_format; }
void TensorDesc::SetOriginFormat(Format format) { fields_->origin_format = format; }
DataType TensorDesc::GetDataType() const { return fields_->type; }
void TensorDesc::SetDataType(DataType type) { fields_->type = type; }
graphStatus TensorDesc::GetName(AscendString &name) const {
  name = AscendString(fields_->name.c_str());
  return GRAPH_SUCCESS;
}
void TensorDesc::SetName(const char *name) { fields_->name = name ? name : ""; }
int64_t TensorDesc::GetSize() const { return fields_->size; }
void TensorDesc::SetSize(int64_t size) { fields_->size = size; }
int64_t TensorDesc::GetRealDimCnt() const { return fields_->real_dim_count; }
void TensorDesc::SetRealDimCnt(int64_t count) { fields_->real_dim_count = count; }
Placement TensorDesc::GetPlacement() const { return fields_->placement; }
void TensorDesc::SetPlacement(Placement placement) { fields_->placement = placement; }

struct Tensor::Content {
  TensorDesc desc;
  std::vector<uint8_t> bytes;
  std::shared_ptr<uint8_t> foreign; // memory given with a deleter
  size_t foreign_size = 0;
};

Tensor::Tensor() : content_(std::make_shared<Content>()) {}
Tensor::Tensor(const TensorDesc &desc) : Tensor() { content_->desc = desc; }
Tensor::Tensor(const TensorDesc &desc, const std::vector<uint8_t> &data) : Tensor(desc) { content_->bytes = data; }
Tensor::Tensor(const TensorDesc &desc, const uint8_t *data, size_t size) : Tensor(desc) { (void)SetData(data, size); }
Tensor::Tensor(TensorDesc &&desc, std::vector<uint8_t> &&data) : Tensor() {
  content_->desc = std::move(desc);
  content_->bytes = std::move(data);
}
TensorDesc Tensor::GetTensorDesc() const { return content_->desc; }
graphStatus Tensor::SetTensorDesc(const TensorDesc &desc) {
  content_->desc = desc;
  return GRAPH_SUCCESS;
}
const uint8_t *Tensor::GetData() const { return const_cast<Tensor *>(this)->GetData(); }
uint8_t *Tensor::GetData() {
  if (content_->foreign)
    return content_->foreign.get();
  return content_->bytes.empty() ? nullptr : content_->bytes.data();
}
size_t Tensor::GetSize() const { return content_->foreign ? content_->foreign_size : content_->bytes.size(); }
graphStatus Tensor::SetData(std::vector<uint8_t> &&data) {
  content_->foreign.reset();
  content_->bytes = std::move(data);
  return GRAPH_SUCCESS;
}
graphStatus Tensor::SetData(const std::vector<uint8_t> &data) { return SetData(std::vector<uint8_t>(data)); }
graphStatus Tensor::SetData(const uint8_t *data, size_t size) {
  if (data == nullptr && size != 0)
    return GRAPH_FAILED;
  return SetData(std::vector<uint8_t>(data, data + size));
}
graphStatus Tensor::SetData(const char *text) {
  return text == nullptr ? GRAPH_FAILED : SetData(std::vector<AscendString>{text});
}
// A header (offset from its own place, length) of 16 bytes per text, then the texts, each with its NUL.
graphStatus Tensor::SetData(const std::vector<AscendString> &texts) {
  std::vector<uint8_t> bytes(texts.size() * 16);
  for (size_t i = 0; i < texts.size(); ++i) {
    const int64_t header[2] = {static_cast<int64_t>(bytes.size() - i * 16), static_cast<int64_t>(texts[i].GetLength())};
    memcpy(bytes.data() + i * 16, header, sizeof(header));
    bytes.insert(bytes.end(), texts[i].GetString(), texts[i].GetString() + texts[i].GetLength() + 1);
  }
  return SetData(std::move(bytes));
}
graphStatus Tensor::SetData(uint8_t *data, size_t size, const DeleteFunc &deleter) {
  if (data == nullptr || !deleter)
    return GRAPH_FAILED;
  content_->bytes.clear();
  content_->foreign = std::shared_ptr<uint8_t>(data, deleter);
  content_->foreign_size = size;
  return GRAPH_SUCCESS;
}
DataType Tensor::GetDataType() const { return content_->desc.GetDataType(); }
graphStatus Tensor::SetDataType(const DataType &type) {
  content_->desc.SetDataType(type);
  return GRAPH_SUCCESS;
}
Format Tensor::GetFormat() const { return content_->desc.GetFormat(); }
graphStatus Tensor::SetFormat(const Format &format) {
  content_->desc.SetFormat(format);
  return GRAPH_SUCCESS;
}
graphStatus Tensor::IsValid() {
  const Shape shape = content_->desc.GetShape();
  if (content_->desc.GetDataType() == DT_STRING)
    return GRAPH_SUCCESS;
  const int64_t elements = shape.GetDims().empty() ? 1 : shape.GetShapeSize();
  const int64_t bytes = GetSizeInBytes(elements, content_->desc.GetDataType());
  return bytes >= 0 && static_cast<size_t>(bytes) == GetSize() ? GRAPH_SUCCESS : GRAPH_FAILED;
}
Tensor Tensor::Clone() const {
  Tensor copy(content_->desc);
  if (GetData() != nullptr)
    (void)copy.SetData(GetData(), GetSize());
  return copy;
}

} // namespace ge
