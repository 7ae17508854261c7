// ACL: launching a kernel of a binary, with its arguments as an array of pointers, an image, or a list.
#include <string.h>
#include <deque>
#include "acl_state.h"
#include "binary.h"
#include "fault.h"
#include "ferrata/runtime.h"

namespace ferrata {
namespace {
// What an aclrtArgsHandle points to. Nothing ends one, so the oldest goes when there are many.
constexpr size_t most_lists = 1024;
struct ArgumentList {
  void *function; // its handle
  std::vector<std::vector<uint8_t>> values;
  bool closed = false;
};
struct Lists {
  std::mutex mutex;
  std::deque<std::unique_ptr<ArgumentList>> all;
};
Lists &lists() {
  static Lists *const state = new Lists;
  return *state;
}
ArgumentList *find_list(void *handle) {
  for (const auto &list : lists().all)
    if (list.get() == handle)
      return list.get();
  return nullptr;
}

// The attributes of a launch that change it here.
struct Attributes {
  uint64_t dynamic_ub = 0;
  int mode = 0; // ferrata_set_kernel_mode
};

int read(const char *function, const aclrtLaunchKernelCfg *cfg, Attributes &out) {
  if (!cfg)
    return ACL_SUCCESS;
  if (cfg->numAttrs && !cfg->attrs)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, function, "cfg has attributes and no array of them");
  for (size_t i = 0; i < cfg->numAttrs; ++i) {
    const aclrtLaunchKernelAttr &attribute = cfg->attrs[i];
    switch (attribute.id) {
    case ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE:
      out.dynamic_ub = attribute.value.dynUBufSize;
      break;
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE:
      out.mode = attribute.value.engineType == ACL_RT_ENGINE_TYPE_AIC ? 1 : 2;
      break;
    case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE: // all cores of a launch are there at once
      if (attribute.value.schemMode > 1)
        return acl_error(ACL_ERROR_RT_PARAM_INVALID, function, "schemMode must be 0 or 1");
      break;
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET:
      if (attribute.value.blockDimOffset)
        return acl_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, function, "blockDimOffset other than 0 is not supported");
      break;
    case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
    case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT: // a kernel that cannot end is found as a deadlock
    case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US:
    case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
      break;
    default:
      return acl_error(ACL_ERROR_RT_PARAM_INVALID, function,
                       "there is no launch attribute " + std::to_string(attribute.id));
    }
  }
  return ACL_SUCCESS;
}

int check(const char *name, void *handle, uint32_t blocks, aclrtStream stream, const Function *&function) {
  function = find_function(handle);
  if (!function)
    return acl_error(ACL_ERROR_RT_INVALID_HANDLE, name, "not a function of a loaded binary");
  if (blocks < 1 || blocks > 65535)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, name, "numBlocks is " + std::to_string(blocks) + "; 1 to 65535");
  std::lock_guard<std::mutex> lock(host().mutex);
  if (find_stream(stream))
    return ACL_SUCCESS;
  return stream ? acl_error(ACL_ERROR_RT_INVALID_HANDLE, name, "not a live stream")
                : acl_error(ACL_ERROR_RT_CONTEXT_NULL, name, "this thread has no context; call aclrtSetDevice");
}

// The arguments are copied before each core reads them: the caller may change its own as soon as this returns.
int launch(const char *name, const Function &function, uint32_t blocks, aclrtStream stream,
           const aclrtLaunchKernelCfg *cfg, void *const *arguments) {
  Attributes attributes;
  if (int code = read(name, cfg, attributes))
    return code;
  struct Body {
    const ListedKernel *kernel;
    void *const *arguments;
  } body{function.kernel, arguments};
  struct Settings { // of this launch
    const bool keyed, engine;
    Settings(const Function &function, int mode) : keyed(function.keyed), engine(mode != 0) {
      faults_are_kept = true;
      if (keyed)
        ferrata_set_tiling_key(function.key);
      if (engine)
        ferrata_set_kernel_mode(mode);
    }
    ~Settings() {
      faults_are_kept = false;
      if (keyed)
        ferrata_set_tiling_key(0);
      if (engine)
        ferrata_set_kernel_mode(0);
    }
  };
  const Settings settings(function, attributes.mode);
  const LaunchInfo info{function.kernel->name, blocks, attributes.dynamic_ub, stream, {nullptr, 0}};
  ferrata_launch(
      &info,
      [](void *self) {
        const Body &mine = *static_cast<Body *>(self);
        mine.kernel->call(mine.kernel->kernel, mine.arguments);
      },
      &body);
  return ACL_SUCCESS;
}

// Where the arguments lie in an image of `size` bytes, each at its natural alignment.
int spread(const char *name, const ListedKernel &kernel, const void *image, size_t size, std::vector<void *> &out) {
  size_t at = 0;
  for (uint32_t i = 0; i < kernel.count; ++i) {
    const ListedArgument &argument = kernel.arguments[i];
    at = (at + argument.align - 1) / argument.align * argument.align;
    out.push_back(const_cast<uint8_t *>(static_cast<const uint8_t *>(image) + at));
    at += argument.bytes;
  }
  if (at > size || (at && !image))
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, name,
                     "the arguments of " + std::string(kernel.name) + " need " + std::to_string(at) + " bytes and " +
                         std::to_string(image ? size : 0) + " are given");
  return ACL_SUCCESS;
}
} // namespace
} // namespace ferrata

using namespace ferrata;

aclError aclrtLaunchKernel(aclrtFuncHandle func, uint32_t numBlocks, const void *argsData, size_t argsSize,
                           aclrtStream stream) {
  return aclrtLaunchKernelV2(func, numBlocks, argsData, argsSize, nullptr, stream);
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle func, uint32_t numBlocks, const void *argsData, size_t argsSize,
                             aclrtLaunchKernelCfg *cfg, aclrtStream stream) {
  constexpr const char *name = "aclrtLaunchKernel";
  const Function *function = nullptr;
  if (int code = check(name, func, numBlocks, stream, function))
    return code;
  std::vector<void *> arguments;
  if (int code = spread(name, *function->kernel, argsData, argsSize, arguments))
    return code;
  return launch(name, *function, numBlocks, stream, cfg, arguments.data());
}

aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                        void **args) {
  constexpr const char *name = "aclrtLaunchKernelWithArgsArray";
  const Function *function = nullptr;
  if (int code = check(name, func, numBlocks, stream, function))
    return code;
  for (uint32_t i = 0; i < function->kernel->count; ++i)
    if (!args || !args[i])
      return acl_error(ACL_ERROR_RT_PARAM_INVALID, name,
                       "argument " + std::to_string(i) + " of " + function->kernel->name + " has no address");
  return launch(name, *function, numBlocks, stream, cfg, args);
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle func, uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo *placeHolders, size_t placeHolderNum) {
  constexpr const char *name = "aclrtLaunchKernelWithHostArgs";
  const Function *function = nullptr;
  if (int code = check(name, func, numBlocks, stream, function))
    return code;
  if ((placeHolderNum && !placeHolders) || (argsSize && !hostArgs))
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, name, "hostArgs or placeHolderArray is null");
  // data behind the arguments is read by the kernel, so the image lies in device memory
  const std::unique_ptr<uint8_t, void (*)(uint8_t *)> block(static_cast<uint8_t *>(ferrata_gm_alloc(argsSize)),
                                                            [](uint8_t *p) { ferrata_gm_free(p); });
  uint8_t *image = block.get();
  if (!image)
    return acl_error(ACL_ERROR_RT_MEMORY_ALLOCATION, name, "no device memory for the arguments");
  if (argsSize)
    memcpy(image, hostArgs, argsSize);
  int code = ACL_SUCCESS;
  for (size_t i = 0; i < placeHolderNum && !code; ++i) {
    const aclrtPlaceHolderInfo &place = placeHolders[i];
    if (place.addrOffset + sizeof(void *) > argsSize || place.dataOffset > argsSize) {
      code = acl_error(ACL_ERROR_RT_PARAM_INVALID, name,
                       "placeholder " + std::to_string(i) + " lies outside the " + std::to_string(argsSize) +
                           " bytes of the arguments");
    } else {
      const uint8_t *data = image + place.dataOffset;
      memcpy(image + place.addrOffset, &data, sizeof data);
    }
  }
  std::vector<void *> arguments;
  if (!code)
    code = spread(name, *function->kernel, image, argsSize, arguments);
  return code ? code : launch(name, *function, numBlocks, stream, cfg, arguments.data());
}

aclError aclrtKernelArgsInit(aclrtFuncHandle func, aclrtArgsHandle *argsHandle) {
  constexpr const char *name = "aclrtKernelArgsInit";
  if (!argsHandle)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, name, "argsHandle is null");
  if (!find_function(func))
    return acl_error(ACL_ERROR_RT_INVALID_HANDLE, name, "not a function of a loaded binary");
  std::lock_guard<std::mutex> lock(lists().mutex);
  if (lists().all.size() >= most_lists)
    lists().all.pop_front();
  lists().all.push_back(std::make_unique<ArgumentList>());
  lists().all.back()->function = func;
  *argsHandle = lists().all.back().get();
  return ACL_SUCCESS;
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize,
                               aclrtParamHandle *paramHandle) {
  constexpr const char *name = "aclrtKernelArgsAppend";
  std::lock_guard<std::mutex> lock(lists().mutex);
  ArgumentList *list = find_list(argsHandle);
  if (!list || list->closed)
    return acl_error(ACL_ERROR_RT_INVALID_HANDLE, name,
                     list ? "the list is closed by aclrtKernelArgsFinalize" : "not a list of aclrtKernelArgsInit");
  if (!param)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, name, "param is null");
  const Function *function = find_function(list->function);
  if (!function)
    return acl_error(ACL_ERROR_RT_INVALID_HANDLE, name, "the binary of the list's function is unloaded");
  const ListedKernel &kernel = *function->kernel;
  const size_t index = list->values.size();
  if (index >= kernel.count || paramSize != kernel.arguments[index].bytes)
    return acl_error(
        ACL_ERROR_RT_PARAM_INVALID, name,
        index >= kernel.count
            ? std::string(kernel.name) + " has " + std::to_string(kernel.count) + " arguments and all are given"
            : "argument " + std::to_string(index) + " of " + kernel.name + " has " +
                  std::to_string(kernel.arguments[index].bytes) + " bytes, not " + std::to_string(paramSize));
  const auto *bytes = static_cast<const uint8_t *>(param);
  list->values.emplace_back(bytes, bytes + paramSize);
  if (paramHandle)
    *paramHandle = list->values.back().data();
  return ACL_SUCCESS;
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle) {
  constexpr const char *name = "aclrtKernelArgsFinalize";
  std::lock_guard<std::mutex> lock(lists().mutex);
  ArgumentList *list = find_list(argsHandle);
  if (!list || list->closed)
    return acl_error(ACL_ERROR_RT_INVALID_HANDLE, name,
                     list ? "the list is closed already" : "not a list of aclrtKernelArgsInit");
  const Function *function = find_function(list->function);
  if (!function)
    return acl_error(ACL_ERROR_RT_INVALID_HANDLE, name, "the binary of the list's function is unloaded");
  const ListedKernel &kernel = *function->kernel;
  if (list->values.size() != kernel.count)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, name,
                     std::string(kernel.name) + " has " + std::to_string(kernel.count) + " arguments and " +
                         std::to_string(list->values.size()) + " are given");
  list->closed = true;
  return ACL_SUCCESS;
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle func, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve) {
  constexpr const char *name = "aclrtLaunchKernelWithConfig";
  const Function *function = nullptr;
  if (int code = check(name, func, numBlocks, stream, function))
    return code;
  if (reserve)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, name, "reserve must be null");
  std::vector<std::vector<uint8_t>> values; // another thread may make the list go
  {
    std::lock_guard<std::mutex> lock(lists().mutex);
    ArgumentList *list = find_list(argsHandle);
    if (!list || !list->closed)
      return acl_error(ACL_ERROR_RT_INVALID_HANDLE, name,
                       list ? "close the list with aclrtKernelArgsFinalize first" : "not a list of arguments");
    if (list->function != func)
      return acl_error(ACL_ERROR_RT_PARAM_INVALID, name, "the list was made for another function handle");
    values = list->values;
  }
  std::vector<void *> arguments;
  for (auto &value : values)
    arguments.push_back(value.data());
  return launch(name, *function, numBlocks, stream, cfg, arguments.data());
}
