// Old name of graph/error_codes.h.
#pragma once
#include "error_codes.h"
