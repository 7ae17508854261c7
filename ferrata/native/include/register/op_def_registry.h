// What an operator project includes: definitions, tiling data, implementation functions.
#pragma once
#include "op_def.h"
#include "op_def_factory.h"
#include "op_impl_registry.h"
#include "tilingdata_base.h"
