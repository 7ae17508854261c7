// graph/graph.h by its path under external/.
#pragma once
#include "../../graph/graph.h"
