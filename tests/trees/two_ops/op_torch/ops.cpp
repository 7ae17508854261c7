#include <tuple>
#include <torch/library.h>
#include <ATen/ATen.h>
#include "torch_npu/csrc/core/npu/NPUStream.h"
namespace {
std::tuple<at::Tensor, at::Tensor> row_norm_meta(const at::Tensor& x, const c10::optional<at::Tensor>& gamma, double eps)
{
    auto sizes = x.sym_sizes();
    if (gamma.has_value()) {
        TORCH_CHECK(gamma->dim() == 1, "gamma must be 1-D");
    }
    return std::make_tuple(at::empty_symint(sizes, x.options()), at::empty_symint(sizes.slice(0, sizes.size() - 1), x.options()));
}
void accumulate_meta(at::Tensor& x, const at::Tensor& delta) {}
}
TORCH_LIBRARY(ascendc_ops, m)
{
    m.def("row_norm(Tensor x, Tensor? gamma=None, *, float eps=1e-6) -> (Tensor, Tensor)");
    m.def("accumulate_(Tensor(a!) x, Tensor delta) -> ()");
}
TORCH_LIBRARY_IMPL(ascendc_ops, Meta, m)
{
    m.impl("row_norm", TORCH_FN(row_norm_meta));
    m.impl("accumulate_", TORCH_FN(accumulate_meta));
}
