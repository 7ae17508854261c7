// register/op_def_factory.h by its path under external/.
#pragma once
#include "../../register/op_def_factory.h"
