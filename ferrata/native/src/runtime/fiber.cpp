// Context switches: a dozen instructions on x86-64 and AArch64, ucontext elsewhere.
#include <sys/mman.h>
#include <stdint.h>
#include <unistd.h>
#include "fiber.h"

#if defined(__x86_64__)
// ferrata_switch(void **save, void *load): push the callee-saved registers, swap stacks, pop.
asm(R"(
.text
.p2align 4
.hidden ferrata_switch
.globl ferrata_switch
.type ferrata_switch, @function
ferrata_switch:
  .cfi_startproc
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .cfi_endproc
.size ferrata_switch, .-ferrata_switch
)");
#elif defined(__aarch64__)
asm(R"(
.text
.p2align 4
.hidden ferrata_switch
.globl ferrata_switch
.type ferrata_switch, %function
ferrata_switch:
  sub sp, sp, #176
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #176
  ret
.size ferrata_switch, .-ferrata_switch

// Where a fiber starts: on to the function in x19, with no frame and no return address that a debugger would follow.
.p2align 4
.hidden ferrata_first
.globl ferrata_first
.type ferrata_first, %function
ferrata_first:
  mov x29, xzr
  mov x30, xzr
  mov x16, x19
  br x16
.size ferrata_first, .-ferrata_first
)");
extern "C" void ferrata_first();
#else
#include <ucontext.h>
#include <new>
#endif

namespace ferrata {
namespace {
void *new_stack(size_t bytes) {
  size_t guard = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void *stack = mmap(nullptr, bytes + guard, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED)
    return nullptr;
  mprotect(stack, guard, PROT_NONE);
  return stack;
}
} // namespace

#if defined(__x86_64__) || defined(__aarch64__)
extern "C" void ferrata_switch(void **save, void *load);

namespace {
thread_local Fiber *starting;
// First frame of a fiber. It never returns: the last yield does not come back.
void trampoline() {
  Fiber *self = starting;
  self->entry(self->argument);
  fiber_yield(*self);
  __builtin_trap();
}
} // namespace

bool fiber_create(Fiber &fiber, size_t bytes) {
  fiber.stack = new_stack(bytes);
  if (!fiber.stack)
    return false;
  fiber.top = static_cast<char *>(fiber.stack) + bytes + static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return true;
}

void fiber_start(Fiber &fiber, void (*entry)(void *), void *argument) {
  fiber.entry = entry;
  fiber.argument = argument;
  void **sp = static_cast<void **>(fiber.top);
#if defined(__x86_64__)
  *--sp = nullptr; // return address of the trampoline: none; also aligns the stack as a call would
  *--sp = reinterpret_cast<void *>(trampoline);
  sp -= 6; // registers
  for (int i = 0; i < 6; ++i)
    sp[i] = nullptr;
#else
  sp -= 22;
  for (int i = 0; i < 22; ++i)
    sp[i] = nullptr;
  sp[0] = reinterpret_cast<void *>(trampoline);     // x19
  sp[11] = reinterpret_cast<void *>(ferrata_first); // x30
#endif
  fiber.saved = sp;
}

void fiber_resume(Fiber &fiber) {
  starting = &fiber;
  ferrata_switch(&fiber.back, fiber.saved);
}

void fiber_yield(Fiber &fiber) { ferrata_switch(&fiber.saved, fiber.back); }
#else
namespace {
struct Contexts {
  ucontext_t self, back;
  size_t bytes;
};
thread_local Fiber *starting;
void trampoline() {
  Fiber *self = starting;
  self->entry(self->argument);
  fiber_yield(*self);
}
} // namespace

bool fiber_create(Fiber &fiber, size_t bytes) {
  fiber.stack = new_stack(bytes);
  fiber.contexts = new (std::nothrow) Contexts;
  if (!fiber.stack || !fiber.contexts)
    return false;
  static_cast<Contexts *>(fiber.contexts)->bytes = bytes;
  return true;
}

void fiber_start(Fiber &fiber, void (*entry)(void *), void *argument) {
  fiber.entry = entry;
  fiber.argument = argument;
  Contexts &c = *static_cast<Contexts *>(fiber.contexts);
  getcontext(&c.self);
  c.self.uc_stack.ss_sp = static_cast<char *>(fiber.stack) + sysconf(_SC_PAGESIZE);
  c.self.uc_stack.ss_size = c.bytes;
  c.self.uc_link = nullptr;
  makecontext(&c.self, trampoline, 0);
}

void fiber_resume(Fiber &fiber) {
  Contexts &c = *static_cast<Contexts *>(fiber.contexts);
  starting = &fiber;
  swapcontext(&c.back, &c.self);
}

void fiber_yield(Fiber &fiber) {
  Contexts &c = *static_cast<Contexts *>(fiber.contexts);
  swapcontext(&c.self, &c.back);
}
#endif
} // namespace ferrata
