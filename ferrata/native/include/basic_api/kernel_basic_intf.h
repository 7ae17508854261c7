// The basic interfaces of kernels, under the name that lists them alone.
#pragma once
#include "kernel_operator.h"
