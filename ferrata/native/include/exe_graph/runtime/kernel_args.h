// A block of launch arguments that lies on the host or on the device.
#pragma once
#include "base_type.h"

namespace gert {

struct KernelArgs {
  void *args_data;
  size_t args_size;
  uint64_t reserved[4];
  ge::Placement placement;
  uint8_t padding[4];
};
static_assert(sizeof(KernelArgs) == 56, "size of the interface");

} // namespace gert
