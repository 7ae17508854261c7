// Sets of data types for ports and type symbols.
#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "ascend_string.h"
#include "types.h"

namespace ge {

class FERRATA_GE_API TensorType {
public:
  explicit TensorType(DataType type);
  TensorType(const std::initializer_list<DataType> &types);

  static TensorType ALL();
  static TensorType QuantifiedType();
  static TensorType OrdinaryType();
  static TensorType BasicType();
  static TensorType NumberType();
  static TensorType RealNumberType();
  static TensorType ComplexDataType();
  static TensorType IntegerDataType();
  static TensorType SignedDataType();
  static TensorType UnsignedDataType();
  static TensorType FloatingDataType();
  static TensorType IndexNumberType();
  static TensorType UnaryDataType();
  static TensorType FLOAT();

  const std::vector<DataType> &Types() const { return types_; }

private:
  std::vector<DataType> types_;
};

// The types of a dynamic port, whose tensors may differ from one another.
class FERRATA_GE_API ListTensorType {
public:
  explicit ListTensorType(const TensorType &type) : type_(type) {}
  const TensorType &Type() const { return type_; }

private:
  TensorType type_;
};

// The common type of other symbols, by PyTorch's promotion rules. Move-only.
class FERRATA_GE_API Promote {
public:
  Promote(const std::initializer_list<const char *> &symbols) : symbols_(symbols.begin(), symbols.end()) {}
  Promote(const Promote &) = delete;
  Promote &operator=(const Promote &) = delete;
  Promote(Promote &&) = default;
  Promote &operator=(Promote &&) = default;
  const std::vector<AscendString> &Symbols() const { return symbols_; }

private:
  std::vector<AscendString> symbols_;
};

} // namespace ge
