// Base types of the execution contexts.
#pragma once
#include <cstddef>
#include <cstdint>

#include "../../graph/error_codes.h"
#include "../../graph/types.h"

namespace gert {

using rtStream = void *;
using UINT32 = uint32_t;
// Reserved bytes at the end of each value type, part of its size in the interface.
inline constexpr size_t kReservedBytes = 40;

} // namespace gert
