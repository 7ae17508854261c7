// The basic API of Ascend C. Light on purpose: no standard library, and what can be compiled once lives in the library.
#pragma once
#include "ferrata/asc.h"
#include "ferrata/core/cross.h"
#include "ferrata/core/debug.h"
#include "ferrata/core/dequant.h"
#include "ferrata/core/gather.h"
#include "ferrata/core/layout.h"
#include "ferrata/core/list.h"
#include "ferrata/core/move.h"
#include "ferrata/core/pool.h"
#include "ferrata/core/sort.h"
#include "ferrata/core/tiling.h"
#include "ferrata/core/trait.h"
#include "ferrata/core/twin.h"
#include "ferrata/template_keys.h"

// A number that a field or parameter of 8 or 16 bits cannot hold is an error, not a warning, in the code that follows.
#pragma GCC diagnostic error "-Woverflow"
