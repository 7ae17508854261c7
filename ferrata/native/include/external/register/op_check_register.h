// register/op_check_register.h by its path under external/.
#pragma once
#include "../../register/op_check_register.h"
