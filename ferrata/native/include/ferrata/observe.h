// Who watches kernel launches: the torch device shows them to torch.profiler (src/device/profile.cpp).
#pragma once
#include "ferrata/runtime.h"

typedef struct {
  void *(*begin)(const char *kernel, int64_t blocks); // null: this launch is not watched
  void (*end)(void *begun);
} ferrata_launch_observer_t;
// The observer of all later launches of this process, in the thread that launches; null takes it away. It must live on.
FERRATA_API void ferrata_set_launch_observer(const ferrata_launch_observer_t *observer);
