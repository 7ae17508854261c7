// Operator definitions by type.
#pragma once
#include "op_def.h"
