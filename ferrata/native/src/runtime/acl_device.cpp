// ACL: initialisation, devices, contexts, errors. One device, number 0.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include "acl/acl.h"
#include "acl_state.h"
#include "print.h"
#include "ferrata/runtime.h"

namespace ferrata {
namespace {
thread_local Context *thread_context;
thread_local int last_error;
thread_local std::string recent_message, returned_message;
} // namespace

Host &host() {
  static Host *const state = new Host; // outlives every thread
  return *state;
}

const Chip &device_chip() {
  static const Chip &found = []() -> const Chip & {
    const char *arch = getenv("FERRATA_NPU_ARCH");
    for (const Chip &chip : chips)
      if (arch && strcmp(arch, chip.arch) == 0)
        return chip;
    return chips[0];
  }();
  return found;
}

int acl_error(int code, const char *function, const std::string &text) {
  last_error = code;
  recent_message = std::string(function) + ": " + text + " (error " + std::to_string(code) + ")";
  return code;
}

Context *current_context() { return thread_context; }

Context *new_context(int32_t device, bool is_default) {
  Context *context = new Context{device, nullptr, is_default};
  context->default_stream = new Stream{context, 0, {}, 0};
  host().contexts.insert(context);
  host().streams.insert(context->default_stream);
  return context;
}

void delete_context(Context *context) {
  for (auto it = host().streams.begin(); it != host().streams.end();) {
    if ((*it)->context != context) {
      ++it;
      continue;
    }
    delete *it;
    it = host().streams.erase(it);
  }
  host().contexts.erase(context);
  if (thread_context == context)
    thread_context = nullptr;
  delete context;
}

void set_stream_error(void *handle, int code, const std::string &message) {
  std::lock_guard<std::mutex> lock(host().mutex);
  last_error = code;
  recent_message = message;
  Stream *stream = static_cast<Stream *>(handle);
  if (!stream || !host().streams.count(stream))
    stream = thread_context          ? thread_context->default_stream
             : host().device_context ? host().device_context->default_stream
                                     : nullptr;
  if (!stream)
    host().orphan_errors.emplace_back(code, message);
  else if (!stream->error) {
    stream->error = code;
    stream->message = message;
  }
}

void clear_stream_errors() {
  std::lock_guard<std::mutex> lock(host().mutex);
  for (Stream *stream : host().streams)
    stream->error = 0;
  host().orphan_errors.clear();
}

int take_stream_error(Stream &stream, const char *function) {
  int code = stream.error;
  stream.error = 0;
  return code ? acl_error(code, function, stream.message) : ACL_SUCCESS;
}

int take_all_errors(const char *function) {
  int first = ACL_SUCCESS;
  std::string message;
  for (const auto &orphan : host().orphan_errors)
    if (!first) {
      first = orphan.first;
      message = orphan.second;
    }
  host().orphan_errors.clear();
  for (Stream *stream : host().streams) {
    if (stream->error && !first) {
      first = stream->error;
      message = stream->message;
    }
    stream->error = 0;
  }
  return first ? acl_error(first, function, message) : ACL_SUCCESS;
}
} // namespace ferrata

using namespace ferrata;

namespace {
int bad_device(const char *function, int64_t device) {
  return acl_error(ACL_ERROR_RT_INVALID_DEVICEID, function,
                   "device " + std::to_string(device) + " does not exist; there is device 0");
}

// The configuration file holds one JSON object; the only key with an effect is the size limit of one print.
int read_config(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return acl_error(ACL_ERROR_INVALID_FILE, "aclInit", std::string("cannot read ") + path);
  std::string text;
  char part[4096];
  for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;)
    text.append(part, n);
  fclose(file);
  size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  if (first == std::string::npos)
    return ACL_SUCCESS;
  if (text[first] != '{' || text[last] != '}')
    return acl_error(ACL_ERROR_PARSE_FILE, "aclInit", std::string(path) + " is not a JSON object");
  const char key[] = "\"simd_printf_fifo_size_per_core\"";
  size_t at = text.find(key);
  if (at != std::string::npos && (at = text.find(':', at)) != std::string::npos) {
    unsigned long long bytes = strtoull(text.c_str() + text.find_first_not_of(" \t\r\n\"", at + 1), nullptr, 10);
    if (bytes < 1024 || bytes > 64ull << 20)
      return acl_error(ACL_ERROR_INVALID_PARAM, "aclInit",
                       "simd_printf_fifo_size_per_core must be 1024 bytes to 64 MB");
    set_print_limit(static_cast<size_t>(bytes));
  }
  return ACL_SUCCESS;
}
} // namespace

aclError aclInit(const char *configPath) {
  std::lock_guard<std::mutex> lock(host().mutex);
  if (host().initialised)
    return acl_error(ACL_ERROR_REPEAT_INITIALIZE, "aclInit", "already initialised");
  if (configPath && *configPath)
    if (int code = read_config(configPath))
      return code;
  host().initialised = true;
  host().finalised = false;
  return ACL_SUCCESS;
}

aclError aclFinalize(void) {
  std::lock_guard<std::mutex> lock(host().mutex);
  if (host().finalised)
    return acl_error(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize", "already finalised");
  host().finalised = true;
  host().initialised = false;
  return ACL_SUCCESS;
}

const char *aclGetRecentErrMsg(void) {
  if (recent_message.empty())
    return nullptr;
  returned_message.swap(recent_message);
  recent_message.clear();
  return returned_message.c_str();
}

aclError aclrtSetDevice(int32_t device) {
  if (device != 0)
    return bad_device("aclrtSetDevice", device);
  std::lock_guard<std::mutex> lock(host().mutex);
  ++host().device_references;
  if (!host().device_context)
    host().device_context = new_context(0, true);
  thread_context = host().device_context;
  return ACL_SUCCESS;
}

static void release_device() {
  host().device_references = 0;
  host().orphan_errors.clear();
  if (Context *context = host().device_context) {
    delete_context(context);
    host().device_context = nullptr;
  }
}

aclError aclrtResetDevice(int32_t device) {
  if (device != 0)
    return bad_device("aclrtResetDevice", device);
  std::lock_guard<std::mutex> lock(host().mutex);
  if (host().device_references > 0 && --host().device_references == 0)
    release_device();
  return ACL_SUCCESS;
}

aclError aclrtResetDeviceForce(int32_t device) {
  if (device != 0)
    return bad_device("aclrtResetDeviceForce", device);
  std::lock_guard<std::mutex> lock(host().mutex);
  release_device();
  return ACL_SUCCESS;
}

aclError aclrtGetDevice(int32_t *device) {
  if (!device)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetDevice", "deviceId is null");
  if (!thread_context)
    return acl_error(ACL_ERROR_RT_CONTEXT_NULL, "aclrtGetDevice", "this thread has no context; call aclrtSetDevice");
  *device = thread_context->device;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t *count) {
  if (!count)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetDeviceCount", "count is null");
  *count = 1;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceInfo(uint32_t device, aclrtDevAttr attribute, int64_t *value) {
  if (device != 0)
    return bad_device("aclrtGetDeviceInfo", device);
  if (!value)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetDeviceInfo", "value is null");
  const Chip &chip = device_chip();
  switch (attribute) {
  case ACL_DEV_ATTR_AICPU_CORE_NUM:
    *value = 0;
    break;
  case ACL_DEV_ATTR_AICORE_CORE_NUM:
  case ACL_DEV_ATTR_CUBE_CORE_NUM:
    *value = chip.cube_cores;
    break;
  case ACL_DEV_ATTR_VECTOR_CORE_NUM:
    *value = chip.vector_cores;
    break;
  case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
    *value = chip.bytes[static_cast<int>(Memory::ub)];
    break;
  case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
    *value = static_cast<int64_t>(chip.memory);
    break;
  case ACL_DEV_ATTR_L2_CACHE_SIZE:
    *value = int64_t(192) << 20;
    break;
  case ACL_DEV_ATTR_IS_VIRTUAL:
    *value = 0;
    break;
  case ACL_DEV_ATTR_NPU_ARCH:
    *value = chip.npu_arch;
    break;
  default:
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetDeviceInfo",
                     "unknown attribute " + std::to_string(attribute));
  }
  return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode *mode) {
  if (!mode)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetRunMode", "runMode is null");
  *mode = ACL_HOST;
  return ACL_SUCCESS;
}

aclError aclrtCreateContext(aclrtContext *context, int32_t device) {
  if (!context)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtCreateContext", "context is null");
  if (device != 0)
    return bad_device("aclrtCreateContext", device);
  std::lock_guard<std::mutex> lock(host().mutex);
  thread_context = new_context(device, false);
  *context = thread_context;
  return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext handle) {
  std::lock_guard<std::mutex> lock(host().mutex);
  Context *context = static_cast<Context *>(handle);
  if (!context || !host().contexts.count(context) || context->is_default)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtDestroyContext", "not a context of aclrtCreateContext");
  delete_context(context);
  return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext handle) {
  std::lock_guard<std::mutex> lock(host().mutex);
  Context *context = static_cast<Context *>(handle);
  if (!context || !host().contexts.count(context))
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtSetCurrentContext", "not a live context");
  thread_context = context;
  return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext *context) {
  if (!context)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetCurrentContext", "context is null");
  if (!thread_context)
    return acl_error(ACL_ERROR_RT_CONTEXT_NULL, "aclrtGetCurrentContext",
                     "this thread has no context; call aclrtSetDevice");
  *context = thread_context;
  return ACL_SUCCESS;
}

aclError aclrtGetLastError(aclrtLastErrLevel) {
  int code = last_error;
  last_error = ACL_SUCCESS;
  return code;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel) { return last_error; }

const char *aclrtGetSocName(void) { return device_chip().soc; }

aclError aclrtGetVersion(int32_t *major, int32_t *minor, int32_t *patch) {
  if (!major || !minor || !patch)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetVersion", "an output is null");
  *major = 1;
  *minor = 15;
  *patch = 0;
  return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOut(uint32_t) { return ACL_SUCCESS; } // a kernel that cannot end is found as a deadlock

aclError aclrtGetHardwareSyncAddr(void **address) {
  if (!address)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetHardwareSyncAddr", "addr is null");
  static void *const block = ferrata_gm_alloc(4096);
  *address = block;
  return ACL_SUCCESS;
}
