// Tiling data: BEGIN_TILING_DATA_DEF(C) TILING_DATA_FIELD_DEF(type, n) ... END_TILING_DATA_DEF;
//
// Fields lie in order, each aligned to its element size (structures to 8), the gaps filled by fields named <n>PH; the
// whole is a multiple of 8. So the image equals the C structure with the same members.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "../graph/ascend_string.h"
#include "../graph/compiler_def.h"

namespace optiling {

struct FieldInfo {
  const char *dtype_;
  const char *name_;
  size_t array_size_;       // elements of an array, 0 for others
  const char *struct_type_; // class of a structure, "" for others
  size_t struct_size_;
  const char *class_type_; // "0" scalar, "1" array, "2" structure
};

// The image of one tiling class: in its own memory, or in memory that SetDataPtr bound.
class FERRATA_GE_API TilingDef {
public:
  TilingDef() = default;
  virtual ~TilingDef();
  TilingDef(const TilingDef &) = delete;
  TilingDef &operator=(const TilingDef &) = delete;

  // Does nothing when the image is bound to external memory, which holds the values already.
  void SaveToBuffer(void *buffer, size_t capacity);
  const std::vector<FieldInfo> &GetFieldInfo() const { return field_info_; }
  const char *GetTilingClassName() const { return class_name_; }
  size_t GetDataSize() const { return data_size_; }
  void SetDataPtr(void *data);

protected:
  // Each returns the offset of the field; the initialisers of the members call them in order of declaration.
  size_t AddField(const FieldInfo &field, const char *padding_name, size_t element, size_t count);
  size_t AddStruct(const char *type, const char *name, const char *padding_name, TilingDef &member);
  void Finish(const char *class_name, void *data);
  uint8_t *At(size_t offset) const { return data_ + offset; }

private:
  size_t Place(const char *padding_name, size_t bytes, size_t align);

  uint8_t *data_ = nullptr;
  size_t data_size_ = 0;
  bool external_ = false;
  const char *class_name_ = "";
  std::vector<uint64_t> own_;
  std::vector<FieldInfo> field_info_;
  std::vector<std::pair<TilingDef *, size_t>> nested_;
};

using TilingDataConstructor = std::shared_ptr<TilingDef> (*)();

// Tiling classes by operator type; the first of a type stays.
class FERRATA_GE_API CTilingDataClassFactory {
public:
  static CTilingDataClassFactory &GetInstance();
  void RegisterTilingData(const char *op_type, TilingDataConstructor constructor);
  std::shared_ptr<TilingDef> CreateTilingDataInstance(const char *op_type);
};

class FERRATA_GE_API TilingDataRegister {
public:
  TilingDataRegister(const char *op_type, TilingDataConstructor constructor);
};

} // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name)                                                                              \
  class class_name : public ::optiling::TilingDef {                                                                    \
  public:                                                                                                              \
    class_name() { Finish(#class_name, nullptr); }                                                                     \
    explicit class_name(void *data) { Finish(#class_name, data); }

#define TILING_DATA_FIELD_DEF(data_type, field_name)                                                                   \
private:                                                                                                               \
  const size_t field_name##_offset_ =                                                                                  \
      AddField({#data_type, #field_name, 0, "", 0, "0"}, #field_name "PH", sizeof(data_type), 1);                      \
                                                                                                                       \
public:                                                                                                                \
  void set_##field_name(data_type value) { memcpy(At(field_name##_offset_), &value, sizeof(value)); }                  \
  data_type get_##field_name() const {                                                                                 \
    data_type value;                                                                                                   \
    memcpy(&value, At(field_name##_offset_), sizeof(value));                                                           \
    return value;                                                                                                      \
  }

#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)                                                      \
private:                                                                                                               \
  const size_t field_name##_offset_ =                                                                                  \
      AddField({#arr_type, #field_name, arr_size, "", 0, "1"}, #field_name "PH", sizeof(arr_type), arr_size);          \
                                                                                                                       \
public:                                                                                                                \
  void set_##field_name(const arr_type *values) {                                                                      \
    memcpy(At(field_name##_offset_), values, (arr_size) * sizeof(arr_type));                                           \
  }                                                                                                                    \
  arr_type *get_##field_name() const { return reinterpret_cast<arr_type *>(At(field_name##_offset_)); }

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name)                                                          \
public:                                                                                                                \
  struct_type field_name;                                                                                              \
                                                                                                                       \
private:                                                                                                               \
  const size_t field_name##_offset_ = AddStruct(#struct_type, #field_name, #field_name "PH", field_name);              \
                                                                                                                       \
public:

#define END_TILING_DATA_DEF                                                                                            \
  }                                                                                                                    \
  ;

#define REGISTER_TILING_DATA_CLASS(op_type, class_name) FERRATA_TILING_CLASS(op_type, class_name, __COUNTER__)
#define FERRATA_TILING_CLASS(op_type, class_name, counter) FERRATA_TILING_CLASS_INNER(op_type, class_name, counter)
#define FERRATA_TILING_CLASS_INNER(op_type, class_name, counter)                                                       \
  VAR_UNUSED static const ::optiling::TilingDataRegister tiling_data_register_##op_type##_##counter(                   \
      #op_type, []() -> std::shared_ptr<::optiling::TilingDef> { return std::make_shared<class_name>(); });
