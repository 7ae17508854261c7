// ge/ge_allocator.h by its path under external/.
#pragma once
#include "../../ge/ge_allocator.h"
