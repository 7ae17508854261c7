// Compiles a kernel source at run time, loads it and launches its kernels in each way that the runtime has.
#include <cstdio>
#include <cstring>
#include <vector>
#include "acl/acl.h"
#include "acl/acl_rt_compile.h"

static const char *const source = R"(#include "kernel_operator.h"
#include "settings/scale.h"
using namespace AscendC;
extern "C" __global__ __vector__ void scale(__gm__ float *x, __gm__ float *y, uint8_t plus, double times, uint32_t n) {
  GlobalTensor<float> in, out;
  in.SetGlobalBuffer(x);
  out.SetGlobalBuffer(y);
  for (uint32_t i = block_idx; i < n; i += block_num)
    out.SetValue(i, in.GetValue(i) * SCALE * static_cast<float>(times) + plus);
}
struct Range {
  uint16_t from;
  uint32_t to;
};
namespace ops {
template <typename T, int K> __global__ __aicore__ void add(__gm__ T *x, Range range) {
  GlobalTensor<T> data;
  data.SetGlobalBuffer(x);
  for (uint32_t i = range.from + block_idx; i < range.to; i += block_num)
    data.SetValue(i, data.GetValue(i) + T(K));
}
} // namespace ops
)";

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    const int code = (call);                                                                                           \
    if (code != 0) {                                                                                                   \
      const char *why = aclGetRecentErrMsg();                                                                          \
      printf("line %d: %d %s\n", __LINE__, code, why ? why : "");                                                      \
      return 1;                                                                                                        \
    }                                                                                                                  \
  } while (0)

static void show(const char *what, void *device, size_t bytes) {
  std::vector<float> values(bytes / sizeof(float));
  aclrtMemcpy(values.data(), bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
  printf("%s: %g %g %g\n", what, values[0], values[1], values.back());
}

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  aclrtStream stream;
  CHECK(aclrtCreateStream(&stream));

  aclrtcProg program;
  const char *header = "#define SCALE 2.0f\n", *name = "settings/scale.h";
  CHECK(aclrtcCreateProg(&program, source, "scale_prog", 1, &header, &name));
  CHECK(aclrtcAddNameExpr(program, "ops::add<float, 3>"));
  const char *options[] = {"--npu-arch=dav-2201"};
  const int compiled = aclrtcCompileProg(program, 1, options);
  size_t log_size = 0;
  CHECK(aclrtcGetCompileLogSize(program, &log_size));
  std::vector<char> log(log_size);
  CHECK(aclrtcGetCompileLog(program, log.data()));
  printf("compiled: %d log: '%s'\n", compiled, log.data());
  const char *lowered = nullptr;
  CHECK(aclrtcGetLoweredName(program, "ops::add<float, 3>", &lowered));
  size_t size = 0;
  CHECK(aclrtcGetBinDataSize(program, &size));
  std::vector<char> data(size);
  CHECK(aclrtcGetBinData(program, data.data()));
  aclrtBinHandle binary;
  CHECK(aclrtBinaryLoadFromData(data.data(), size, nullptr, &binary));
  aclrtFuncHandle scale, add;
  CHECK(aclrtBinaryGetFunction(binary, "scale", &scale));
  CHECK(aclrtBinaryGetFunction(binary, lowered, &add));
  CHECK(aclrtcDestroyProg(&program)); // the binary does not need it

  constexpr size_t bytes = 100 * sizeof(float);
  std::vector<float> host(100);
  for (size_t i = 0; i < host.size(); ++i)
    host[i] = static_cast<float>(i);
  void *x, *y;
  CHECK(aclrtMalloc(&x, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMalloc(&y, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(x, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));

  uint8_t plus = 1;
  double times = 1.5;
  uint32_t n = 100;
  void *values[] = {&x, &y, &plus, &times, &n};
  CHECK(aclrtLaunchKernelWithArgsArray(scale, 8, stream, nullptr, values));
  CHECK(aclrtSynchronizeStream(stream));
  show("array", y, bytes);

  struct {
    uint16_t from;
    uint32_t to;
  } range{1, 100};
  aclrtArgsHandle list;
  aclrtParamHandle param;
  CHECK(aclrtKernelArgsInit(add, &list));
  CHECK(aclrtKernelArgsAppend(list, &y, sizeof y, &param));
  CHECK(aclrtKernelArgsAppend(list, &range, sizeof range, &param));
  CHECK(aclrtKernelArgsFinalize(list));
  CHECK(aclrtLaunchKernelWithConfig(add, 3, stream, nullptr, list, nullptr));
  CHECK(aclrtLaunchKernelWithConfig(add, 2, stream, nullptr, list, nullptr)); // a list serves again
  CHECK(aclrtSynchronizeStream(stream));
  show("list", y, bytes);

  struct {
    void *x, *y;
    uint8_t plus;
    double times;
    uint32_t n;
  } image{x, y, 2, 0.5, n};
  CHECK(aclrtLaunchKernel(scale, 4, &image, sizeof image, stream));
  CHECK(aclrtSynchronizeStream(stream));
  show("image", y, bytes);

  struct {
    decltype(image) arguments;
    float input[100];
  } whole{image, {}};
  for (int i = 0; i < 100; ++i)
    whole.input[i] = 10.0f * static_cast<float>(i);
  aclrtPlaceHolderInfo place{0, static_cast<uint32_t>(sizeof image)};
  CHECK(aclrtLaunchKernelWithHostArgs(scale, 1, stream, nullptr, &whole, sizeof whole, &place, 1));
  CHECK(aclrtSynchronizeStream(stream));
  show("placeholder", y, bytes);

  CHECK(aclrtBinaryUnLoad(binary));
  printf("after unloading: %d\n", aclrtLaunchKernelWithArgsArray(scale, 8, stream, nullptr, values));
  CHECK(aclrtFree(x));
  CHECK(aclrtFree(y));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
