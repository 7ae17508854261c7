// Scalar code of a kernel that divides an integer by zero or follows a stray pointer raises a signal of the processor.
// Inside a kernel that is a fault like others: the handler notes where it was and leaves the core's stack for good; the
// launch's thread, which ran the core as a fiber, makes the record. Outside kernels the signals are left to others.
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <initializer_list>
#include "gm.h"
#include "launch.h"
#include "place.h"

namespace ferrata {
namespace {
// Who handled the signals before us, and who has taken them since; both are passed what is not ours, the latter first.
struct sigaction earlier[NSIG], later[NSIG];
volatile sig_atomic_t passing[NSIG];
void watch();

// A thread's stack for the handler: the core's own may be what has run out.
struct SignalStack {
  static constexpr size_t bytes = size_t(64) << 10;
  void *memory = nullptr;
  stack_t before = {};

  SignalStack() {
    watch(); // pytest, for one, turns Python's faulthandler on after its plugins have been loaded
    if (sigaltstack(nullptr, &before) != 0 || (!(before.ss_flags & SS_DISABLE) && before.ss_size >= bytes))
      return;
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    stack_t mine = {};
    mine.ss_sp = p;
    mine.ss_size = bytes;
    if (p != MAP_FAILED && sigaltstack(&mine, nullptr) == 0)
      memory = p;
  }
  ~SignalStack() {
    if (!memory)
      return;
    stack_t now;
    if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory)
      sigaltstack(&before, nullptr);
    munmap(memory, bytes);
  }
};

void *instruction(const ucontext_t *context) {
#if defined(__x86_64__)
  return reinterpret_cast<void *>(context->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void *>(context->uc_mcontext.pc);
#else
  return nullptr;
#endif
}

// A signal that is not of a kernel. A handler that was set after ours ends by raising it again with ours in place.
void pass_on(int number, siginfo_t *info, void *context) {
  const bool again = passing[number] > 0, sent = info->si_code <= 0;
  const struct sigaction &other = later[number].sa_handler && !again ? later[number] : earlier[number];
  ++passing[number];
  if (other.sa_flags & SA_SIGINFO) {
    other.sa_sigaction(number, info, context);
  } else if (other.sa_handler != SIG_DFL && other.sa_handler != SIG_IGN) {
    other.sa_handler(number);
  } else if (other.sa_handler == SIG_DFL || !sent) { // now, or when the instruction runs again, it ends the process
    signal(number, SIG_DFL);
    if (sent)
      raise(number);
  }
  --passing[number];
}

void on_signal(int number, siginfo_t *info, void *context) {
  Core *core = ferrata_core;
  if (core && info->si_code <= 0 && info->si_pid == getpid())
    return; // a handler that was set after ours raises what it got: the instruction comes again
  if (!core || info->si_code <= 0)
    return pass_on(number, info, context);
  Seat &seat = *seat_of(core);
  Crash &crash = seat.crash;
  if (!crash.number) { // else it is the search for the callers that crashed: do without them
    crash.code = info->si_code;
    crash.address = info->si_addr;
    crash.number = number;
    crash.frames.take(instruction(static_cast<ucontext_t *>(context)));
  }
  fiber_yield(seat.fiber); // never resumed
}

void watch() {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER; // left without returning
  sigemptyset(&action.sa_mask);
  static bool first = true;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    struct sigaction now;
    if (sigaction(number, nullptr, &now) != 0 || now.sa_sigaction == on_signal)
      continue;
    (first ? earlier : later)[number] = now;
    sigaction(number, &action, nullptr);
  }
  first = false;
}
__attribute__((constructor)) void watch_from_the_start() { watch(); }

// --- the record, on the launch's thread ---

std::string described(const Seat &seat, Fault &kind) {
  const Crash &crash = seat.crash;
  const char *address = static_cast<const char *>(crash.address);
  kind = Fault::WildAddress;
  switch (crash.number) {
  case SIGFPE:
    kind = Fault::DivisionByZero;
    return "an integer is divided by zero, or the lowest integer by -1";
  case SIGILL:
    kind = Fault::Trapped;
    return "the compiler has put a trap here: it can prove that this divides by zero, or follows a null pointer";
  }
  char text[32];
  snprintf(text, sizeof text, " (%p)", crash.address);
  const char *stack = static_cast<const char *>(seat.fiber.stack);
  if (address >= stack && address < stack + sysconf(_SC_PAGESIZE))
    return "the core's stack of 1 MiB has run out: large arrays as local variables, or endless recursion";
  if (address >= reinterpret_cast<const char *>(seat.arena) &&
      address < reinterpret_cast<const char *>(seat.arena) + (uint64_t(1) << 32) * 7)
    return "scalar code reads or writes on-chip memory behind its end" + std::string(text);
  if (reinterpret_cast<uintptr_t>(address) < 65536)
    return "a null pointer is followed" + std::string(text);
  return (gm_reserved(address) ? "scalar code reads or writes device memory that is not allocated"
                               : "scalar code reads or writes an address that is no memory") +
         std::string(text);
}
} // namespace

void expect_crashes() {
  static thread_local SignalStack stack;
  asm volatile("" : : "r"(&stack)); // made on first use
}

void report_crash(Seat &seat) {
  FaultRecord record;
  record.detail = described(seat, record.kind);
  place(seat.crash.frames, record);
  const Core &core = seat.core;
  if (record.file.empty() && core.last.file)
    record.detail += "; compile with -g to see the line. The call before it stands at " + std::string(core.last.file) +
                     ":" + std::to_string(core.last.line);
  keep_fault(core, record);
}
} // namespace ferrata
