#include "acl_state.h"
#include "ferrata/runtime.h"
namespace ferrata {
void set_stream_error(void *, int, const std::string &) {}
void clear_stream_errors() {}
}
void *ferrata_default_stream(void) { return nullptr; }
