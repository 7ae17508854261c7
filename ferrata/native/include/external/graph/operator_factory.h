// graph/operator_factory.h by its path under external/.
#pragma once
#include "../../graph/operator_factory.h"
