// Every operator of the device runs on ATen's CPU kernel, on the same memory.
//
// lend    each npu tensor on the stack becomes a CPU tensor whose storage is the same memory
// call    the CPU kernel runs; what it allocates is device memory already
// return  an output that is an input comes back as that very tensor, a view gets the owner's storage, a new tensor
//         becomes an npu tensor in place; inputs that the operator resized or restrided follow
// Nothing is copied. Devices, generators and lists in the arguments are translated likewise.
#include "fallback.h"

#include "device.h"

#include <ATen/SparseTensorImpl.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/SmallVector.h>
#include <torch/library.h>

#include <atomic>
#include <unordered_map>

namespace ferrata_npu {
namespace {

using c10::BackendComponent;
using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::StorageImpl;
using c10::TensorImpl;

std::atomic<bool> strict{false};

// TensorImpl keeps these for derived classes; a tensor changes its device here and nowhere else.
struct Fields : TensorImpl {
  static DispatchKeySet &keys(TensorImpl *impl) { return impl->*(&Fields::key_set_); }
  static std::optional<c10::Device> &device(TensorImpl *impl) { return impl->*(&Fields::device_opt_); }
  static c10::Storage &storage(TensorImpl *impl) { return impl->*(&Fields::storage_); }
  static void copy_metadata(const TensorImpl *from, TensorImpl *to) { copy_generic_tensor_metadata(from, to); }
};

const DispatchKeySet cpu_bit({BackendComponent::CPUBit}), npu_bit({BackendComponent::PrivateUse1Bit});
const DispatchKeySet autocast_cpu(DispatchKey::AutocastCPU), autocast_npu(DispatchKey::AutocastPrivateUse1);
// Keys of a tensor that matter to a CPU kernel. Without the autograd keys a lent tensor costs less, and cannot record.
const DispatchKeySet lent_keys({DispatchKey::Dense, DispatchKey::Conjugate, DispatchKey::Negative,
                                DispatchKey::ZeroTensor});
const DispatchKeySet skipped_keys = c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset;

DispatchKeySet npu_keys(DispatchKeySet keys) {
  auto out = keys.remove_backend(BackendComponent::CPUBit) | npu_bit;
  return keys.has(DispatchKey::AutocastCPU) ? (out - autocast_cpu) | autocast_npu : out;
}

void return_owner(void *owner) {
  c10::intrusive_ptr<StorageImpl>::reclaim(static_cast<StorageImpl *>(owner)); // and drop the reference
}

struct Loan {
  at::Tensor owner, lent;
  bool written; // the schema says that the operator may write it, so its shape or storage may have changed
};
TensorImpl *impl_of(const at::Tensor &tensor) { return tensor.unsafeGetTensorImpl(); }
StorageImpl *storage_of(const at::Tensor &tensor) { return Fields::storage(impl_of(tensor)).unsafeGetStorageImpl(); }

c10::Storage lend_storage(StorageImpl *owner) {
  c10::raw::intrusive_ptr::incref(owner);
  c10::DataPtr data(owner->mutable_data_ptr().mutable_get(), owner, &return_owner, c10::Device(c10::DeviceType::CPU));
  return c10::make_intrusive<StorageImpl>(StorageImpl::use_byte_size_t(), owner->nbytes(), std::move(data),
                                          c10::GetCPUAllocator(), owner->resizable());
}

at::Tensor lend_dense(TensorImpl *owner, c10::Storage storage) {
  auto lent = at::detail::make_tensor<TensorImpl>(TensorImpl::VIEW, std::move(storage),
                                                  (owner->key_set() & lent_keys) | cpu_bit, owner->dtype());
  Fields::copy_metadata(owner, impl_of(lent));
  Fields::device(impl_of(lent)) = c10::Device(c10::DeviceType::CPU);
  return lent;
}

void restamp(TensorImpl *impl, c10::Device device) {
  auto keys = npu_keys(Fields::keys(impl));
  if (!impl->version_counter().enabled() && !c10::InferenceMode::is_enabled()) {
    // A view of a lent tensor: lent tensors have neither autograd keys nor a version.
    keys = keys | c10::getAutogradRelatedKeySetFromBackend(BackendComponent::PrivateUse1Bit) | autocast_npu;
    Fields::keys(impl) = keys;
    impl->set_version_counter(c10::VariableVersion(0));
  } else {
    Fields::keys(impl) = keys;
  }
  Fields::device(impl) = device;
}

c10::Storage owner_of(StorageImpl *lent) {
  auto *owner = static_cast<StorageImpl *>(lent->data_ptr().get_context());
  return c10::Storage(c10::intrusive_ptr<StorageImpl>::reclaim_copy(owner));
}

// Make a CPU tensor that a kernel returned an npu tensor on the same memory.
void take_dense(at::Tensor &tensor, c10::Device device) {
  TensorImpl *impl = impl_of(tensor);
  StorageImpl *storage = Fields::storage(impl).unsafeGetStorageImpl();
  if (storage->data_ptr().get_deleter() == &return_owner) {
    Fields::storage(impl) = owner_of(storage);
  } else if (storage->device().is_cpu()) {
    // A CPU tensor that somebody else holds (a constant of a kernel written in Python) must stay one.
    if (C10_UNLIKELY(tensor.use_count() > 1 && !is_device_memory(storage->data_ptr()))) {
      HostMemoryOnDevice memory(device.index());
      tensor = tensor.detach().clone();
      impl = impl_of(tensor);
      storage = storage_of(tensor);
    }
    take_over(storage, device);
  }
  restamp(impl, device);
}

class Call {
public:
  Call(const c10::OperatorHandle &op, torch::jit::Stack &stack, DispatchKey host)
      : op_(op), stack_(stack), host_(host) {}

  void run() {
    const auto &schema = op_.schema();
    const auto &arguments = schema.arguments();
    size_t first = stack_.size() - arguments.size();
    for (size_t i = 0; i < arguments.size(); ++i)
      lend_argument(stack_[first + i], arguments[i]);
    if (C10_UNLIKELY(foreign_ && device_.has_value()))
      refuse_mixed_devices();
    auto device = device_.value_or(c10::Device(NPU, current_device()));
    {
      HostMemoryOnDevice memory(device.index());
      c10::impl::ExcludeDispatchKeyGuard no_autograd(skipped_keys);
      op_.redispatchBoxed(DispatchKeySet(host_), &stack_);
    }
    for (auto &loan : loans_)
      if (loan.written)
        follow(loan);
    for (size_t i = stack_.size() - schema.returns().size(); i < stack_.size(); ++i)
      take_result(stack_[i], device);
  }

private:
  const c10::OperatorHandle &op_;
  torch::jit::Stack &stack_;
  const DispatchKey host_; // whose kernel runs: CPU or SparseCPU
  c10::SmallVector<Loan, 6> loans_;
  std::optional<c10::Device> device_;
  bool foreign_ = false; // a CPU (or other) tensor of more than 0 dimensions is among the arguments
  c10::Device foreign_device_{c10::DeviceType::CPU};

  // --- arguments ---

  void lend_argument(c10::IValue &value, const c10::Argument &argument) {
    if (value.isTensor()) {
      lend_in_place(value, argument.alias_info() != nullptr);
    } else if (value.isNone()) {
      default_generator_for(value, argument);
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      list.reserve(value.toListRef().size());
      for (const at::Tensor &tensor : value.toTensorVector())
        list.push_back(lend(tensor, argument.alias_info() != nullptr));
      value = std::move(list);
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (std::optional<at::Tensor> tensor : value.toOptionalTensorVector())
        list.push_back(tensor.has_value() ? std::optional(lend(*tensor, false)) : std::nullopt);
      value = std::move(list);
    } else if (value.isDevice()) {
      auto device = value.toDevice();
      if (device.type() == NPU) {
        meet(npu(device.index()));
        value = c10::Device(c10::DeviceType::CPU);
      }
    } else if (value.isGenerator()) {
      value = host_generator(value.toGenerator());
    }
  }

  // A random operator without a generator draws from the device's default one, not from the CPU's.
  void default_generator_for(c10::IValue &value, const c10::Argument &argument) {
    const auto &type = argument.type();
    if (type->kind() == c10::TypeKind::OptionalType &&
        type->castRaw<c10::OptionalType>()->getElementType()->kind() == c10::TypeKind::GeneratorType)
      value = host_generator(default_generator(device_.has_value() ? device_->index() : current_device()));
  }

  void lend_in_place(c10::IValue &value, bool written) {
    if (value.toTensor().defined())
      value = lend(std::move(value).toTensor(), written);
  }

  void meet(c10::Device device) {
    if (C10_LIKELY(!device_.has_value()))
      device_ = device;
    else
      TORCH_CHECK(*device_ == device, "Expected all tensors to be on the same device, but found at least two devices, ",
                  *device_, " and ", device, "! (when running ", op_.schema().operator_name(), ")");
  }

  at::Tensor lend(at::Tensor tensor, bool written) {
    if (!tensor.defined())
      return tensor;
    TensorImpl *impl = tensor.unsafeGetTensorImpl();
    auto keys = Fields::keys(impl);
    if (C10_UNLIKELY(!keys.has_backend(BackendComponent::PrivateUse1Bit))) {
      if (tensor.dim() != 0 || !tensor.device().is_cpu()) {
        foreign_ = true;
        foreign_device_ = tensor.device();
      }
      return tensor;
    }
    meet(*Fields::device(impl));
    for (auto &loan : loans_)
      if (C10_UNLIKELY(impl_of(loan.owner) == impl)) {
        loan.written |= written;
        return loan.lent;
      }
    at::Tensor lent = impl->has_storage() ? lend_dense(impl, shared_storage(storage_of(tensor))) : lend_sparse(tensor);
    loans_.push_back({std::move(tensor), lent, written});
    return lent;
  }

  // Tensors that share a storage must share the lent one too: kernels look for overlap by storage.
  c10::Storage shared_storage(StorageImpl *owner) {
    for (auto &loan : loans_)
      if (impl_of(loan.owner)->has_storage() && storage_of(loan.owner) == owner)
        return Fields::storage(impl_of(loan.lent));
    return lend_storage(owner);
  }

  at::Tensor lend_sparse(const at::Tensor &tensor) {
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kSparse, op_.schema().operator_name(),
                                ": the npu device has no tensors of layout ", tensor.layout(), ".");
    auto *from = static_cast<at::SparseTensorImpl *>(impl_of(tensor));
    auto lent = at::detail::make_tensor<at::SparseTensorImpl>(DispatchKeySet(DispatchKey::SparseCPU), tensor.dtype());
    auto *to = static_cast<at::SparseTensorImpl *>(impl_of(lent));
    to->resize_(from->sparse_dim(), from->dense_dim(), from->sizes());
    to->set_indices_and_values_unsafe(lend(from->indices(), false), lend(from->values(), false));
    to->set_coalesced(from->coalesced());
    return lent;
  }

  void refuse_mixed_devices() {
    // Operators whose kernels take index or length tensors from the host, as torch's other devices do.
    static const auto *host_arguments = new std::unordered_set<std::string>{"aten::index",
                                                                            "aten::index_put",
                                                                            "aten::index_put_",
                                                                            "aten::_index_put_impl_",
                                                                            "aten::_unsafe_index",
                                                                            "aten::_unsafe_index_put",
                                                                            "aten::_pack_padded_sequence",
                                                                            "aten::_ctc_loss",
                                                                            "aten::_ctc_loss_backward",
                                                                            "aten::_nested_view_from_buffer"};
    if (foreign_device_.is_cpu() && host_arguments->count(op_.schema().name()))
      return;
    TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, ", *device_,
                " and ", foreign_device_, "! (when running ", op_.schema().operator_name(),
                "; move the tensors with .to() first)");
  }

  // --- results ---

  void follow(Loan &loan) {
    TensorImpl *owner = impl_of(loan.owner), *lent = impl_of(loan.lent);
    if (!owner->has_storage())
      return;
    StorageImpl *mine = storage_of(loan.owner), *theirs = storage_of(loan.lent);
    const auto &data = theirs->data_ptr();
    if (C10_UNLIKELY(data.get_deleter() != &return_owner)) {
      // The kernel gave the storage new memory (resize_, out=): the owner gets it, for all its views.
      auto bytes = theirs->nbytes();
      auto device = mine->device();
      take_over(theirs, device);
      mine->set_data_ptr_noswap(std::move(theirs->_mutable_data_ptr_no_checks()));
      mine->set_nbytes(bytes);
      c10::raw::intrusive_ptr::incref(mine);
      theirs->set_data_ptr_noswap({mine->_mutable_data_ptr_no_checks().mutable_get(), mine, &return_owner,
                                   c10::Device(c10::DeviceType::CPU)}); // later loans and views still find the owner
    } else if (C10_UNLIKELY(data.get_context() != mine)) {
      // set_() or swap: the lent tensor now uses the storage of another one.
      Fields::storage(owner) = owner_of(theirs);
    } else if (C10_LIKELY(lent->sizes() == owner->sizes() && lent->strides() == owner->strides() &&
                          lent->storage_offset() == owner->storage_offset() && lent->dtype() == owner->dtype())) {
      return;
    }
    auto device = Fields::device(owner);
    Fields::copy_metadata(lent, owner);
    Fields::device(owner) = device;
  }

  void take_result(c10::IValue &value, c10::Device device) {
    if (value.isTensor()) {
      at::Tensor &tensor = value.toTensor();
      if (tensor.defined())
        take(tensor, device);
    } else if (value.isTensorList()) {
      auto list = value.toTensorList();
      for (size_t i = 0; i < list.size(); ++i) {
        at::Tensor tensor = list.extract(i);
        if (tensor.defined())
          take(tensor, device);
        list.set(i, std::move(tensor));
      }
    }
  }

  // Make a result an npu tensor, or the input that it is.
  void take(at::Tensor &tensor, c10::Device device) {
    TensorImpl *impl = impl_of(tensor);
    for (auto &loan : loans_)
      if (impl_of(loan.lent) == impl) {
        tensor = loan.owner;
        return;
      }
    if (!Fields::keys(impl).has_backend(BackendComponent::CPUBit))
      return;
    if (!impl->has_storage())
      return take_sparse(tensor, device);
    take_dense(tensor, device);
    TORCH_CHECK_NOT_IMPLEMENTED(!tensor.is_quantized(), op_.schema().operator_name(),
                                ": quantized tensors are not supported on the npu device; use integer tensors with "
                                "explicit scales.");
  }

  void take_sparse(at::Tensor &tensor, c10::Device device) {
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kSparse, op_.schema().operator_name(),
                                ": the npu device has no tensors of layout ", tensor.layout(), ".");
    auto *impl = static_cast<at::SparseTensorImpl *>(impl_of(tensor));
    for (at::Tensor part : {impl->indices(), impl->values()})
      take(part, device);
    restamp(impl, device);
  }
};

void check_host_kernel(const c10::OperatorHandle &op, DispatchKey host) {
  const auto &schema = op.schema();
  const auto space = schema.getNamespace();
  TORCH_CHECK_NOT_IMPLEMENTED(
      op.hasComputedKernelForDispatchKey(host), schema.operator_name(),
      " has no kernel for the npu device and none for the CPU that could stand in. Register one: "
      "TORCH_LIBRARY_IMPL(",
      space.value_or("your_namespace"), ", PrivateUse1, m) { m.impl(...); }");
  TORCH_CHECK_NOT_IMPLEMENTED(
      !strict || space == "aten", schema.operator_name(),
      " has no kernel for the npu device, and TORCH_NPU_FALLBACK_CPU_DISABLE=1 forbids its CPU kernel.");
}

void checked_fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack) {
  check_host_kernel(op, DispatchKey::CPU);
  fallback(op, stack);
}

void sparse_fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack) {
  check_host_kernel(op, DispatchKey::SparseCPU);
  Call(op, *stack, DispatchKey::SparseCPU).run();
}

void refuse_layout(const c10::OperatorHandle &op, torch::jit::Stack *) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, op.schema().operator_name(),
      ": compressed sparse tensors (CSR, CSC, BSR, BSC) are not supported on the npu device; use "
      "sparse COO or dense tensors.");
}

} // namespace

void set_strict_fallback(bool value) { strict = value; }

void fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack) { Call(op, *stack, DispatchKey::CPU).run(); }

at::Tensor lend_for_copy(const at::Tensor &tensor) {
  TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kStrided, "copy_: the npu device has no tensors of layout ",
                              tensor.layout(), ".");
  return lend_dense(impl_of(tensor), lend_storage(storage_of(tensor)));
}

at::Tensor lend(const at::Tensor &tensor, std::unordered_map<c10::StorageImpl *, c10::Storage> &storages) {
  auto [known, fresh] = storages.try_emplace(storage_of(tensor));
  if (fresh)
    known->second = lend_storage(known->first);
  return lend_dense(impl_of(tensor), known->second);
}

void take_result(at::Tensor &tensor, c10::Device device) {
  TensorImpl *impl = impl_of(tensor);
  if (Fields::keys(impl).has_backend(BackendComponent::CPUBit) && impl->has_storage())
    take_dense(tensor, device);
}

c10::DispatchKeySet keys_not_lent() { return skipped_keys; }

int prefer_host_kernels() {
  struct Rule {
    DispatchKey device, host;
    torch::Library *library;
  };
  // The libraries are kept for the life of the process: destroying one removes its kernels.
  auto keep = [](DispatchKey key) { return new torch::Library(torch::Library::IMPL, "aten", key, __FILE__, __LINE__); };
  static const Rule rules[] = {
      {DispatchKey::PrivateUse1, DispatchKey::CPU, keep(DispatchKey::PrivateUse1)},
      {DispatchKey::SparsePrivateUse1, DispatchKey::SparseCPU, keep(DispatchKey::SparsePrivateUse1)}};
  auto &dispatcher = c10::Dispatcher::singleton();
  int number = 0;
  for (const auto &name : dispatcher.getAllOpNames()) {
    auto op = dispatcher.findOp(name);
    if (name.name.rfind("aten::", 0) != 0 || !op.has_value())
      continue;
    for (const auto &rule : rules) {
      if (op->hasKernelForDispatchKey(rule.device) || !op->hasKernelForDispatchKey(rule.host))
        continue;
      std::string key = name.name.substr(6) + (name.overload_name.empty() ? "" : "." + name.overload_name);
      rule.library->impl(key.c_str(), rule.device == DispatchKey::PrivateUse1
                                          ? torch::CppFunction::makeFromBoxedFunction<&fallback>()
                                          : torch::CppFunction::makeFromBoxedFunction<&sparse_fallback>());
      ++number;
    }
  }
  return number;
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&checked_fallback>()); }
TORCH_LIBRARY_IMPL(_, SparsePrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&sparse_fallback>());
}
TORCH_LIBRARY_IMPL(_, SparseCsrPrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&refuse_layout>());
}

} // namespace ferrata_npu
