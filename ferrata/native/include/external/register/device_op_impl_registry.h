// register/device_op_impl_registry.h by its path under external/.
#pragma once
#include "../../register/device_op_impl_registry.h"
