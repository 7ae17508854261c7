// z = x + y with double-buffered queues: the shape of most kernels. Also queue bookkeeping that a test looks at.
#include "kernel_operator.h"
using namespace AscendC;

class KernelAdd {
public:
  __aicore__ inline KernelAdd(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, uint32_t tile) : tile_(tile) {
    // whole tiles and a tail for each core
    uint32_t share = (total + GetBlockNum() - 1) / GetBlockNum();
    share = (share + 7) / 8 * 8;
    uint32_t start = share * GetBlockIdx();
    count_ = start >= total ? 0 : (total - start < share ? total - start : share);
    xGm.SetGlobalBuffer((__gm__ float *)x + start, count_);
    yGm.SetGlobalBuffer((__gm__ float *)y + start, count_);
    zGm.SetGlobalBuffer((__gm__ float *)z + start, count_);
    pipe.InitBuffer(inX, 2, tile * sizeof(float));
    pipe.InitBuffer(inY, 2, tile * sizeof(float));
    pipe.InitBuffer(outZ, 2, tile * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = 0; at < count_; at += tile_) {
      uint32_t n = count_ - at < tile_ ? count_ - at : tile_;
      CopyIn(at, n);
      Compute(n);
      CopyOut(at, n);
    }
  }

private:
  __aicore__ inline void CopyIn(uint32_t at, uint32_t n) {
    LocalTensor<float> x = inX.AllocTensor<float>(), y = inY.AllocTensor<float>();
    if (n % 8 == 0) {
      DataCopy(x, xGm[at], n);
      DataCopy(y, yGm[at], n);
    } else {
      DataCopyExtParams p(1, n * sizeof(float), 0, 0, 0);
      DataCopyPad(x, xGm[at], p, DataCopyPadExtParams<float>());
      DataCopyPad(y, yGm[at], p, DataCopyPadExtParams<float>());
    }
    inX.EnQue(x);
    inY.EnQue(y);
  }
  __aicore__ inline void Compute(uint32_t n) {
    LocalTensor<float> x = inX.DeQue<float>(), y = inY.DeQue<float>(), z = outZ.AllocTensor<float>();
    Add(z, x, y, n);
    outZ.EnQue<float>(z);
    inX.FreeTensor(x);
    inY.FreeTensor(y);
  }
  __aicore__ inline void CopyOut(uint32_t at, uint32_t n) {
    LocalTensor<float> z = outZ.DeQue<float>();
    if (n % 8 == 0)
      DataCopy(zGm[at], z, n);
    else
      DataCopyPad(zGm[at], z, DataCopyExtParams(1, n * sizeof(float), 0, 0, 0));
    outZ.FreeTensor(z);
  }
  TPipe pipe;
  TQue<TPosition::VECIN, 1> inX, inY;
  TQue<TPosition::VECOUT, 1> outZ;
  GlobalTensor<float> xGm, yGm, zGm;
  uint32_t tile_, count_;
};

extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, uint32_t tile) {
  FERRATA_ENTRY("add", ::ferrata::Kind::any, 0, 1);
  KernelAdd op(x, y, z, total, tile);
  op.Process();
}
extern "C" void run_add(uint8_t *x, uint8_t *y, uint8_t *z, uint32_t total, uint32_t tile, int blocks) {
  ::ferrata::launch("add", blocks).run([](auto... p) { add(p...); }, x, y, z, total, tile);
}
