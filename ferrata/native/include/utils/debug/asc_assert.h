// assert of device code. Include it after <cassert>: it replaces the macro.
#pragma once
#include <assert.h>
#include "ferrata/asc.h"
#include "ferrata/core/debug.h"

#undef assert
#define assert(...) ascendc_assert(__VA_ARGS__)
