// Streams and errors of the host runtime, as the launch scheduler sees them.
#pragma once
#include <string>

namespace ferrata {
void set_stream_error(void *stream, int code, const std::string &message);
void clear_stream_errors();
} // namespace ferrata
