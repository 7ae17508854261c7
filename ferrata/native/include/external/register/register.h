// register/register.h by its path under external/.
#pragma once
#include "../../register/register.h"
