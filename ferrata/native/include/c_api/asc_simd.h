// The C interface: functions on pointers into on-chip memory, overloaded by element type. Each builds the call that its
// counterpart in C++ builds; the form with repeats runs under the mask that is set. `_sync` twins also wait until the
// instruction is complete.
#pragma once
#include "kernel_operator.h"
#include "c_api/asc_types.h"
#include "c_api/asc_compute.h"
#include "c_api/asc_convert.h"
#include "c_api/asc_move.h"
#include "c_api/asc_select.h"
#include "c_api/asc_system.h"
