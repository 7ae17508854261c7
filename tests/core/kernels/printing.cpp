// What kernels print, and where they are.
#include "kernel_operator.h"
#include "utils/debug/asc_assert.h"
#include "utils/debug/asc_dump.h"
#include "utils/debug/asc_printf.h"
using namespace AscendC;

static void hello(int n, float f) {
  FERRATA_ENTRY("hello", ::ferrata::Kind::vector, 0, 1);
  AscendC::printf("v=%f n=%d\n", half(1.5), n);
  if (block_idx == 1)
    PRINTF("%ld %u %x %s %f %%|\n", block_num, uint8_t(200), int8_t(-1), "text", f);
}
extern "C" void run_hello(int blocks, int n, float f) {
  ::ferrata::launch("hello", blocks).run([](auto... p) { hello(p...); }, n, f);
}

static void unqualified() {
  FERRATA_ENTRY("unqualified", ::ferrata::Kind::vector, 0, 1);
  printf("no arguments\n");
  printf("%d of %d\n", block_idx, GetBlockNum());
  assert(block_num == 1);
}
extern "C" void run_unqualified() {
  ::ferrata::launch("unqualified", 1).run([]() { unqualified(); });
}

static void dumps() {
  FERRATA_ENTRY("dumps", ::ferrata::Kind::vector, 0, 1);
  TPipe pipe;
  TBuf<> a, b;
  pipe.InitBuffer(a, 64);
  pipe.InitBuffer(b, 64);
  LocalTensor<float> x = b.Get<float>();
  LocalTensor<int16_t> y = a.Get<int16_t>();
  for (int i = 0; i < 8; ++i) {
    x.SetValue(i, i + 0.5f);
    y.SetValue(i, -i);
  }
  const uint32_t two_three[] = {2, 3}, three_three[] = {3, 3};
  DumpTensor(x, 5, 4);
  DumpTensor(x, 6, 6, ShapeInfo(2, two_three));
  DumpTensor(x, 7, 8, ShapeInfo(2, three_three));
  DumpTensor(y, 8, 3);
  DumpAccChkPoint(x, 9, 2, 2);
  asc_dump(reinterpret_cast<__ubuf__ float *>(x.GetPhyAddr()), 10, 1);
}
extern "C" void run_dumps() {
  ::ferrata::launch("dumps", 1).run([]() { dumps(); });
}

static void too_long() {
  FERRATA_ENTRY("too_long", ::ferrata::Kind::vector, 0, 1);
  TPipe pipe;
  TBuf<> a;
  pipe.InitBuffer(a, 64 * 1024);
  Duplicate(a.Get<float>(), 0.0f, 16384);
  DumpTensor(a.Get<float>(), 1, 16384);
  AscendC::printf("after\n");
}
extern "C" void run_too_long() {
  ::ferrata::launch("too_long", 1).run([]() { too_long(); });
}

// Arguments of all sorts: a struct by value, null pointers from literals, an array.
struct Settings {
  int a[3];
  double b;
};
static void arguments(Settings s, __gm__ float *p, uint64_t q, const char *text) {
  FERRATA_ENTRY("arguments", ::ferrata::Kind::vector, 0, 1);
  s.a[0] += 1; // a core's own copy
  AscendC::printf("%d %f %p %lu %s\n", s.a[0], s.b, p, q, text);
}
extern "C" void run_arguments() {
  Settings s{{1, 2, 3}, 2.5};
  ::ferrata::launch("arguments", 2, nullptr, 0)
      .run([](auto... p) { arguments(p...); }, s, ::ferrata::Zero{}, ::ferrata::Zero{}, "array");
}

static void mixed() {
  FERRATA_ENTRY("mixed", ::ferrata::Kind::mix, 0, 1);
  AscendC::printf("%ld %ld\n", GetBlockIdx(), GetSubBlockIdx());
}
extern "C" void run_mixed(int blocks) {
  ::ferrata::launch("mixed", blocks).run([]() { mixed(); });
}
