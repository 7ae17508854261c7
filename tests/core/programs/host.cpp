// A plain host program: main() with ACL calls around a launch. Argument: what to do.
#include <cstdio>
#include <cstring>
#include <vector>
#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;

static void twice(__gm__ float *x, uint32_t n) {
  FERRATA_ENTRY("twice", ::ferrata::Kind::vector, 0, 1);
  InitSocState();
  LocalMemAllocator<Hardware::UB> ub;
  GlobalTensor<float> g;
  g.SetGlobalBuffer(x + block_idx * n, n);
  LocalTensor<float> t = ub.Alloc<float>(n);
  DataCopy(t, g, n);
  Muls(t, t, 2.0f, static_cast<int32_t>(n));
  DataCopy(g, t, n);
  PipeBarrier<PIPE_ALL>();
}

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    aclError code = (call);                                                                                            \
    if (code != ACL_SUCCESS) {                                                                                         \
      const char *text = aclGetRecentErrMsg();                                                                         \
      printf("%s -> %d %s\n", #call, code, text ? text : "(no text)");                                                 \
      return 2;                                                                                                        \
    }                                                                                                                  \
  } while (0)

int main(int argc, char **argv) {
  const bool bad = argc > 1 && !strcmp(argv[1], "fault");
  const bool careless = argc > 1 && !strcmp(argv[1], "careless");
  const uint32_t n = 256, blocks = 8;
  std::vector<float> host(n * blocks);
  for (size_t i = 0; i < host.size(); ++i)
    host[i] = static_cast<float>(i);
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK(aclrtCreateStream(&stream));
  void *device = nullptr;
  CHECK(aclrtMalloc(&device, host.size() * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(device, host.size() * sizeof(float), host.data(), host.size() * sizeof(float), ACL_MEMCPY_HOST_TO_DEVICE));
  if (bad || careless) {
    ::ferrata::launch("twice", blocks, nullptr, stream).run([](auto... p) { twice(p...); }, host.data(), n);
    if (careless)
      return 0; // never asks whether the kernel ran
    int code = aclrtSynchronizeStream(stream);
    const char *text = aclGetRecentErrMsg();
    printf("first %d %d\n", code, text && strstr(text, "HostPointer") != nullptr);
    printf("then %d\n", aclrtSynchronizeStream(stream));
  }
  ::ferrata::launch("twice", blocks, nullptr, stream)
      .run([](auto... p) { twice(p...); }, static_cast<float *>(device), n);
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtMemcpy(host.data(), host.size() * sizeof(float), device, host.size() * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST));
  for (size_t i = 0; i < host.size(); ++i)
    if (host[i] != 2 * static_cast<float>(i))
      return 3;
  CHECK(aclrtFree(device));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  printf("done\n");
  return 0;
}
