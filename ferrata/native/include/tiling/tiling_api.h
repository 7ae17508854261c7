// Host side of tiling: the chip's facts, tiling data classes, template keys, and the names of matmul tiling.
#pragma once
#include "ferrata/template_keys.h"
#include "lib/matmul/matmul_tiling.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tmp_sizes.h"
