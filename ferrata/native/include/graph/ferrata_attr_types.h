// The C++ types an attribute may have; one list for the overloads of Operator, AttrValue and their tests.
#pragma once

// Columns: the type, the name of the kind as a prototype query reports it.
#define FERRATA_ATTR_TYPES(X)                                                                                          \
  X(int64_t, VT_INT)                                                                                                   \
  X(float, VT_FLOAT)                                                                                                   \
  X(bool, VT_BOOL)                                                                                                     \
  X(::ge::AscendString, VT_STRING)                                                                                     \
  X(::ge::Tensor, VT_TENSOR)                                                                                           \
  X(::ge::DataType, VT_DATA_TYPE)                                                                                      \
  X(::ge::NamedAttrs, VT_NAMED_ATTRS)                                                                                  \
  X(::ge::OpBytes, VT_BYTES)                                                                                           \
  X(std::vector<int64_t>, VT_LIST_INT)                                                                                 \
  X(std::vector<float>, VT_LIST_FLOAT)                                                                                 \
  X(std::vector<bool>, VT_LIST_BOOL)                                                                                   \
  X(std::vector<::ge::AscendString>, VT_LIST_STRING)                                                                   \
  X(std::vector<::ge::Tensor>, VT_LIST_TENSOR)                                                                         \
  X(std::vector<::ge::DataType>, VT_LIST_DATA_TYPE)                                                                    \
  X(std::vector<::ge::NamedAttrs>, VT_LIST_NAMED_ATTRS)                                                                \
  X(std::vector<std::vector<int64_t>>, VT_LIST_LIST_INT)

// Accepted as well, and kept as one of the types above.
#define FERRATA_ATTR_CONVERTED_TYPES(X)                                                                                \
  X(int32_t)                                                                                                           \
  X(uint32_t)                                                                                                          \
  X(std::vector<int32_t>)                                                                                              \
  X(std::vector<uint32_t>)
