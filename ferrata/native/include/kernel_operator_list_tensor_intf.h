// ListTensorDesc and TensorDesc, by the name that some kernels include.
#pragma once
#include "kernel_operator.h"
