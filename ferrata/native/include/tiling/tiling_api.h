// Host side of tiling: the chip's facts, tiling data classes and template keys.
#pragma once
#include "ferrata/template_keys.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tmp_sizes.h"
