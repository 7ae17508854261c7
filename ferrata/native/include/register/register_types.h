// Kinds of implementation and front ends.
#pragma once
#include "../graph/compiler_def.h"

namespace domi {

enum class ImplyType : unsigned int {
  BUILTIN = 0,
  BUILDIN = 0,
  TVM = 1,
  CUSTOM = 2,
  AI_CPU = 3,
  CCE = 4,
  GELOCAL = 5,
  HCCL = 6,
  INVALID = 4294967295U,
};

enum FrameworkType : unsigned int {
  CAFFE = 0,
  MINDSPORE = 1,
  TENSORFLOW = 3,
  ANDROID_NN = 4,
  ONNX = 5,
  FRAMEWORK_RESERVED = 6,
};

} // namespace domi
