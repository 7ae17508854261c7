// One kernel for each way to be wrong. The faulting call carries a comment that the test looks up.
#include "kernel_operator.h"
using namespace AscendC;

namespace {
using Gm = __gm__ float *;
GlobalTensor<float> global(Gm p, uint64_t n) {
  GlobalTensor<float> g;
  g.SetGlobalBuffer(p, n);
  return g;
}
using In = TQue<TPosition::VECIN, 1>;
} // namespace

// clang-format off
static void gm_read(Gm x) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 8192); auto t = b.Get<float>();
  GlobalTensor<float> g; g.SetGlobalBuffer(x);
  DataCopy(t, g, 1024); // gm_read
}
static void gm_write(Gm x) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 8192); auto t = b.Get<float>();
  GlobalTensor<float> g; g.SetGlobalBuffer(x);
  DataCopy(g[block_idx * 256 + 768], t, 512); // gm_write
}
static void gm_size(Gm x) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 8192); auto t = b.Get<float>();
  DataCopy(t, global(x, 64), 128); // gm_size
}
static void gm_scalar(Gm x) {
  auto g = global(x, 64);
  g.SetValue(64, 1.0f); // gm_scalar
}
static void gm_freed(Gm x) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 8192); auto t = b.Get<float>();
  DataCopy(t, global(x, 64), 64); // gm_freed
}
static void host_pointer(Gm x) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 8192); auto t = b.Get<float>();
  DataCopy(t, global(x, 64), 64); // host_pointer
}
static void null_pointer(Gm x) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 8192); auto t = b.Get<float>();
  DataCopy(t, global(x, 64), 64); // null_pointer
}
static void ub_write(Gm) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 1024); auto t = b.Get<float>();
  Duplicate(t, 1.0f, 257); // ub_write
}
static void ub_read(Gm) {
  TPipe pipe; TBuf<> b, c; pipe.InitBuffer(b, 2048); pipe.InitBuffer(c, 1024); auto t = b.Get<float>(); auto u = c.Get<float>();
  Add(t, t, u, 64, 5, BinaryRepeatParams()); // ub_read
}
static void ub_scalar(Gm) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 1024); auto t = b.Get<float>();
  t.SetValue(256, 1.0f); // ub_scalar
}
static void ub_view(Gm) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 1024); auto t = b.Get<float>();
  auto v = t[257]; // ub_view
  (void)v;
}
static void tbuf_get(Gm) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 1024);
  auto t = b.Get<float>(300); // tbuf_get
  (void)t;
}
static void ub_misaligned(Gm) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 1024); auto t = b.Get<float>();
  Duplicate(t[4], 1.0f, 8); // ub_misaligned
}
static void gm_misaligned(Gm x) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 1024); auto t = b.Get<float>();
  GlobalTensor<float> g; g.SetGlobalBuffer(reinterpret_cast<Gm>(reinterpret_cast<__gm__ uint8_t *>(x) + 2));
  DataCopy(t, g, 8); // gm_misaligned
}
static void budget_pipe(Gm) {
  TPipe pipe; In q; TBuf<> b;
  pipe.InitBuffer(q, 2, 65536); // budget_pipe first
  pipe.InitBuffer(b, 65568); // budget_pipe
}
static void budget_static(Gm) {
  InitSocState();
  LocalMemAllocator<Hardware::UB> ub;
  auto a = ub.Alloc<float>(40000); // budget_static first
  auto c = ub.Alloc<half, 20000>(); // budget_static
  (void)a; (void)c;
}
static void unallocated(Gm) {
  LocalTensor<float> t;
  Duplicate(t, 1.0f, 8); // unallocated
}
static void wrong_position(Gm) {
  LocalTensor<float> t(TPosition::A1, 0, 64);
  Duplicate(t, 1.0f, 8); // wrong_position
}
static void alloc_exhausted(Gm) {
  TPipe pipe; In q; pipe.InitBuffer(q, 2, 64);
  auto a = q.AllocTensor<float>(); auto b = q.AllocTensor<float>();
  auto c = q.AllocTensor<float>(); // alloc_exhausted
  (void)a; (void)b; (void)c;
}
static void deque_empty(Gm) {
  TPipe pipe; In q; pipe.InitBuffer(q, 2, 64);
  auto t = q.DeQue<float>(); // deque_empty
  (void)t;
}
static void enque_depth(Gm) {
  TPipe pipe; In q; pipe.InitBuffer(q, 2, 64);
  auto a = q.AllocTensor<float>(); q.EnQue(a);
  auto b = q.AllocTensor<float>();
  q.EnQue(b); // enque_depth
}
static void enque_twice(Gm) {
  TPipe pipe; TQue<TPosition::VECIN, 2> q; pipe.InitBuffer(q, 2, 64);
  auto a = q.AllocTensor<float>(); q.EnQue(a);
  q.EnQue(a); // enque_twice
}
static void free_foreign(Gm) {
  TPipe pipe; In q, r; pipe.InitBuffer(q, 1, 64); pipe.InitBuffer(r, 1, 64);
  auto a = q.AllocTensor<float>();
  r.FreeTensor(a); // free_foreign
}
static void free_twice(Gm) {
  TPipe pipe; In q; pipe.InitBuffer(q, 1, 64);
  auto a = q.AllocTensor<float>(); q.FreeTensor(a);
  q.FreeTensor(a); // free_twice
}
static void use_freed(Gm) {
  TPipe pipe; In q; pipe.InitBuffer(q, 1, 64);
  auto a = q.AllocTensor<float>(); q.FreeTensor(a);
  Duplicate(a, 1.0f, 8); // use_freed
}
static void use_enqueued(Gm) {
  TPipe pipe; In q; pipe.InitBuffer(q, 1, 64);
  auto a = q.AllocTensor<float>(); q.EnQue(a);
  Adds(a, a, 1.0f, 8); // use_enqueued
}
static void no_init(Gm) {
  TPipe pipe; In q;
  auto a = q.AllocTensor<float>(); // no_init
  (void)a;
}
static void second_pipe(Gm) {
  TPipe pipe;
  TPipe other; // second_pipe
}
static void wait_unset(Gm) {
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0); // wait_unset
}
static void set_twice(Gm) {
  SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID1); // set_twice
}
static void set_left(Gm) {
  SetFlag<HardEvent::V_MTE3>(EVENT_ID2); // set_left
}
static void event_range(Gm) {
  SetFlag<HardEvent::V_MTE3>(8); // event_range
}
static void events_exhausted(Gm) {
  TPipe pipe;
  for (int i = 0; i < 9; ++i)
    pipe.AllocEventID<HardEvent::V_S>(); // events_exhausted
}
static void repeat_range(Gm) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 131072); auto t = b.Get<float>();
  Adds(t, t, 1.0f, 64, 256, UnaryRepeatParams()); // repeat_range
}
static void negative_count(Gm) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 1024); auto t = b.Get<float>();
  Adds(t, t, 1.0f, -1); // negative_count
}
static void pad_range(Gm x) {
  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 1024); auto t = b.Get<float>();
  DataCopyPad(t, global(x, 64), DataCopyExtParams(1, 20, 0, 0, 0), DataCopyPadExtParams<float>(true, 9, 0, 0.0f)); // pad_range
}
static void compare_mode(Gm) {
  TPipe pipe; TBuf<> b, c; pipe.InitBuffer(b, 1024); pipe.InitBuffer(c, 1024);
  Compare(c.Get<uint8_t>(), b.Get<int32_t>(), b.Get<int32_t>(), CMPMODE::LT, 64); // compare_mode
}
static void reduce_scratch(Gm) {
  TPipe pipe; TBuf<> b, c; pipe.InitBuffer(b, 8192); pipe.InitBuffer(c, 32);
  auto t = b.Get<float>();
  ReduceMax(t, t, c.Get<float>(), 2048, true); // reduce_scratch
}
static void asserted(Gm) {
  ascendc_assert(block_num == 4, "there are %d blocks\n", block_num); // asserted
}
static void trapped(Gm) {
  Trap(); // trapped
}
static void in_a_helper(Gm x);
// clang-format on

static void read_block(const LocalTensor<float> &t, const GlobalTensor<float> &g, int from) {
  DataCopy(t, g[from], 64); // in_a_helper
}
static void in_a_helper(Gm x) {
  TPipe pipe;
  TBuf<> b;
  pipe.InitBuffer(b, 1024);
  read_block(b.Get<float>(), global(x, 128), 96);
}
static int blocked(void *) { return 0; }
static void deadlock(Gm) {
  ferrata_wait(blocked, nullptr, "a flag that never comes", ::ferrata::Loc::here()); // deadlock
}

#define CASE(name)                                                                                                     \
  extern "C" void run_##name(void *x, int blocks) {                                                                    \
    ::ferrata::launch(#name, blocks)                                                                                   \
        .run(                                                                                                          \
            [](auto... p) {                                                                                            \
              FERRATA_ENTRY(#name, ::ferrata::Kind::vector, 0, 1);                                                     \
              name(p...);                                                                                              \
            },                                                                                                         \
            static_cast<Gm>(x));                                                                                       \
  }
CASE(gm_read) CASE(gm_write) CASE(gm_size) CASE(gm_scalar) CASE(gm_freed) CASE(host_pointer) CASE(null_pointer)
CASE(ub_write) CASE(ub_read) CASE(ub_scalar) CASE(ub_view) CASE(tbuf_get) CASE(ub_misaligned) CASE(gm_misaligned)
CASE(budget_pipe) CASE(budget_static) CASE(unallocated) CASE(wrong_position) CASE(alloc_exhausted) CASE(deque_empty)
CASE(enque_depth) CASE(enque_twice) CASE(free_foreign) CASE(free_twice) CASE(use_freed) CASE(use_enqueued) CASE(no_init)
CASE(second_pipe) CASE(wait_unset) CASE(set_twice) CASE(set_left) CASE(event_range) CASE(events_exhausted)
CASE(repeat_range) CASE(negative_count) CASE(pad_range) CASE(compare_mode) CASE(reduce_scratch) CASE(asserted)
CASE(trapped) CASE(in_a_helper) CASE(deadlock)

// A correct kernel, to show that the device works on after a fault.
extern "C" void good(void *x, int blocks) {
  ::ferrata::launch("good", blocks)
      .run(
          [](Gm p) {
            FERRATA_ENTRY("good", ::ferrata::Kind::vector, 0, 1);
            TPipe pipe;
            In q;
            pipe.InitBuffer(q, 2, 256);
            auto g = global(p, 64);
            auto a = q.AllocTensor<float>();
            DataCopy(a, g, 64);
            q.EnQue(a);
            auto b = q.DeQue<float>();
            Adds(b, b, 1.0f, 64);
            DataCopy(g, b, 64);
            q.FreeTensor(b);
          },
          static_cast<Gm>(x));
}
extern "C" void outside() { InitSocState(); }
