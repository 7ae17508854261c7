// exe_graph/runtime/storage_format.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/storage_format.h"
