// register/op_impl_registry.h by its path under external/.
#pragma once
#include "../../register/op_impl_registry.h"
