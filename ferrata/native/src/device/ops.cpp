// The operators that the device implements itself: factories, views, storage, copies between devices; and the ones
// whose composite form asks for a kernel that only other devices have. All the rest is fallback.cpp.
#include "device.h"
#include "fallback.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <ATen/native/Resize.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

namespace ferrata_npu {
namespace {

const c10::DispatchKeySet dense(c10::DispatchKey::PrivateUse1);

void check_options(std::optional<at::Layout> layout, std::optional<bool> pin) {
  TORCH_CHECK(!pin.value_or(false), "Only dense CPU tensors can be pinned");
  TORCH_CHECK_NOT_IMPLEMENTED(layout.value_or(at::kStrided) == at::kStrided, "The npu device has no tensors of layout ",
                              *layout, ".");
}

// Make `device` current for the scope, if it is not already (the usual case, which then costs nothing).
class On {
public:
  explicit On(std::optional<at::Device> device) {
    if (device.has_value() && device->has_index() && device->index() != current_device())
      guard_.emplace(*device);
  }

private:
  std::optional<c10::DeviceGuard> guard_;
};

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                 std::optional<at::Device> device, std::optional<bool> pin, std::optional<at::MemoryFormat> format) {
  check_options(layout, pin);
  On guard(device);
  return at::detail::empty_generic(size, allocator(), dense, c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout> layout, std::optional<at::Device> device, std::optional<bool> pin) {
  check_options(layout, pin);
  On guard(device);
  return at::detail::empty_strided_generic(size, stride, allocator(), dense, c10::dtype_or_default(dtype));
}

at::Tensor &set_storage(at::Tensor &self, at::Storage source, int64_t offset, at::IntArrayRef size,
                        at::IntArrayRef stride) {
  On guard(self.device());
  return at::native::set_storage_cpu_(self, std::move(source), offset, size, stride);
}

at::Tensor &set_empty(at::Tensor &self) {
  c10::Storage storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), 0, device_block(0, self.device().index(), self.device()), allocator(), true);
  return self.set_(std::move(storage), 0, {0}, {});
}

// --- copies. Whatever the two devices are, both memories are the host's. ---

// The same memory as a CPU tensor, for the length of a copy.
at::Tensor on_host(const at::Tensor &tensor) {
  if (tensor.is_cpu())
    return tensor;
  return lend_for_copy(tensor);
}

at::Tensor &copy(at::Tensor &self, const at::Tensor &source, bool non_blocking) {
  TORCH_CHECK(self.defined() && source.defined(), "copy_: an undefined tensor.");
  c10::impl::ExcludeDispatchKeyGuard no_autograd(c10::autograd_dispatch_keyset_with_ADInplaceOrView |
                                                 c10::autocast_dispatch_keyset);
  on_host(self).copy_(on_host(source), non_blocking);
  return self;
}

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &to, bool non_blocking) {
  at::Tensor target = to;
  copy(target, self, non_blocking);
  return target;
}

at::Tensor copy_from_and_resize(const at::Tensor &self, const at::Tensor &to) {
  at::Tensor target = to;
  if (target.sizes() != self.sizes())
    target.resize_(self.sizes());
  return copy_from(self, target, false);
}

void record_stream(at::Tensor &, c10::Stream) {} // nothing runs behind the caller's back

// --- random without a generator argument: draw from the device, not from the CPU ---

std::tuple<at::Tensor, at::Tensor> native_dropout(const at::Tensor &input, double p, std::optional<bool> train) {
  if (input.numel() == 0)
    return {input, at::empty_like(input, input.options())};
  if (train.has_value() && !*train)
    return {input.clone(), at::empty_like(input, input.options().dtype(at::kBool)).fill_(true)};
  double keep = 1 - p, scale = keep == 0 ? 0. : 1. / keep;
  auto mask = at::empty_like(input, input.options().dtype(at::kBool)).bernoulli_(keep);
  return {input.mul(mask).mul_(scale), mask};
}

// --- cells that torch's RNNs call on this device; written with differentiable operators ---

std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell(const at::Tensor &input_gates, const at::Tensor &hidden_gates,
                                                         const at::Tensor &cx, const std::optional<at::Tensor> &b1,
                                                         const std::optional<at::Tensor> &b2) {
  auto gates = input_gates.add(hidden_gates);
  for (auto *bias : {&b1, &b2})
    if (bias->has_value() && (*bias)->defined())
      gates = gates.add(**bias);
  auto part = gates.chunk(4, 1);
  auto in = part[0].sigmoid(), forget = part[1].sigmoid(), cell = part[2].tanh(), out = part[3].sigmoid();
  auto cy = forget.mul(cx).add(in.mul(cell));
  return {out.mul(cy.tanh()), cy, at::cat({in, forget, cell, out}, 1)};
}

std::tuple<at::Tensor, at::Tensor> gru_cell(const at::Tensor &input_gates, const at::Tensor &hidden_gates,
                                            const at::Tensor &hx, const std::optional<at::Tensor> &b1,
                                            const std::optional<at::Tensor> &b2) {
  auto x = b1.has_value() && b1->defined() ? input_gates.add(*b1) : input_gates;
  auto h = b2.has_value() && b2->defined() ? hidden_gates.add(*b2) : hidden_gates;
  auto xs = x.chunk(3, 1), hs = h.chunk(3, 1);
  auto reset = xs[0].add(hs[0]).sigmoid(), update = xs[1].add(hs[1]).sigmoid();
  auto fresh = xs[2].add(reset.mul(hs[2])).tanh();
  return {hx.sub(fresh).mul(update).add(fresh), at::cat({reset, update, fresh, hx, hs[2]}, 1)};
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("as_strided", &at::native::as_strided_tensorimpl);
  m.impl("view", &at::native::view);
  m.impl("_reshape_alias", &at::native::_reshape_alias);
  m.impl("set_.source_Storage_storage_offset", &set_storage);
  m.impl("set_.source_Storage", static_cast<at::Tensor &(*)(at::Tensor &, at::Storage)>(&at::native::set_));
  m.impl("set_.source_Tensor", &at::native::set_tensor_);
  m.impl("set_", &set_empty);
  m.impl("copy_", &copy);
  m.impl("_copy_from", &copy_from);
  m.impl("_copy_from_and_resize", &copy_from_and_resize);
  m.impl("record_stream", &record_stream);
  m.impl("native_dropout", &native_dropout);
  m.impl("_thnn_fused_lstm_cell", &lstm_cell);
  m.impl("_thnn_fused_gru_cell", &gru_cell);
  // Generic kernels that choose by device: let them see the CPU.
  for (const char *name : {"convolution", "convolution_backward", "_convolution"})
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) {
  m.impl("_thnn_fused_lstm_cell", &lstm_cell);
  m.impl("_thnn_fused_gru_cell", &gru_cell);
}

} // namespace ferrata_npu
