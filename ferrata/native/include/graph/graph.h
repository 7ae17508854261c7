// ge::Graph: a named set of operators, as C++ callers build one.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "operator.h"

namespace ge {

class FERRATA_GE_API Graph {
public:
  enum class DumpFormat : uint32_t { kOnnx = 0, kTxt = 1, kReadable = 2 };

  Graph();
  explicit Graph(const char *name);
  explicit Graph(const std::string &name) : Graph(name.c_str()) {}
  explicit Graph(const AscendString &name);

  Graph &SetInputs(const std::vector<Operator> &inputs);
  Graph &SetOutputs(const std::vector<Operator> &outputs);
  Graph &SetOutputs(const std::vector<std::pair<Operator, std::vector<size_t>>> &outputs);
  Graph &SetTargets(const std::vector<Operator> &targets);
  graphStatus AddOp(const Operator &op);
  graphStatus FindOpByName(const char *name, Operator &op) const;
  graphStatus FindOpByName(const std::string &name, Operator &op) const { return FindOpByName(name.c_str(), op); }
  graphStatus GetAllOpName(std::vector<AscendString> &names) const;
  graphStatus GetName(AscendString &name) const;
  std::string GetName() const {
    AscendString name;
    (void)GetName(name);
    return ToStdString(name);
  }
  bool IsValid() const;

private:
  struct Content;
  std::shared_ptr<Content> content_;
};

} // namespace ge
