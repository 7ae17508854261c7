// The image of a tiling class, and the classes by operator type.
#include "register/tilingdata_base.h"

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include "definition.h"

namespace optiling {

TilingDef::~TilingDef() = default;

// Fills the gap before the field with a field of its own, then takes the place.
size_t TilingDef::Place(const char *padding_name, size_t bytes, size_t align) {
  const size_t gap = (align - data_size_ % align) % align;
  if (gap != 0)
    field_info_.push_back({"uint8_t", padding_name, gap, "", 0, "1"});
  const size_t at = data_size_ + gap;
  data_size_ = at + bytes;
  return at;
}

size_t TilingDef::AddField(const FieldInfo &field, const char *padding_name, size_t element, size_t count) {
  const size_t at = Place(padding_name, element * count, element);
  field_info_.push_back(field);
  return at;
}

size_t TilingDef::AddStruct(const char *type, const char *name, const char *padding_name, TilingDef &member) {
  if (!CTilingDataClassFactory::GetInstance().CreateTilingDataInstance((std::string(type) + "Op").c_str()))
    throw std::runtime_error(std::string("tiling structure ") + type +
                             " is not registered: REGISTER_TILING_DATA_CLASS(" + type + "Op, " + type +
                             ") must come before its use");
  const size_t at = Place(padding_name, member.GetDataSize(), 8);
  field_info_.push_back({"struct", name, 0, type, member.GetDataSize(), "2"});
  nested_.emplace_back(&member, at);
  return at;
}

void TilingDef::Finish(const char *class_name, void *data) {
  class_name_ = class_name;
  (void)Place("tailPH", 0, 8);
  own_.assign(data_size_ / 8, 0);
  SetDataPtr(data);
}

void TilingDef::SetDataPtr(void *data) {
  external_ = data != nullptr;
  data_ = external_ ? static_cast<uint8_t *>(data) : reinterpret_cast<uint8_t *>(own_.data());
  for (const auto &member : nested_)
    member.first->SetDataPtr(data_ + member.second);
}

void TilingDef::SaveToBuffer(void *buffer, size_t capacity) {
  if (external_ || buffer == nullptr || capacity < data_size_)
    return;
  memcpy(buffer, data_, data_size_);
}

namespace {
struct Classes {
  std::mutex mutex;
  std::map<std::string, TilingDataConstructor> constructors;
};
Classes &All() {
  static Classes *classes = new Classes();
  return *classes;
}
} // namespace

CTilingDataClassFactory &CTilingDataClassFactory::GetInstance() {
  static CTilingDataClassFactory factory;
  return factory;
}
void CTilingDataClassFactory::RegisterTilingData(const char *op_type, TilingDataConstructor constructor) {
  std::lock_guard<std::mutex> lock(All().mutex);
  const auto added = All().constructors.emplace(op_type, constructor);
  if (!added.second && ferrata::native::DefinitionsReplace())
    added.first->second = constructor;
}
std::vector<std::string> RegisteredTilingClasses() {
  std::lock_guard<std::mutex> lock(All().mutex);
  std::vector<std::string> types;
  for (const auto &entry : All().constructors)
    types.push_back(entry.first);
  return types;
}
std::shared_ptr<TilingDef> CTilingDataClassFactory::CreateTilingDataInstance(const char *op_type) {
  TilingDataConstructor constructor = nullptr;
  {
    std::lock_guard<std::mutex> lock(All().mutex);
    const auto found = All().constructors.find(op_type);
    if (found == All().constructors.end())
      return nullptr;
    constructor = found->second;
  }
  return constructor();
}

TilingDataRegister::TilingDataRegister(const char *op_type, TilingDataConstructor constructor) {
  CTilingDataClassFactory::GetInstance().RegisterTilingData(op_type, constructor);
}

} // namespace optiling
