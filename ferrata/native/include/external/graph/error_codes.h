// graph/error_codes.h by its path under external/.
#pragma once
#include "../../graph/error_codes.h"
