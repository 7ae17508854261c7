// The same header by its other name.
#pragma once
#include "lib/matmul_intf.h"
