// A fiber: a stack and the registers that a function call preserves. Cores of a launch are fibers so that one of them
// can wait for another on the same thread. A fiber never changes its thread.
#pragma once
#include <stddef.h>

namespace ferrata {
struct Fiber {
  void *stack = nullptr; // lowest address, a guard page
  void *top = nullptr;   // where a new run starts
  void *saved = nullptr; // stack pointer while switched out
  void *back = nullptr;  // the scheduler's stack pointer while this runs
  void (*entry)(void *) = nullptr;
  void *argument = nullptr;
#if !defined(__x86_64__) && !defined(__aarch64__)
  void *contexts = nullptr;
#endif
};

bool fiber_create(Fiber &fiber, size_t stack_bytes);
void fiber_start(Fiber &fiber, void (*entry)(void *), void *argument); // prepares; the first resume runs `entry`
void fiber_resume(Fiber &fiber);                                       // from the scheduler; returns on yield or end
void fiber_yield(Fiber &fiber);                                        // from inside the fiber
} // namespace ferrata
