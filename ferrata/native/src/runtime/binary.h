// Loaded kernel binaries and their kernels, as the files that load and launch them share.
#pragma once
#include <memory>
#include <string>
#include <vector>
#include "acl/acl_rt.h"
#include "ferrata/binary.h"

namespace ferrata {
struct Binary;

// What an aclrtFuncHandle points to. It lives as long as its binary.
struct Function {
  const Binary *binary;
  const ListedKernel *kernel;
  std::string name; // as it was asked for
  bool keyed;       // launches get the tiling key `key`
  uint64_t key;
};

struct Binary {
  Binary() = default;
  Binary(const Binary &) = delete;
  Binary &operator=(const Binary &) = delete;
  ~Binary();
  void *library = nullptr;
  int file = -1; // that holds its bytes
  std::vector<const ListedKernel *> kernels;
  std::vector<std::unique_ptr<Function>> functions;
};

// The function behind a handle, or null when its binary is gone or the handle never was one.
const Function *find_function(void *handle);
} // namespace ferrata
