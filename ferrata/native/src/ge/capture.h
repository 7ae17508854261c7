// Collects what the current thread prints to stdout and stderr while an author's function runs, so that a failure can
// show it. The text goes to the real streams at once, too.
#pragma once
#include <string>

namespace ferrata::native {

class PrintCapture {
public:
  PrintCapture();
  ~PrintCapture();
  PrintCapture(const PrintCapture &) = delete;
  PrintCapture &operator=(const PrintCapture &) = delete;
  // What this thread printed since construction (the last 16 KiB).
  const std::string &Text() const;
};

} // namespace ferrata::native
