// The content of the __BLOCK_LOCAL__ objects of all loaded libraries, exchanged when a thread turns to another core.
#include "locals.h"
#include <string.h>
#include <algorithm>
#include <atomic>
#include <mutex>
#include "ferrata/core/abi.h"

namespace ferrata {
namespace {
std::mutex mutex;
std::vector<const BlockLocal *> known; // in the order of their registration
std::atomic<int> count{0};

template <class Each> void walk(Each each) {
  std::lock_guard<std::mutex> lock(mutex);
  size_t at = 0;
  for (const BlockLocal *local : known) {
    each(static_cast<uint8_t *>(local->address()), local->bytes, at);
    at += local->bytes;
  }
}

std::vector<uint8_t> read() {
  std::vector<uint8_t> out;
  walk([&](const uint8_t *object, size_t bytes, size_t) { out.insert(out.end(), object, object + bytes); });
  return out;
}

void write(const std::vector<uint8_t> &values) {
  walk([&](uint8_t *object, size_t bytes, size_t at) {
    if (at + bytes <= values.size()) // a library loaded meanwhile stands at the end
      memcpy(object, values.data() + at, bytes);
  });
}
} // namespace

bool any_locals() { return count.load(std::memory_order_relaxed) > 0; }

std::vector<uint8_t> enter_locals(std::vector<uint8_t> &values) {
  // Between cores the objects of a thread hold what they were initialized with: leave_locals sees to it.
  std::vector<uint8_t> before = read();
  write(values.empty() ? before : values);
  return before;
}

void leave_locals(std::vector<uint8_t> &values, const std::vector<uint8_t> &before) {
  values = read();
  write(before);
}
} // namespace ferrata

void ferrata_block_local(const ferrata::BlockLocal *local, int present) {
  std::lock_guard<std::mutex> lock(ferrata::mutex);
  if (present)
    ferrata::known.push_back(local);
  else
    ferrata::known.erase(std::remove(ferrata::known.begin(), ferrata::known.end(), local), ferrata::known.end());
  ferrata::count = static_cast<int>(ferrata::known.size());
}
