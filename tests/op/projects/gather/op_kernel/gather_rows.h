#ifndef GATHER_ROWS_KERNEL_H
#define GATHER_ROWS_KERNEL_H
#include "kernel_operator.h"
namespace GatherRowsNs {
using namespace AscendC;
template <typename T, typename I, bool MASK> class GatherRowsKernel {
public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR idx, GM_ADDR mask, GM_ADDR y, GM_ADDR hits, GM_ADDR ws, int64_t cols,
                              int64_t picks) {
    has_ = hits != nullptr;
    cols_ = cols;
    picks_ = picks;
    x_.SetGlobalBuffer((__gm__ T *)x);
    i_.SetGlobalBuffer((__gm__ I *)idx);
    y_.SetGlobalBuffer((__gm__ T *)y);
    h_.SetGlobalBuffer((__gm__ int32_t *)hits);
    if constexpr (MASK)
      m_.SetGlobalBuffer((__gm__ uint8_t *)mask);
    pipe_.InitBuffer(q_, 2, (cols * sizeof(T) + 31) / 32 * 32);
  }
  __aicore__ inline void Process() {
    for (int64_t p = GetBlockIdx(); p < picks_; p += GetBlockNum()) {
      if constexpr (MASK) {
        if (m_.GetValue(p) == 0) {
          LocalTensor<T> t = q_.template AllocTensor<T>();
          Duplicate(t, T{}, cols_);
          q_.template EnQue<QuePosition::VECIN, QuePosition::VECOUT, T>(t);
          Out(p, 0);
          continue;
        }
      }
      LocalTensor<T> t = q_.template AllocTensor<T>();
      DataCopyPad(t, x_[i_.GetValue(p) * cols_], {1, (uint32_t)(cols_ * sizeof(T)), 0, 0, 0}, {false, 0, 0, 0});
      q_.template EnQue<QuePosition::VECIN, QuePosition::VECOUT, T>(t);
      Out(p, 1);
    }
  }

private:
  __aicore__ inline void Out(int64_t p, int32_t hit) {
    LocalTensor<T> t = q_.template DeQue<QuePosition::VECIN, QuePosition::VECOUT, T>();
    DataCopyPad(y_[p * cols_], t, {1, (uint32_t)(cols_ * sizeof(T)), 0, 0, 0});
    q_.FreeTensor(t);
    if (has_)
      h_.SetValue(p, hit);
  }
  TPipe pipe_;
  TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> q_;
  GlobalTensor<T> x_, y_;
  GlobalTensor<I> i_;
  GlobalTensor<int32_t> h_;
  GlobalTensor<uint8_t> m_;
  int64_t cols_, picks_;
  bool has_;
};
} // namespace GatherRowsNs
#endif
