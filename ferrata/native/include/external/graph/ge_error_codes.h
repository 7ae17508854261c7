// graph/ge_error_codes.h by its path under external/.
#pragma once
#include "../../graph/ge_error_codes.h"
