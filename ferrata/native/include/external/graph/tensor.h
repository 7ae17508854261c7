// graph/tensor.h by its path under external/.
#pragma once
#include "../../graph/tensor.h"
