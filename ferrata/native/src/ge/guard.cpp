// The border between the engine and an author's functions: statuses, exceptions, printed text.
#include <cstdio>
#include <cstring>
#include <exception>

#include "capture.h"
#include "ferrata/runtime.h"
#include "node.h"

namespace ferrata::native {

namespace {
// Where the author's function wrote GRAPH_FAILED last (ferrata/failures.h); null: nowhere.
thread_local const char *failed_file;
thread_local int32_t failed_line;
} // namespace

LastError &ErrorOfThread() {
  static thread_local LastError error;
  return error;
}

int32_t Fail(const char *kind, uint32_t status, const std::string &text) {
  LastError &error = ErrorOfThread();
  error = LastError();
  error.kind = kind;
  error.status = status;
  error.text = text;
  return static_cast<int32_t>(status == 0 ? ge::GRAPH_FAILED : status);
}

int32_t Guarded(const char *what, const std::function<uint32_t()> &call) {
  const PrintCapture capture;
  int32_t result = 0;
  failed_file = nullptr;
  try {
    const uint32_t status = call();
    if (status == 0)
      return 0;
    char text[96];
    snprintf(text, sizeof(text), "%s returned status %u (0x%08X)", what, status, status);
    const bool placed = failed_file != nullptr && status == ge::GRAPH_FAILED;
    const std::string place = placed ? std::string(" at ") + failed_file + ":" + std::to_string(failed_line) : "";
    result = Fail("status", status, text + place);
  } catch (const ferrata::KernelFault &fault) {
    result = Fail("fault", ge::GRAPH_FAILED, fault.what());
    ErrorOfThread().fault = fault.json;
    ErrorOfThread().exception = std::current_exception();
  } catch (const std::exception &exception) {
    result = Fail("exception", ge::GRAPH_FAILED, std::string(what) + " threw: " + exception.what());
    ErrorOfThread().exception = std::current_exception();
  } catch (...) {
    result = Fail("exception", ge::GRAPH_FAILED, std::string(what) + " threw something that is no std::exception");
  }
  ErrorOfThread().printed = capture.Text();
  return result;
}

} // namespace ferrata::native

extern "C" FERRATA_GE_API void ferrata_ge_note_failure(const char *file, int32_t line) {
  if (std::strstr(file, "/native/include/") != nullptr)
    return; // an inline function of ours, which the author's code answers with a line of its own
  ferrata::native::failed_file = file;
  ferrata::native::failed_line = line;
}

void ferrata_ge_rethrow(void) {
  std::exception_ptr exception;
  std::swap(exception, ferrata::native::ErrorOfThread().exception);
  if (exception)
    std::rethrow_exception(exception);
}
