// Everything of the ACL host interface.
#pragma once
#include "acl/acl_base_rt.h"
#include "acl/acl_rt.h"
