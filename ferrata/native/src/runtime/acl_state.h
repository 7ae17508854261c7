// State of the host runtime that its files share: contexts, streams, the thread's last error.
#pragma once
#include <stdint.h>
#include <mutex>
#include <set>
#include <string>
#include <vector>
#include "ferrata/chips.h"

namespace ferrata {
struct Context;

// A queue of finished work: launches and copies complete before they return, so only errors remain in it.
struct Stream {
  Context *context;
  int error = 0;
  std::string message;
  uint32_t flags = 0;
};

struct Context {
  int32_t device;
  Stream *default_stream;
  bool is_default;
};

struct Host {
  std::mutex mutex;
  bool initialised = false, finalised = false;
  int device_references = 0;
  std::set<Context *> contexts;
  Context *device_context = nullptr; // the default context of device 0
  std::set<Stream *> streams;
  std::vector<std::pair<int, std::string>> orphan_errors; // of launches without any context
};
Host &host();

const Chip &device_chip(); // FERRATA_NPU_ARCH, else the first of the table

// Note an error of this thread and return it.
int acl_error(int code, const char *function, const std::string &text);
Context *current_context();        // null when the thread has none
Stream *find_stream(void *handle); // null handle: the default stream; null result: no such stream
Context *new_context(int32_t device, bool is_default);
void delete_context(Context *context);
// The error of a stream, which it then forgets.
int take_stream_error(Stream &stream, const char *function);
int take_all_errors(const char *function);

void set_stream_error(void *stream, int code, const std::string &message);
void clear_stream_errors();
} // namespace ferrata
