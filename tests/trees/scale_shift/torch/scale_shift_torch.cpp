#include <torch/library.h>
#include <ATen/ATen.h>

static_assert(TORCH_SIDE == 1, "");
namespace {
using torch::Library;
at::Tensor scale_shift_meta(const at::Tensor& x, double alpha, double beta, c10::string_view mode)
{
    TORCH_CHECK(mode == "plain" || mode == "relu" || mode == "abs", "unknown mode ", mode);
    return at::empty_symint(x.sym_sizes(), x.options());
}
} // namespace

TORCH_LIBRARY(ascendc_ops, m)
{
    m.def("scale_shift(Tensor x, float alpha=1.0, float beta=0.0, str mode='plain') -> Tensor");
}
TORCH_LIBRARY_IMPL(ascendc_ops, Meta, m) { m.impl("scale_shift", &scale_shift_meta); }
