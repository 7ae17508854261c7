// register/register_types.h by its path under external/.
#pragma once
#include "../../register/register_types.h"
