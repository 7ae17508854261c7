// From instructions to lines of the user's text, by the -g information of the kernel's library. Faults know their line
// from their call; this is for crashes of scalar code, and for calls that the kernel language wrote itself.
#include "place.h"
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

namespace ferrata {
namespace {
struct Walk {
  Frames &frames;
  void *from; // the instruction to start at; null: the caller of the walk
};

_Unwind_Reason_Code add_frame(_Unwind_Context *context, void *argument) {
  Walk &walk = *static_cast<Walk *>(argument);
  Frames &frames = walk.frames;
  int exact = 0;
  char *at = reinterpret_cast<char *>(_Unwind_GetIPInfo(context, &exact));
  if (walk.from) { // frames before it are the signal handler's
    if (at == walk.from)
      walk.from = nullptr;
    return _URC_NO_REASON;
  }
  if (frames.count >= Frames::most)
    return _URC_END_OF_STACK;
  frames.at[frames.count++] = exact ? at : at - 1; // inside the call, not behind it
  return _URC_NO_REASON;
}

bool is_users(const std::string &file) {
  for (const char *part : {"/native/include/", "/native/src/", "/usr/include/", "/usr/lib/", "/c++/", "??"})
    if (file.find(part) != std::string::npos)
      return false;
  return !file.empty();
}

// The lines of an instruction, innermost inlined function first, as "file:line"; addr2line reads the library's -g.
std::string lines_of(void *at) {
  Dl_info info;
  link_map *map = nullptr;
  if (!dladdr1(at, &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) || !map || !info.dli_fname ||
      strchr(info.dli_fname, '\''))
    return "";
  for (const char *system : {"/lib", "/usr/lib"}) // a function of the C library: the user's line is its caller's
    if (!strncmp(info.dli_fname, system, strlen(system)))
      return "";
  Dl_info own;
  if (dladdr(reinterpret_cast<void *>(&lines_of), &own) && own.dli_fbase == info.dli_fbase)
    return "";
  const char *file = *map->l_name ? map->l_name : "/proc/self/exe";
  char path[4096], command[4400];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1); // the shell that runs addr2line is another self
  if (*map->l_name == 0 && length > 0) {
    path[length] = '\0';
    file = path;
  }
  const unsigned long offset = reinterpret_cast<uintptr_t>(at) - map->l_addr;
  snprintf(command, sizeof command, "exec addr2line -i -e '%s' 0x%lx 2>/dev/null", file, offset);
  std::string text;
  if (FILE *pipe = popen(command, "r")) {
    char part[512];
    while (size_t n = fread(part, 1, sizeof part, pipe))
      text.append(part, n);
    pclose(pipe);
  }
  return text;
}
} // namespace

void Frames::take(void *instruction) {
  count = 0;
  if (instruction)
    at[count++] = instruction;
  Walk walk = {*this, instruction};
  _Unwind_Backtrace(add_frame, &walk);
}

void place(const Frames &frames, FaultRecord &record) {
  for (int i = 0; i < frames.count; ++i) {
    const std::string lines = lines_of(frames.at[i]);
    for (size_t at = 0, end; (end = lines.find('\n', at)) != std::string::npos; at = end + 1) {
      const std::string line = lines.substr(at, end - at);
      const size_t colon = line.rfind(':');
      const int number = colon == std::string::npos ? 0 : atoi(line.c_str() + colon + 1);
      const std::string file = line.substr(0, colon);
      if (number <= 0 || !is_users(file))
        continue;
      const bool python = file.size() > 3 && file.compare(file.size() - 3, 3, ".py") == 0;
      if (record.file.empty() || python) {
        record.file = file;
        record.line = number;
      }
      if (python)
        return;
    }
  }
}
} // namespace ferrata
