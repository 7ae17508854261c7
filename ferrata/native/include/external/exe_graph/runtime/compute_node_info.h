// exe_graph/runtime/compute_node_info.h by its path under external/.
#pragma once
#include "../../../exe_graph/runtime/compute_node_info.h"
