// ACL: kernel binaries. A binary is a shared library of the driver in which every kernel registers itself
// (ferrata/binary.h). Loading maps it and keeps what registered; a function is found by its name, its symbol, a lowered
// name, or a tiling key. Holds state: the loaded binaries.
#include "binary.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include "acl_state.h"

namespace ferrata {
Binary::~Binary() {
  if (library)
    dlclose(library);
  if (file >= 0)
    close(file);
}

namespace {
struct Loaded {
  std::mutex mutex;
  std::vector<std::unique_ptr<Binary>> binaries;
};
Loaded &loaded() {
  static Loaded *const all = new Loaded; // programs may still launch while the process ends
  return *all;
}

// Of the library that this thread is loading; null: nobody asks (a program may link such a library).
thread_local std::vector<const ListedKernel *> *arriving;

Binary *find(void *handle) {
  for (const auto &binary : loaded().binaries)
    if (binary.get() == handle)
      return binary.get();
  return nullptr;
}

int check_options(const char *function, const aclrtBinaryLoadOptions *options) {
  if (!options)
    return ACL_SUCCESS;
  if (options->numOpt && !options->options)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, function, "options is null and numOpt is not 0");
  for (size_t i = 0; i < options->numOpt; ++i) {
    const auto &option = options->options[i];
    switch (option.type) {
    case ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD:
    case ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE:
      break;
    case ACL_RT_BINARY_LOAD_OPT_MAGIC:
      if (option.value.magic == ACL_RT_BINARY_MAGIC_ELF_AICORE ||
          option.value.magic == ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE ||
          option.value.magic == ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE)
        break;
      return acl_error(ACL_ERROR_RT_PARAM_INVALID, function, "the option magic is none of ACL_RT_BINARY_MAGIC_ELF_*");
    default:
      return acl_error(ACL_ERROR_RT_PARAM_INVALID, function,
                       "there is no load option of type " + std::to_string(option.type));
    }
  }
  return ACL_SUCCESS;
}

// `file` stays open as long as the binary: the loader knows libraries by their paths, so no other one may get this
// path.
int load(const char *function, int file, aclrtBinHandle *handle) {
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  auto binary = std::make_unique<Binary>();
  binary->file = file;
  arriving = &binary->kernels;
  binary->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  arriving = nullptr;
  if (!binary->library)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, function, std::string("this is no kernel binary: ") + dlerror());
  if (binary->kernels.empty()) {
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, function,
                     "the binary has no kernels; a binary is made by aclrtcCompileProg or by "
                     "`bisheng --cce-aicore-only`, and a template needs aclrtcAddNameExpr");
  }
  std::lock_guard<std::mutex> lock(loaded().mutex);
  *handle = binary.get();
  loaded().binaries.push_back(std::move(binary));
  return ACL_SUCCESS;
}

// The kernel that has this name, or whose symbol or lowered name it is.
const ListedKernel *kernel_named(const Binary &binary, const char *name) {
  for (const ListedKernel *kernel : binary.kernels)
    if (strcmp(kernel->name, name) == 0)
      return kernel;
  void *symbol = dlsym(binary.library, name);
  if (symbol && strncmp(name, "ferrata_name_expression_", 24) == 0) // of a kernel that has no symbol of its own
    symbol = reinterpret_cast<void *(*)()>(symbol)();
  for (const ListedKernel *kernel : binary.kernels)
    if (symbol && kernel->kernel == symbol)
      return kernel;
  return nullptr;
}

std::string names(const Binary &binary) {
  std::string text;
  for (const ListedKernel *kernel : binary.kernels)
    text += (text.empty() ? "" : ", ") + std::string(kernel->name);
  return text;
}
} // namespace

const Function *find_function(void *handle) {
  std::lock_guard<std::mutex> lock(loaded().mutex);
  for (const auto &binary : loaded().binaries)
    for (const auto &function : binary->functions)
      if (function.get() == handle)
        return function.get();
  return nullptr;
}
} // namespace ferrata

using namespace ferrata;

void ferrata_list_kernel(const ListedKernel *kernel) {
  if (arriving)
    arriving->push_back(kernel);
}

aclError aclrtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *options,
                                 aclrtBinHandle *handle) {
  constexpr const char *name = "aclrtBinaryLoadFromData";
  if (!data || !length || !handle)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, name, "data or binHandle is null, or length is 0");
  if (int code = check_options(name, options))
    return code;
  const int file = memfd_create("ferrata-kernel-binary", MFD_CLOEXEC);
  size_t written = 0;
  while (file >= 0 && written < length) {
    const ssize_t n = write(file, static_cast<const char *>(data) + written, length - written);
    if (n <= 0)
      break;
    written += static_cast<size_t>(n);
  }
  if (file < 0 || written < length) {
    if (file >= 0)
      close(file);
    return acl_error(ACL_ERROR_RT_MEMORY_ALLOCATION, name, "no memory for the binary");
  }
  return load(name, file, handle);
}

aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options, aclrtBinHandle *handle) {
  constexpr const char *name = "aclrtBinaryLoadFromFile";
  if (!binPath || !handle)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, name, "binPath or binHandle is null");
  if (int code = check_options(name, options))
    return code;
  // by content, not by path: a file that was loaded before and has changed since is another binary
  FILE *file = fopen(binPath, "rb");
  if (!file)
    return acl_error(ACL_ERROR_RT_FILE_OPEN, name, std::string("cannot read ") + binPath);
  std::string bytes;
  char part[65536];
  for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;)
    bytes.append(part, n);
  fclose(file);
  if (bytes.empty())
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, name, std::string(binPath) + " is empty");
  return aclrtBinaryLoadFromData(bytes.data(), bytes.size(), options, handle);
}

aclError aclrtBinaryUnLoad(aclrtBinHandle handle) {
  std::unique_ptr<Binary> binary; // unloaded without the lock: its destructors may do anything
  {
    std::lock_guard<std::mutex> lock(loaded().mutex);
    auto &all = loaded().binaries;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto &one) { return one.get() == handle; });
    if (found == all.end())
      return acl_error(ACL_ERROR_RT_INVALID_HANDLE, "aclrtBinaryUnLoad", "not a loaded binary");
    binary = std::move(*found);
    all.erase(found);
  }
  return ACL_SUCCESS;
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle handle, const char *kernelName, aclrtFuncHandle *funcHandle) {
  constexpr const char *name = "aclrtBinaryGetFunction";
  if (!kernelName || !funcHandle)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, name, "kernelName or funcHandle is null");
  std::lock_guard<std::mutex> lock(loaded().mutex);
  Binary *binary = find(handle);
  if (!binary)
    return acl_error(ACL_ERROR_RT_INVALID_HANDLE, name, "not a loaded binary");
  const ListedKernel *kernel = kernel_named(*binary, kernelName);
  if (!kernel)
    return acl_error(ACL_ERROR_RT_KERNEL_LOOKUP, name,
                     std::string("the binary has no kernel '") + kernelName + "'; it has " + names(*binary));
  binary->functions.push_back(std::make_unique<Function>(Function{binary, kernel, kernelName, false, 0}));
  *funcHandle = binary->functions.back().get();
  return ACL_SUCCESS;
}

aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle handle, uint64_t funcEntry, aclrtFuncHandle *funcHandle) {
  constexpr const char *name = "aclrtBinaryGetFunctionByEntry";
  if (!funcHandle)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, name, "funcHandle is null");
  std::lock_guard<std::mutex> lock(loaded().mutex);
  Binary *binary = find(handle);
  if (!binary)
    return acl_error(ACL_ERROR_RT_INVALID_HANDLE, name, "not a loaded binary");
  // One kernel serves every key (the instances of a template are called k<...>); of several, the one whose name ends
  // with the key.
  const ListedKernel *kernel = nullptr;
  size_t whole = 0;
  for (const ListedKernel *one : binary->kernels)
    if (!strchr(one->name, '<')) {
      kernel = one;
      ++whole;
    }
  if (whole != 1)
    kernel = nullptr;
  const std::string suffix = "_" + std::to_string(funcEntry);
  for (const ListedKernel *one : binary->kernels) {
    const std::string text = one->name;
    if (!kernel && text.size() > suffix.size() && text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0)
      kernel = one;
  }
  if (!kernel)
    return acl_error(ACL_ERROR_RT_KERNEL_LOOKUP, name,
                     "the binary has several kernels and none is called ..." + suffix + "; it has " + names(*binary));
  binary->functions.push_back(std::make_unique<Function>(Function{binary, kernel, kernel->name, true, funcEntry}));
  *funcHandle = binary->functions.back().get();
  return ACL_SUCCESS;
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr) {
  constexpr const char *name = "aclrtGetFunctionAddr";
  if (!aicAddr || !aivAddr)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, name, "aicAddr or aivAddr is null");
  const Function *function = find_function(funcHandle);
  if (!function)
    return acl_error(ACL_ERROR_RT_INVALID_HANDLE, name, "not a function of a loaded binary");
  const ListedKernel &kernel = *function->kernel;
  *aicAddr = kernel.kind == Kind::vector ? nullptr : kernel.kernel;
  *aivAddr = kernel.kind == Kind::cube ? nullptr : kernel.kernel;
  return ACL_SUCCESS;
}
