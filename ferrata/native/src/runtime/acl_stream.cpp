// ACL: streams and events. Work has always finished by the time these are asked.
#include <time.h>
#include "acl/acl.h"
#include "acl_state.h"
#include "ferrata/runtime.h"

namespace ferrata {
Stream *find_stream(void *handle) {
  if (!handle)
    return current_context() ? current_context()->default_stream : nullptr;
  Stream *stream = static_cast<Stream *>(handle);
  return host().streams.count(stream) ? stream : nullptr;
}

namespace {
struct EventState {
  uint32_t flags;
  bool recorded;
  int64_t nanoseconds;
};

int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int no_stream(const char *function, void *handle) {
  if (!handle)
    return acl_error(ACL_ERROR_RT_CONTEXT_NULL, function, "this thread has no context; call aclrtSetDevice");
  return acl_error(ACL_ERROR_RT_INVALID_HANDLE, function, "not a live stream");
}

int check_stream(const char *function, void *handle) {
  std::lock_guard<std::mutex> lock(host().mutex);
  return find_stream(handle) ? ACL_SUCCESS : no_stream(function, handle);
}
} // namespace
} // namespace ferrata

using namespace ferrata;

void *ferrata_default_stream(void) {
  std::lock_guard<std::mutex> lock(host().mutex);
  if (Context *context = current_context())
    return context->default_stream;
  if (!host().device_context)
    host().device_context = new_context(0, true);
  return host().device_context->default_stream;
}

aclError aclrtCreateStream(aclrtStream *stream) { return aclrtCreateStreamWithConfig(stream, 0, 0); }

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t, uint32_t flag) {
  if (!stream)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtCreateStream", "stream is null");
  if (!current_context())
    return acl_error(ACL_ERROR_RT_CONTEXT_NULL, "aclrtCreateStream", "this thread has no context; call aclrtSetDevice");
  std::lock_guard<std::mutex> lock(host().mutex);
  Stream *created = new Stream{current_context(), 0, {}, flag};
  host().streams.insert(created);
  *stream = created;
  return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream handle) {
  std::lock_guard<std::mutex> lock(host().mutex);
  Stream *stream = static_cast<Stream *>(handle);
  if (!stream || !host().streams.count(stream) || stream == stream->context->default_stream)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtDestroyStream", "not a stream of aclrtCreateStream");
  host().streams.erase(stream);
  delete stream;
  return ACL_SUCCESS;
}

aclError aclrtDestroyStreamForce(aclrtStream stream) { return aclrtDestroyStream(stream); }

aclError aclrtSynchronizeStream(aclrtStream handle) { return aclrtSynchronizeStreamWithTimeout(handle, -1); }

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream handle, int32_t timeout) {
  if (timeout < -1)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtSynchronizeStreamWithTimeout",
                     "timeout must be -1 or milliseconds");
  std::lock_guard<std::mutex> lock(host().mutex);
  Stream *stream = find_stream(handle);
  return stream ? take_stream_error(*stream, "aclrtSynchronizeStream") : no_stream("aclrtSynchronizeStream", handle);
}

aclError aclrtSynchronizeDevice(void) { return aclrtSynchronizeDeviceWithTimeout(-1); }

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  if (timeout < -1)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtSynchronizeDeviceWithTimeout",
                     "timeout must be -1 or milliseconds");
  if (!current_context())
    return acl_error(ACL_ERROR_RT_CONTEXT_NULL, "aclrtSynchronizeDevice",
                     "this thread has no context; call aclrtSetDevice");
  std::lock_guard<std::mutex> lock(host().mutex);
  return take_all_errors("aclrtSynchronizeDevice");
}

aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus *status) {
  if (!status)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtStreamQuery", "status is null");
  if (int code = check_stream("aclrtStreamQuery", handle))
    return code;
  *status = ACL_STREAM_STATUS_COMPLETE;
  return ACL_SUCCESS;
}

aclError aclrtSetStreamResLimit(aclrtStream handle, aclrtDevResLimitType, uint32_t) {
  return check_stream("aclrtSetStreamResLimit", handle);
}

// --- events ---
aclError aclrtCreateEvent(aclrtEvent *event) {
  return aclrtCreateEventWithFlag(event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag) {
  if (!event)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtCreateEvent", "event is null");
  *event = new EventState{flag, false, 0};
  return ACL_SUCCESS;
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag) { return aclrtCreateEventWithFlag(event, flag); }

aclError aclrtDestroyEvent(aclrtEvent event) {
  if (!event)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtDestroyEvent", "event is null");
  delete static_cast<EventState *>(event);
  return ACL_SUCCESS;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  if (!event)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtRecordEvent", "event is null");
  if (int code = check_stream("aclrtRecordEvent", stream))
    return code;
  EventState *state = static_cast<EventState *>(event);
  state->recorded = true;
  state->nanoseconds = now();
  return ACL_SUCCESS;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  if (!event)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtResetEvent", "event is null");
  if (int code = check_stream("aclrtResetEvent", stream))
    return code;
  static_cast<EventState *>(event)->recorded = false;
  return ACL_SUCCESS;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  if (!event)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtStreamWaitEvent", "event is null");
  return check_stream("aclrtStreamWaitEvent", stream);
}

aclError aclrtSynchronizeEvent(aclrtEvent event) { return aclrtSynchronizeEventWithTimeout(event, -1); }

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  if (!event || timeout < -1)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtSynchronizeEvent",
                     event ? "timeout must be -1 or milliseconds" : "event is null");
  return ACL_SUCCESS;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status) {
  if (!event || !status)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtQueryEventStatus", event ? "status is null" : "event is null");
  *status = static_cast<EventState *>(event)->recorded ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                                                       : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  if (!ms || !startEvent || !endEvent)
    return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtEventElapsedTime", "an argument is null");
  const EventState *start = static_cast<EventState *>(startEvent), *end = static_cast<EventState *>(endEvent);
  if (!(start->flags & ACL_EVENT_TIME_LINE) || !(end->flags & ACL_EVENT_TIME_LINE))
    return acl_error(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "aclrtEventElapsedTime",
                     "both events need the flag ACL_EVENT_TIME_LINE");
  if (!start->recorded || !end->recorded)
    return acl_error(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "aclrtEventElapsedTime",
                     "both events must have been recorded");
  if (end->nanoseconds < start->nanoseconds)
    return acl_error(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, "aclrtEventElapsedTime",
                     "the end event was recorded before the start event");
  *ms = static_cast<float>(static_cast<double>(end->nanoseconds - start->nanoseconds) / 1e6);
  return ACL_SUCCESS;
}
