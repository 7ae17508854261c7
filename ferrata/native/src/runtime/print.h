// Text that kernels print: kept per core while a launch runs, written in ascending core order when it ends.
#pragma once
#include <stddef.h>

namespace ferrata {
struct Launch;
struct Seat;
void flush_output(Launch &launch, Seat &seat); // a core ended
void deliver_output(Launch &launch);           // the launch ended
void set_print_limit(size_t bytes);            // of one call; more prints nothing, as on the chip
} // namespace ferrata
