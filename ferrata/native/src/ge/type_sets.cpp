// The sets of TensorType, the reading of a port's type text, type promotion.
#include "type_sets.h"

#include <cctype>
#include <map>

#include "graph/operator_types.h"
#include "graph/utils/type_utils.h"

namespace ge {

TensorType::TensorType(DataType type) : types_{type} {}
TensorType::TensorType(const std::initializer_list<DataType> &types) : types_(types) {}

TensorType TensorType::RealNumberType() {
  return {DT_DOUBLE, DT_FLOAT, DT_FLOAT16, DT_BF16,   DT_INT8,   DT_INT16,
          DT_INT32,  DT_INT64, DT_UINT8,   DT_UINT16, DT_UINT32, DT_UINT64};
}
TensorType TensorType::NumberType() {
  TensorType all = RealNumberType();
  all.types_.insert(all.types_.end(), {DT_COMPLEX128, DT_COMPLEX64, DT_COMPLEX32, DT_QINT32, DT_QINT8, DT_QUINT8});
  return all;
}
TensorType TensorType::BasicType() {
  TensorType all = NumberType();
  all.types_.insert(all.types_.end(), {DT_QINT16, DT_QUINT16});
  return all;
}
TensorType TensorType::OrdinaryType() {
  TensorType all = RealNumberType();
  all.types_.insert(all.types_.end(), {DT_COMPLEX128, DT_COMPLEX64, DT_COMPLEX32, DT_BOOL});
  return all;
}
TensorType TensorType::ALL() {
  TensorType all = BasicType();
  all.types_.insert(all.types_.end(), {DT_BOOL, DT_RESOURCE, DT_STRING});
  return all;
}
TensorType TensorType::QuantifiedType() { return {DT_QINT16, DT_QINT32, DT_QINT8, DT_QUINT16, DT_QUINT8}; }
TensorType TensorType::ComplexDataType() { return {DT_COMPLEX128, DT_COMPLEX64, DT_COMPLEX32}; }
TensorType TensorType::IntegerDataType() {
  return {DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64};
}
TensorType TensorType::SignedDataType() { return {DT_INT8, DT_INT16, DT_INT32, DT_INT64}; }
TensorType TensorType::UnsignedDataType() { return {DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64}; }
TensorType TensorType::FloatingDataType() { return {DT_DOUBLE, DT_FLOAT, DT_FLOAT16}; }
TensorType TensorType::IndexNumberType() { return {DT_INT32, DT_INT64}; }
TensorType TensorType::UnaryDataType() {
  return {DT_DOUBLE, DT_FLOAT, DT_FLOAT16, DT_BF16, DT_COMPLEX128, DT_COMPLEX64, DT_COMPLEX32};
}
TensorType TensorType::FLOAT() { return {DT_FLOAT, DT_FLOAT16, DT_BF16}; }

} // namespace ge

namespace ferrata::native {

using ge::DataType;
using ge::TensorType;

namespace {

const std::map<std::string, TensorType (*)()> &NamedSets() {
  static const std::map<std::string, TensorType (*)()> sets = {
      {"ALL", TensorType::ALL},
      {"QuantifiedType", TensorType::QuantifiedType},
      {"OrdinaryType", TensorType::OrdinaryType},
      {"BasicType", TensorType::BasicType},
      {"NumberType", TensorType::NumberType},
      {"RealNumberType", TensorType::RealNumberType},
      {"ComplexDataType", TensorType::ComplexDataType},
      {"IntegerDataType", TensorType::IntegerDataType},
      {"SignedDataType", TensorType::SignedDataType},
      {"UnsignedDataType", TensorType::UnsignedDataType},
      {"FloatingDataType", TensorType::FloatingDataType},
      {"IndexNumberType", TensorType::IndexNumberType},
      {"UnaryDataType", TensorType::UnaryDataType},
      {"FLOAT", TensorType::FLOAT},
  };
  return sets;
}

// Identifiers of the text, in order.
std::vector<std::string> Words(const std::string &text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  return words;
}

} // namespace

PortTypes ParsePortTypes(const std::string &text) {
  PortTypes result;
  const std::vector<std::string> words = Words(text);
  const bool set = text.find("TensorType") != std::string::npos || text.find('{') != std::string::npos;
  if (!set && words.size() == 1) {
    const DataType type = ge::TypeUtils::SerialStringToDataType(words[0]);
    if (type == ge::DT_UNDEFINED) {
      result.symbol = words[0];
      return result;
    }
  }
  result.known = true;
  for (const std::string &word : words) {
    const auto named = NamedSets().find(word);
    if (named != NamedSets().end()) {
      const auto types = named->second().Types();
      result.types.insert(result.types.end(), types.begin(), types.end());
    } else if (word.compare(0, 3, "DT_") == 0) {
      const DataType type = ge::TypeUtils::SerialStringToDataType(word);
      if (type == ge::DT_UNDEFINED && word != "DT_UNDEFINED")
        result.known = false; // a name that only the author's compiler knows
      else
        result.types.push_back(type);
    } else if (word != "TensorType" && word != "ListTensorType" && word != "ge" && word != "DataType") {
      result.known = false;
    }
  }
  result.known = result.known && !result.types.empty();
  return result;
}

DataType PromoteTypes(DataType a, DataType b) {
  if (a == b)
    return a;
  // Category, then place within it.
  enum { kBool, kInt, kFloat, kComplex, kOther };
  const auto category = [](DataType type) {
    switch (type) {
    case ge::DT_BOOL:
      return kBool;
    case ge::DT_UINT8:
    case ge::DT_INT8:
    case ge::DT_INT16:
    case ge::DT_INT32:
    case ge::DT_INT64:
      return kInt;
    case ge::DT_FLOAT16:
    case ge::DT_BF16:
    case ge::DT_FLOAT:
    case ge::DT_DOUBLE:
      return kFloat;
    case ge::DT_COMPLEX32:
    case ge::DT_COMPLEX64:
    case ge::DT_COMPLEX128:
      return kComplex;
    default:
      return kOther; // unsigned 16 to 64 and quantized types do not promote
    }
  };
  auto low = category(a), high = category(b);
  if (low > high) {
    std::swap(a, b);
    std::swap(low, high);
  }
  if (high == kOther)
    return ge::DT_UNDEFINED;
  if (high == kComplex) {
    if (low != kComplex && low != kFloat)
      return b;
    if (a == ge::DT_DOUBLE || a == ge::DT_COMPLEX128 || b == ge::DT_COMPLEX128)
      return ge::DT_COMPLEX128;
    return a == ge::DT_FLOAT16 && b == ge::DT_COMPLEX32 ? ge::DT_COMPLEX32 : ge::DT_COMPLEX64;
  }
  if (low != high)
    return b;
  if (high == kFloat)
    return a == ge::DT_DOUBLE || b == ge::DT_DOUBLE ? ge::DT_DOUBLE : ge::DT_FLOAT;
  if ((a == ge::DT_UINT8 && b == ge::DT_INT8) || (a == ge::DT_INT8 && b == ge::DT_UINT8))
    return ge::DT_INT16;
  return ge::GetSizeByDataType(a) >= ge::GetSizeByDataType(b) ? a : b;
}

} // namespace ferrata::native
