// Tiling of batches of matrix products: the same classes.
#pragma once
#include "lib/matmul/matmul_tiling.h"
