// Text that kernels print: kept per core while a launch runs, written in ascending core order when it ends.
#pragma once
#include <string>

namespace ferrata {
struct Launch;
struct Seat;
void flush_output(Launch &launch, Seat &seat); // a core ended
void deliver_output(Launch &launch);           // the launch ended
} // namespace ferrata
