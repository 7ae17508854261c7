// Old name of runtime_tensor.h.
#pragma once
#include "runtime_tensor.h"
