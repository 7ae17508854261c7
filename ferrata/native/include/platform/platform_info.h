// Old name of platform_infos_def.h.
#pragma once
#include "platform_infos_def.h"
