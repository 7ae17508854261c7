// DumpTensor and DumpAccChkPoint; also part of kernel_operator.h.
#pragma once
#include "ferrata/asc.h"
#include "ferrata/core/debug.h"
