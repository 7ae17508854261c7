// The boxed fallback as the other translation units use it.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace ferrata_npu {

// Run `op` by its CPU kernel on the memory of the npu tensors on the stack.
void fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack);

// The memory of an npu tensor as a CPU tensor. It keeps the owner's memory alive; it must not be resized.
at::Tensor lend_for_copy(const at::Tensor &tensor);

// Register the fallback for every operator that has a CPU kernel but whose generic kernel would be chosen for the
// device otherwise (structured operators: their generic kernel costs a second dispatch). Returns how many there were.
int prefer_host_kernels();

} // namespace ferrata_npu
