// Where headers that host and kernel share look for ASCENDC_TPL_*.
#pragma once
#include "ferrata/template_keys.h"
