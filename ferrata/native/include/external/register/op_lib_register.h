// register/op_lib_register.h by its path under external/.
#pragma once
#include "../../register/op_lib_register.h"
