// Checks of operator definitions by type; recorded in the definitions themselves.
#pragma once
#include "op_def.h"
