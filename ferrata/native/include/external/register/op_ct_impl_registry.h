// register/op_ct_impl_registry.h by its path under external/.
#pragma once
#include "../../register/op_ct_impl_registry.h"
