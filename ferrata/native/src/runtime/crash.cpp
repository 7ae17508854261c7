// Scalar code of a kernel that follows a stray pointer or divides an integer by zero ends the process, as any C++ does.
// Before it does, say which kernel it was: nothing else would. Outside kernels the signals are left to others.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <initializer_list>
#include "ferrata/core/abi.h"
#include "gm.h"

namespace {
struct sigaction earlier[NSIG];

const char *reason(int number, const siginfo_t *info, char *text, size_t size) {
  if (number == SIGFPE)
    return "an integer is divided by zero";
  const char *what = !info->si_addr ? "a null pointer is followed"
                     : ferrata::gm_reserved(info->si_addr)
                         ? "scalar code reads or writes device memory that is not allocated"
                         : "scalar code reads or writes an address that is no memory";
  snprintf(text, size, "%s (%p)", what, info->si_addr);
  return text;
}

void report(int number, siginfo_t *info, void *) {
  const ferrata::Core *core = ferrata_core;
  const bool own = info->si_code > 0; // by an instruction of this thread, not by kill()
  if (core && own) {
    char why[160], text[512];
    const int length = snprintf(text, sizeof text,
                                "[ferrata] the kernel crashed: %s\n  in kernel %s, block %u of %u (%s)\n"
                                "  compile with -g and run it in gdb to see the line\n",
                                reason(number, info, why, sizeof why), core->kernel ? core->kernel : "?",
                                core->block_idx, core->block_num, core->type ? "AIV" : "AIC");
    if (length > 0 && write(2, text, static_cast<size_t>(length)) < 0) {
      // nothing is left to tell it to
    }
  }
  // The instruction runs again and meets whoever was here before: Python's faulthandler, or the end of the process.
  sigaction(number, &earlier[number], nullptr);
  if (!own)
    raise(number);
}

__attribute__((constructor)) void watch() {
  struct sigaction action = {};
  action.sa_sigaction = report;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int number : {SIGSEGV, SIGBUS, SIGFPE})
    sigaction(number, &action, &earlier[number]);
}
} // namespace
