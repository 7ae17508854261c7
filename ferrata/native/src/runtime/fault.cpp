// From a failed check to what the user reads: collect who, where and why, unwind the core, and report after the launch.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <mutex>
#include "launch.h"
#include "acl_state.h"
#include "ferrata/runtime.h"

namespace ferrata {
namespace {
std::mutex mutex;
int mode = FERRATA_FAULT_RECORD;
ferrata_thrower_t thrower; // what a THROW fault calls; null throws KernelFault
bool has_last, unanswered; // unanswered: the process must not end with 0
std::string last_json;

void leave_with_failure(int status, void *) {
  if (status == 0 && unanswered) {
    fflush(nullptr);
    _exit(1);
  }
}
// Registered when the library is loaded, so that it runs after the program's own handlers.
__attribute__((constructor)) void watch_exit() { on_exit(leave_with_failure, nullptr); }

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20) {
      char escape[8];
      snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

// Whether a file is the text that the kernel language made: helpers that it put there stand on no line of the user's.
bool is_kernel_language(const std::string &file) {
  return file.find("/kernels/") != std::string::npos && file.size() > 4 && !file.compare(file.size() - 4, 4, ".asc");
}

std::string formatted(const char *format, va_list args) {
  va_list copy;
  va_copy(copy, args);
  int length = vsnprintf(nullptr, 0, format, copy);
  va_end(copy);
  std::string text(static_cast<size_t>(length), '\0');
  vsnprintf(&text[0], static_cast<size_t>(length) + 1, format, args);
  return text;
}
} // namespace

const char *fault_name(Fault kind) {
  static const char *const names[] = {
#define FERRATA_FAULT(name) #name,
#include "ferrata/core/faults.h"
#undef FERRATA_FAULT
  };
  return names[static_cast<int>(kind)];
}

int fault_code(Fault kind) {
  switch (kind) {
  case Fault::Deadlock:
    return 507014; // AI core timeout
  case Fault::Trapped:
  case Fault::AssertFailed:
    return 507016; // trap
  case Fault::BadLaunch:
    return 107000;
  default:
    return 507015; // AI core exception
  }
}

std::string FaultRecord::message() const {
  std::string text = std::string(fault_name(kind)) + ": " + (api.empty() ? "" : api + ": ") + detail;
  text += "\n  in kernel " + (kernel.empty() ? std::string("?") : kernel);
  if (blocks)
    text += ", block " + std::to_string(block) + " of " + std::to_string(blocks) + " (" + core + ")";
  if (!file.empty())
    text += "\n  at " + file + ":" + std::to_string(line);
  return text;
}

std::string FaultRecord::json() const {
  return std::string("{\"kind\": \"") + fault_name(kind) + "\", \"message\": " + quoted(message()) +
         ", \"detail\": " + quoted(detail) + ", \"kernel\": " + quoted(kernel) +
         ", \"block\": " + std::to_string(block) + ", \"blocks\": " + std::to_string(blocks) + ", \"core\": \"" + core +
         "\", \"api\": " + quoted(api) + ", \"file\": " + quoted(file) + ", \"line\": " + std::to_string(line) + "}";
}

void keep_fault(const Core &core, FaultRecord record) {
  record.kernel = core.kernel ? core.kernel : "";
  record.block = core.block_idx;
  record.blocks = core.block_num;
  record.core = core.type ? "AIV" : "AIC";
  Launch *launch = launch_of(&core);
  std::lock_guard<std::mutex> lock(launch->mutex);
  // Cores on other threads are let run to their next wait: of their faults the first core's counts, whoever was faster.
  if (!launch->faulted || core.order < launch->fault_order) {
    launch->faulted = true;
    launch->fault = record;
    launch->fault_order = core.order;
  }
  launch->stop = true;
}

thread_local bool faults_are_kept;

void deliver_fault(const FaultRecord &fault, void *stream) {
  std::string message = fault.message(), json = fault.json();
  bool throws;
  {
    std::lock_guard<std::mutex> lock(mutex);
    last_json = json;
    has_last = true;
    throws = mode == FERRATA_FAULT_THROW && !faults_are_kept;
    unanswered = unanswered || !throws;
  }
  if (throws) {
    if (ferrata_thrower_t throw_it = thrower)
      throw_it(message.c_str(), json.c_str());
    throw KernelFault(message.c_str(), json.c_str());
  }
  set_stream_error(stream, fault_code(fault.kind), message);
  fflush(stdout);
  fprintf(stderr, "[ferrata] %s\n", message.c_str());
}
} // namespace ferrata

using namespace ferrata;

void ferrata_fault(Fault kind, const char *api, const char *file, int line, const char *format, ...) {
  va_list args;
  va_start(args, format);
  std::string detail = formatted(format, args);
  va_end(args);
  FaultRecord record;
  record.kind = kind;
  Core *core = ferrata_core;
  record.api = core && core->speaker ? core->speaker : api ? api : "";
  record.detail = detail;
  record.file = file ? file : "";
  record.line = line;
  if (!core) {
    deliver_fault(record, nullptr);
    abort(); // a device function called by the host, and nobody to throw to
  }
  if (is_kernel_language(record.file)) {
    Frames frames;
    frames.take();
    place(frames, record);
  }
  keep_fault(*core, record);
  throw FaultThrown();
}

void ferrata_not_in_kernel(const char *api, Loc loc) {
  ferrata_fault(Fault::NotInKernel, api, loc.file, loc.line, "called outside a kernel; launch one with <<<>>>");
}

int ferrata_set_fault_mode(int value) {
  std::lock_guard<std::mutex> lock(ferrata::mutex);
  const int before = mode;
  mode = value;
  return before;
}

void ferrata_set_thrower(ferrata_thrower_t function) { thrower = function; }

const char *ferrata_peek_fault(void) {
  std::lock_guard<std::mutex> lock(ferrata::mutex);
  return has_last ? last_json.c_str() : nullptr;
}

void ferrata_take_fault(void) {
  {
    std::lock_guard<std::mutex> lock(ferrata::mutex);
    has_last = unanswered = false;
  }
  clear_stream_errors();
}
