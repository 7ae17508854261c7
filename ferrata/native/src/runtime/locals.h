// Globals of kernels that every core has for itself (__BLOCK_LOCAL__).
#pragma once
#include <stdint.h>
#include <vector>

namespace ferrata {
// The thread turns to a core: its values move into the objects. `values` is empty for a core that starts: it gets what
// the objects were initialized with. Returns what was there before.
std::vector<uint8_t> enter_locals(std::vector<uint8_t> &values);
// The thread leaves the core: keep its values and put back what was there before.
void leave_locals(std::vector<uint8_t> &values, const std::vector<uint8_t> &before);
bool any_locals();
} // namespace ferrata
