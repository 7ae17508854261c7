// The data types and formats for C callers.
#pragma once
#include "types.h"
