// Names of architectures as the host knows them.
#pragma once
#include <stdint.h>

enum class NpuArch : uint32_t {
  DAV_RESV = 0,
  DAV_1001 = 1001,
  DAV_2002 = 2002,
  DAV_2201 = 2201,
  DAV_3002 = 3002,
  DAV_3510 = 3510
};
