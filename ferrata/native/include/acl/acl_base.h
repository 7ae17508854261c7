// Older name of acl_base_rt.h.
#pragma once
#include "acl/acl_base_rt.h"
