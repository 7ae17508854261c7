// Everything of the ACL host interface but the compiler (acl_rt_compile.h).
#pragma once
#include "acl/acl_base_rt.h"
#include "acl/acl_rt.h"
