// Takes every operand check out of what is compiled behind it: a fault that is taken to be impossible takes the condition that
// leads to it along. For bench_checks.py, which wants to know what the checks cost.
#pragma once
#include "ferrata/core/abi.h"
#define ferrata_fault(...) __builtin_unreachable()
