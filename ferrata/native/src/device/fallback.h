// The boxed fallback as the other translation units use it.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <unordered_map>

namespace ferrata_npu {

// Run `op` by its CPU kernel on the memory of the npu tensors on the stack.
void fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack);

// The memory of an npu tensor as a CPU tensor. It keeps the owner's memory alive; it must not be resized.
at::Tensor lend_for_copy(const at::Tensor &tensor);

// The same for many tensors of one call: those that share a storage share the lent one. `storages` remembers them.
at::Tensor lend(const at::Tensor &tensor, std::unordered_map<c10::StorageImpl *, c10::Storage> &storages);

// Make a CPU tensor that came of lent ones an npu tensor, on the same memory; any other tensor stays as it is.
void take_result(at::Tensor &tensor, c10::Device device);

// Dispatch keys that lent tensors have not, to exclude while CPU code works on them.
c10::DispatchKeySet keys_not_lent();

// Register the fallback for every operator that has a CPU kernel but whose generic kernel would be chosen for the
// device otherwise (structured operators: their generic kernel costs a second dispatch). Returns how many there were.
int prefer_host_kernels();

} // namespace ferrata_npu
