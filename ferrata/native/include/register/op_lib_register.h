// Initialisation of an operator library: REGISTER_OP_LIB(name).RegOpLibInit(f). The function runs when it is
// registered.
#pragma once
#include "../graph/ascend_string.h"
#include "../graph/error_codes.h"

namespace ge {

class OpLibRegister {
public:
  using OpLibInitFunc = uint32_t (*)(AscendString &);
  explicit OpLibRegister(const char *vendor) : vendor_(vendor) {}
  OpLibRegister &RegOpLibInit(OpLibInitFunc function) {
    AscendString path(vendor_);
    status_ = function != nullptr ? function(path) : GRAPH_PARAM_INVALID;
    return *this;
  }
  uint32_t Status() const { return status_; }

private:
  const char *vendor_;
  uint32_t status_ = GRAPH_SUCCESS;
};

} // namespace ge

#define REGISTER_OP_LIB(vendor)                                                                                        \
  VAR_UNUSED static ::ge::OpLibRegister op_lib_register_##vendor = ::ge::OpLibRegister(#vendor)
