// While any capture is alive, `stdout`, `stderr`, std::cout, std::cerr and std::clog lead through tees: they forward to
// the real streams and append to the writing thread's buffer. Swapping four pointers costs nanoseconds, which a dup2 of
// file descriptors on every call of a graph would not.
//
// Holds state: the depth of captures in the process, under a mutex.
#include "capture.h"

#include <cstdio>
#include <iostream>
#include <mutex>
#include <streambuf>

namespace ferrata::native {

namespace {

constexpr size_t kKept = 16384;

thread_local std::string printed;
thread_local int depth = 0;

void Keep(const char *text, size_t size) {
  if (depth == 0)
    return;
  printed.append(text, size);
  if (printed.size() > 2 * kKept)
    printed.erase(0, printed.size() - kKept);
}

// A FILE that writes through to another one.
FILE *OpenTee(FILE *target) {
  cookie_io_functions_t functions{};
  functions.write = [](void *cookie, const char *text, size_t size) -> ssize_t {
    Keep(text, size);
    return static_cast<ssize_t>(fwrite(text, 1, size, static_cast<FILE *>(cookie)));
  };
  FILE *tee = fopencookie(target, "w", functions);
  if (tee != nullptr)
    setvbuf(tee, nullptr, _IONBF, 0);
  return tee;
}

class TeeBuffer : public std::streambuf {
public:
  explicit TeeBuffer(std::streambuf *target) : target_(target) {}

protected:
  int overflow(int c) override {
    if (c == EOF)
      return 0;
    const char one = static_cast<char>(c);
    Keep(&one, 1);
    return target_->sputc(one);
  }
  std::streamsize xsputn(const char *text, std::streamsize size) override {
    Keep(text, static_cast<size_t>(size));
    return target_->sputn(text, size);
  }
  int sync() override { return target_->pubsync(); }

private:
  std::streambuf *target_;
};

struct Streams {
  std::mutex mutex;
  int users = 0;
  FILE *real_out = stdout, *real_err = stderr;
  FILE *tee_out = OpenTee(stdout), *tee_err = OpenTee(stderr);
  TeeBuffer cout{std::cout.rdbuf()}, cerr{std::cerr.rdbuf()}, clog{std::clog.rdbuf()};
  std::streambuf *real_cout = std::cout.rdbuf(), *real_cerr = std::cerr.rdbuf(), *real_clog = std::clog.rdbuf();
};

Streams &All() {
  static std::ios_base::Init init;
  static Streams *streams = new Streams();
  return *streams;
}

} // namespace

PrintCapture::PrintCapture() {
  if (depth++ == 0)
    printed.clear();
  Streams &all = All();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.users++ != 0 || all.tee_out == nullptr || all.tee_err == nullptr)
    return;
  stdout = all.tee_out;
  stderr = all.tee_err;
  std::cout.rdbuf(&all.cout);
  std::cerr.rdbuf(&all.cerr);
  std::clog.rdbuf(&all.clog);
}

PrintCapture::~PrintCapture() {
  --depth;
  Streams &all = All();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (--all.users != 0 || all.tee_out == nullptr || all.tee_err == nullptr)
    return;
  stdout = all.real_out;
  stderr = all.real_err;
  std::cout.rdbuf(all.real_cout);
  std::cerr.rdbuf(all.real_cerr);
  std::clog.rdbuf(all.real_clog);
}

const std::string &PrintCapture::Text() const { return printed; }

} // namespace ferrata::native
