// Old name of op_impl_registry.h.
#pragma once
#include "op_impl_registry.h"
