"""The torch operator of a definition: its schema, and the functions that torch dispatches to.

Registered with torch.library: the device and the CPU (eager.py), fake, autograd, vmap and autocast. The library object
owns the registrations; dropping it takes them back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ferrata import errors
from ferrata.npu import extension
from ferrata.op.define import autograd, call, inplace, shapes, vmap
from ferrata.op.define.dims import Unknown
from ferrata.op.define.eager import Executor, attributes, split
from ferrata.op.define.model import ATTRIBUTES, Attribute, OperatorDef


def schema(definition: OperatorDef) -> str:
    """`add(Tensor x, Tensor y, *, float alpha=1.0) -> Tensor`."""
    parts: list[str] = []
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    positional = definition.attributes[: definition.keyword_only]
    for i, port in enumerate(definition.inputs):
        kind = "Tensor" + (f"({next(letters)}!)" if port.mutated else "")
        kind += {"required": "", "optional": "?", "list": "[]"}[port.kind]
        later = definition.inputs[i:]
        last = all(p.kind == "optional" for p in later) and not any(a.required for a in positional)
        parts.append(f"{kind} {port.name}" + ("=None" if last else ""))
    for i, attribute in enumerate(definition.attributes):
        parts += ["*"] * (i == definition.keyword_only)
        parts.append(_attribute(attribute))
    results = ["Tensor[]" if port.kind == "list" else "Tensor" for port in definition.outputs]
    returns = results[0] if len(results) == 1 else f"({', '.join(results)})"
    return f"{definition.short_name}({', '.join(parts)}) -> {returns}"


def _attribute(attribute: Attribute) -> str:
    text = f"{ATTRIBUTES[attribute.type][0]} {attribute.name}"
    return text if attribute.required else f"{text}={_default(attribute.default)}"


def _default(value: Any) -> str:
    if isinstance(value, str):
        return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'
    return f"[{', '.join(map(_default, value))}]" if isinstance(value, list) else repr(value)


class Registration:
    """The operator in torch. `op` is the overload, as a graph shows it."""

    def __init__(self, definition: OperatorDef) -> None:
        self.definition = definition
        namespace, name = definition.namespace, definition.short_name
        self._library = _library(namespace)
        tags = [torch.Tag.pt2_compliant_tag]
        if definition.unknowns:
            tags.append(torch.Tag.dynamic_output_shape)
        self._library.define(schema(definition), tags=tuple(tags))
        self.op: Any = getattr(getattr(torch.ops, namespace), name).default
        self.executor = Executor(definition)
        self._library.impl(name, self.executor.run, "PrivateUse1")
        self._library.impl(name, self.executor.on_copies, "CPU")
        torch.library.register_fake(definition.name, self._fake, lib=self._library)
        self._no_gradient: Any = None
        self._gradient: autograd.Gradient | None = None
        if definition.mutated:
            self._library.impl(name, self._mark_written, "Autograd", with_keyset=True)
        elif any(one.floating for port in definition.outputs for one in definition.allowed(port)):
            self._no_gradient = extension().register_no_gradient(namespace, name)
        torch.library.register_vmap(definition.name, self._vmap, lib=self._library)
        for key in ("AutocastPrivateUse1", "AutocastCPU"):
            if _mixes_types(definition):
                self._library.impl(name, self._autocast, key)

    def update(self, definition: OperatorDef) -> None:
        """Take over a definition that has another plan, shape function or backward."""
        before = self.definition
        if definition.backward is not None and (
            definition.backward is not before.backward or definition.outputs != before.outputs
        ):
            self._no_gradient = None
            self._gradient = autograd.Gradient(definition, self._library)
        self.definition = definition
        self.executor.update(definition)

    def close(self, instead: Callable[..., Any]) -> None:
        """Take the registrations back. instead: what whoever still holds the torch operator calls from now on; torch has
        freed what it stood for.
        """
        self._no_gradient = None
        for holder in (self.op, self.op.overloadpacket):
            holder._op = instead
        self._library._destroy()

    # --- what torch calls ---

    def _fake(self, *args: Any, **kwargs: Any) -> Any:
        definition = self.definition
        inputs, values = split(definition, args, kwargs)
        given = attributes(definition, values)
        sizes = [_each(value, lambda t: tuple(t.shape)) for value in inputs]
        dtypes = [_each(value, lambda t: t.dtype) for value in inputs]
        bound = call.bind_types(definition, [_each(d, lambda one: str(one).removeprefix("torch.")) for d in dtypes])
        found = shapes.of(definition, sizes, dtypes, given, _counted_size)
        call.check_sizes(definition, found)
        device = next((t.device for t in _flat(inputs)), torch.device("npu"))
        made: list[Any] = []
        for port, shape, element in zip(definition.outputs, found, call.output_types(definition, bound), strict=True):
            dtype = getattr(torch, str(element.torch))
            listed = shape if port.kind == "list" else [shape]
            tensors = [torch.empty(one, dtype=dtype, device=device) for one in listed]
            made.append(tensors if port.kind == "list" else tensors[0])
        return None if not made else made[0] if len(made) == 1 else tuple(made)

    def _mark_written(self, keyset: Any, *args: Any, **kwargs: Any) -> Any:
        """Above the device: what is written has a new version, so that a saved old one is noticed.

        Raises WrittenNeedsGradient without a backward: the gradient would be that of before the write.
        """
        inputs, values = split(self.definition, args, kwargs)
        if torch.is_grad_enabled():
            for port, value in zip(self.definition.inputs, inputs, strict=True):
                if any(tensor.requires_grad for tensor in _flat([value])):
                    if self._gradient is not None:
                        return inplace.apply(
                            self._gradient, inputs, values, lambda: self._write(keyset, inputs, args, kwargs)
                        )
                    raise errors.WrittenNeedsGradient(
                        op=self.definition.name, input=port.name, where=self.definition.where,
                        written=", ".join(one.name for one in self.definition.mutated),
                    )  # fmt: skip
        return self._write(keyset, inputs, args, kwargs)

    def _write(self, keyset: Any, inputs: Sequence[Any], args: Any, kwargs: Any) -> Any:
        for port, value in zip(self.definition.inputs, inputs, strict=True):
            if port.mutated:
                for tensor in _flat([value]):
                    torch.autograd.graph.increment_version(tensor)
        with torch._C._AutoDispatchBelowADInplaceOrView():
            return self.op.redispatch(keyset & torch._C._after_ADInplaceOrView_keyset, *args, **kwargs)

    def _vmap(self, info: Any, in_dims: Any, *args: Any, **kwargs: Any) -> Any:
        return vmap.batched(self.definition, self.op, info, in_dims, args, kwargs)

    def _autocast(self, *args: Any, **kwargs: Any) -> Any:
        """Under autocast, tensors that are declared to have one type get the widest of theirs."""
        inputs, values = split(self.definition, args, kwargs)
        key: Any = torch._C.DispatchKey
        keys = torch._C.DispatchKeySet(key.AutocastPrivateUse1) | torch._C.DispatchKeySet(key.AutocastCPU)
        named = dict(zip((a.name for a in self.definition.attributes), values, strict=True))
        with torch._C._ExcludeDispatchKeyGuard(keys):
            return self.op(*widened(self.definition, inputs), **named)


def widened(definition: OperatorDef, inputs: Sequence[Any]) -> list[Any]:
    """The inputs with the floating tensors of each dtype variable in one type, the widest; written ones stay."""
    groups: dict[str, list[torch.dtype]] = {}
    for port, value in zip(definition.inputs, inputs, strict=True):
        for tensor in _flat([value]):
            if tensor.is_floating_point():
                groups.setdefault(str(port.element), []).append(tensor.dtype)
    widest = {name: _widest(dtypes) for name, dtypes in groups.items()}
    out: list[Any] = []
    for port, value in zip(definition.inputs, inputs, strict=True):
        wanted = widest.get(str(port.element))
        allowed = [str(element.torch) for element in definition.allowed(port)]
        if wanted is None or port.mutated or str(wanted).removeprefix("torch.") not in allowed:
            out.append(value)
        else:
            out.append(_each(value, lambda t, to=wanted: t.to(to) if t.is_floating_point() else t))
    return out


def _widest(dtypes: Sequence[torch.dtype]) -> torch.dtype:
    result = dtypes[0]
    for dtype in dtypes[1:]:
        result = torch.promote_types(result, dtype)
    return result


def _library(namespace: str) -> Any:
    return torch.library.Library(namespace, "FRAGMENT")  # type: ignore[no-untyped-call]


def _mixes_types(definition: OperatorDef) -> bool:
    """Whether two tensors share a variable, so that autocast may give them different types."""
    names = [str(port.element) for port in definition.inputs if len(definition.allowed(port)) > 1]
    return len(names) > len(set(names)) or any(port.kind == "list" for port in definition.inputs)


def _counted_size(dim: Unknown, limit: Any) -> Any:
    """A new unknown size in the graph that is being traced, at most `limit`."""
    size = torch.library.get_ctx().new_dynamic_size()
    torch._check(size <= limit)  # type: ignore[no-untyped-call]
    return size


def _each(value: Any, function: Any) -> Any:
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return [_each(item, function) for item in value]
    return None if value is None else function(value)


def _flat(values: Sequence[Any]) -> list[Any]:
    out: list[Any] = []
    for value in values:
        out += [] if value is None else value if isinstance(value, (list, tuple)) else [value]
    return out
