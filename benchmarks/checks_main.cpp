// Seconds of `calls` launches of a kernel of vector_kernels.asc on `elements` floats, which lie in the caches: the best of
// `rounds`. Arguments: add or sigmoid, elements, calls, rounds.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "acl/acl.h"
#include "ferrata/runtime.h"

extern "C" void launch_add(void *x, void *y, void *z, uint32_t n);
extern "C" void launch_sigmoid(void *x, void *z, uint32_t n);

int main(int, char **arguments) {
  const bool add = !strcmp(arguments[1], "add");
  const uint32_t n = static_cast<uint32_t>(atoi(arguments[2]));
  const int calls = atoi(arguments[3]), rounds = atoi(arguments[4]);
  aclInit(nullptr);
  aclrtSetDevice(0);
  ferrata_set_threads(1);
  float *x, *y, *z;
  float **const all[] = {&x, &y, &z};
  for (float **p : all)
    aclrtMalloc(reinterpret_cast<void **>(p), n * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  for (uint32_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 7) - 3;
    y[i] = 0.5f;
  }
  double best = 1e9;
  for (int round = -1; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call)
      add ? launch_add(x, y, z, n) : launch_sigmoid(x, z, n);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = round >= 0 && took < best ? took : best;
  }
  printf("%.9f\n", best / calls);
  return add && z[5] != x[5] + y[5];
}
