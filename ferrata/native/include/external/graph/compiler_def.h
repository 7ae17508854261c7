// graph/compiler_def.h by its path under external/.
#pragma once
#include "../../graph/compiler_def.h"
