// Compiler attributes that authors' code names, and the visibility of everything that lives in libgert.
#pragma once

#define FERRATA_GE_API __attribute__((visibility("default")))
#define GE_FUNC_VISIBILITY FERRATA_GE_API
#ifndef VAR_UNUSED
#define VAR_UNUSED __attribute__((unused))
#endif
