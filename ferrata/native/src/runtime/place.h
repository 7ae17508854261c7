// The instructions that led to a fault, and the lines that they come from.
#pragma once
#include "fault.h"

namespace ferrata {
struct Frames {
  static constexpr int most = 12;
  int count = 0;
  void *at[most] = {};

  // The calls that led here or, from a signal's handler, the instruction and the calls that led to it.
  void take(void *instruction = nullptr);
};

// File and line of a record: the innermost line of the user's own text or, in a kernel from Python, of Python.
void place(const Frames &frames, FaultRecord &record);
} // namespace ferrata
