// z = alpha * x + y; with tiling key 2 also the sum of z, which the cores put together through the workspace.
#include "kernel_operator.h"

using namespace AscendC;

template <typename T, bool WITH_SUM> class ScaleAdd {
public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR sum, GM_ADDR workspace,
                              const ScaleAddTilingData &tiling) {
    const uint32_t start = static_cast<uint32_t>(GetBlockIdx()) * tiling.perCore;
    count = start >= tiling.total ? 0 : tiling.total - start < tiling.perCore ? tiling.total - start : tiling.perCore;
    tile = tiling.tile;
    alpha = static_cast<T>(tiling.alpha);
    xGm.SetGlobalBuffer((__gm__ T *)x + start);
    yGm.SetGlobalBuffer((__gm__ T *)y + start);
    zGm.SetGlobalBuffer((__gm__ T *)z + start);
    sumGm.SetGlobalBuffer((__gm__ float *)sum);
    partGm.SetGlobalBuffer((__gm__ float *)workspace);
    pipe.InitBuffer(xQueue, 2, tile * sizeof(T));
    pipe.InitBuffer(yQueue, 2, tile * sizeof(T));
    pipe.InitBuffer(zQueue, 2, tile * sizeof(T));
    if (WITH_SUM) {
      pipe.InitBuffer(wideBuffer, tile * sizeof(float));
      pipe.InitBuffer(workBuffer, tile * sizeof(float));
      pipe.InitBuffer(partBuffer, 32);
    }
  }

  __aicore__ inline void Process() {
    float part = 0;
    for (uint32_t at = 0; at < count; at += tile)
      part += Tile(at, count - at < tile ? count - at : tile);
    if (WITH_SUM)
      PutTogether(part);
  }

private:
  __aicore__ inline float Tile(uint32_t at, uint32_t n) {
    LocalTensor<T> x = xQueue.AllocTensor<T>(), y = yQueue.AllocTensor<T>();
    const DataCopyExtParams whole{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
    DataCopyPad(x, xGm[at], whole, DataCopyPadExtParams<T>{false, 0, 0, 0});
    DataCopyPad(y, yGm[at], whole, DataCopyPadExtParams<T>{false, 0, 0, 0});
    xQueue.EnQue(x);
    yQueue.EnQue(y);
    x = xQueue.DeQue<T>();
    y = yQueue.DeQue<T>();
    LocalTensor<T> z = zQueue.AllocTensor<T>();
    Muls(z, x, alpha, n);
    Add(z, z, y, n);
    const float sum = WITH_SUM ? Sum(z, n) : 0.0f;
    xQueue.FreeTensor(x);
    yQueue.FreeTensor(y);
    zQueue.EnQue(z);
    z = zQueue.DeQue<T>();
    DataCopyPad(zGm[at], z, whole);
    zQueue.FreeTensor(z);
    return sum;
  }

  __aicore__ inline float Sum(const LocalTensor<T> &z, uint32_t n) {
    LocalTensor<float> wide = wideBuffer.Get<float>(), work = workBuffer.Get<float>();
    if constexpr (sizeof(T) == 2)
      Cast(wide, z, RoundMode::CAST_NONE, n);
    else
      Adds(wide, z, 0.0f, n);
    ReduceSum<float>(wide, wide, work, n);
    const event_t done = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
    SetFlag<HardEvent::V_S>(done);
    WaitFlag<HardEvent::V_S>(done);
    return wide.GetValue(0);
  }

  // Each core leaves its part in the workspace; after all have, the first adds them.
  __aicore__ inline void PutTogether(float part) {
    const uint32_t core = static_cast<uint32_t>(GetBlockIdx());
    LocalTensor<float> mine = partBuffer.Get<float>();
    mine.SetValue(0, part);
    const event_t written = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
    SetFlag<HardEvent::S_MTE3>(written);
    WaitFlag<HardEvent::S_MTE3>(written);
    DataCopyPad(partGm[core * 8], mine, DataCopyExtParams{1, sizeof(float), 0, 0, 0});
    SyncAll();
    if (core != 0)
      return;
    float all = 0;
    for (uint32_t i = 0; i < static_cast<uint32_t>(GetBlockNum()); ++i)
      all += partGm.GetValue(i * 8);
    mine.SetValue(0, all);
    const event_t ready = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
    SetFlag<HardEvent::S_MTE3>(ready);
    WaitFlag<HardEvent::S_MTE3>(ready);
    DataCopyPad(sumGm, mine, DataCopyExtParams{1, sizeof(float), 0, 0, 0});
  }

  TPipe pipe;
  TQue<QuePosition::VECIN, 2> xQueue, yQueue;
  TQue<QuePosition::VECOUT, 2> zQueue;
  TBuf<QuePosition::VECCALC> wideBuffer, workBuffer, partBuffer;
  GlobalTensor<T> xGm, yGm, zGm;
  GlobalTensor<float> sumGm, partGm;
  uint32_t count, tile;
  T alpha;
};

extern "C" __global__ __aicore__ void scale_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR sum, GM_ADDR workspace,
                                                GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0); // vector cores that can wait for each other
  GET_TILING_DATA(tilingData, tiling);
  if (TILING_KEY_IS(1)) {
    ScaleAdd<DTYPE_X, false> op;
    op.Init(x, y, z, sum, GetUserWorkspace(workspace), tilingData);
    op.Process();
  } else if (TILING_KEY_IS(2)) {
    ScaleAdd<DTYPE_X, true> op;
    op.Init(x, y, z, sum, GetUserWorkspace(workspace), tilingData);
    op.Process();
  }
}
