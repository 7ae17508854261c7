"""Record what a program does on the device, once, and replay it: the memory stays, the host's part is gone.

While the program runs, a dispatch mode sees every ATen call with its tensors. Sizes, views and allocations are results
of the recording: they need not be done again. What is left is one line per operator that computes, in a generated
function, writing to the memory that it wrote when it was recorded (by its `out` variant where it has one).
"""

from __future__ import annotations

import functools
import keyword
import linecache
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ferrata import errors
from ferrata.torchair.arena import Block, Lives

_READS = frozenset({"aten::_local_scalar_dense", "aten::item", "aten::is_nonzero", "aten::equal"})
_EMPTY = frozenset(
    {"aten::empty", "aten::empty_like", "aten::empty_strided", "aten::new_empty", "aten::new_empty_strided"}
)
_KNOWN = ("aten", "prims")  # their operators keep no tensor
_COPIES = frozenset({"aten::_to_copy", "aten::copy_", "aten::to"})


class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Collects the lines of the replay. line_of: what to call the place in errors, asked when one is refused.

    lives: when each piece of memory is written and read.
    """

    def __init__(self, line_of: Callable[[str], str]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.line_of = line_of
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {}
        self.kept: list[torch.Tensor] = []  # results live as long as the recording: their memory is written again
        self.lives = Lives()
        self._names: dict[int, str] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        self._check(func, args, kwargs)
        result = func(*args, **kwargs)
        outputs = _tensors(result)
        given = _tensors((args, kwargs))
        owners = set(map(_owner, given))
        self.lives.made([t for t in outputs if _owner(t) not in owners], len(self.lines))
        if func.namespace not in _KNOWN:
            self.lives.stays([*given, *outputs])
        if func._schema.is_mutable:
            self._writes(func, args, kwargs, result)
        elif not func._schema.returns:
            self.lines.append(self._call(func, args, kwargs))  # it prints, or orders
        elif outputs and not _shares(outputs, _tensors((args, kwargs))) and func._schema.name not in _EMPTY:
            self._computes(func, args, kwargs, result, outputs)
        self.kept += outputs
        return result

    def _check(self, func: Any, args: Any, kwargs: Any) -> None:
        """Refuse what a replay could not do again: the host looking at values of the device."""
        name = func._schema.name
        reason = ""
        if name in _READS:
            reason = "the host reads a value that the device computes, and a replay would not read it again"
        elif name in _COPIES and _to_host(name, args, kwargs):
            reason = "it copies from the device to the host, which then works with values of the recording"
        if reason:
            raise errors.CaptureRefused(
                op=name.replace("::", "."), where=self.line_of(name), reason=reason, way=WAY_READ
            )

    def _writes(self, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        """The call again, on the same memory; what it returns besides goes where it went."""
        returned = result if isinstance(result, (list, tuple)) else (result,)
        fresh = [i for i, spec in enumerate(func._schema.returns) if spec.alias_info is None]
        tensors = [self._bind(returned[i], "m") for i in fresh if isinstance(returned[i], torch.Tensor)]
        call = self._call(func, args, kwargs)
        if tensors:
            chosen = f"{self._bind(_chosen, 'chosen')}({call}, {fresh})"
            call = f"{self._bind(_move, 'move')}([{', '.join(tensors)}], {chosen})"
        self.lines.append(call)

    def _computes(self, func: Any, args: Any, kwargs: Any, result: Any, outputs: list[torch.Tensor]) -> None:
        variant = out_variant(func)
        if variant is not None and len(outputs) == len(variant[1]):
            op, names = variant
            self.lines.append(self._call(op, args, {**kwargs, **dict(zip(names, outputs, strict=True))}))
            return
        targets = [self._bind(t, "m") for t in outputs]
        call = self._call(func, args, kwargs)
        if isinstance(result, torch.Tensor):
            self.lines.append(f"{targets[0]}.copy_({call})")
        else:
            move = self._bind(_move, "move")
            self.lines.append(f"{move}([{', '.join(targets)}], {call})")

    def _call(self, func: Any, args: Any, kwargs: Any) -> str:
        fn = self._bind(getattr(func, "_op", func), func._schema.name.split("::")[-1])
        parts = [self._text(a) for a in args] + [
            f"{k}={self._text(v)}" for k, v in kwargs.items() if not keyword.iskeyword(k)
        ]
        words = {k: v for k, v in kwargs.items() if keyword.iskeyword(k)}  # `from` of random_
        if words:
            parts.append(f"**{self._bind(words, 'words')}")
        return f"{fn}({', '.join(parts)})"

    def _text(self, value: Any) -> str:
        if value is None or type(value) in (bool, int, str):
            return repr(value)
        if isinstance(value, torch.Tensor):
            return self._bind(value, "m")
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(self._text(v) for v in value)}]"
        return self._bind(value, "c")

    def _bind(self, value: Any, hint: str) -> str:
        name = self._names.get(id(value))
        if name is None:
            name = f"{re.sub(r'[^0-9a-zA-Z_]', '_', hint)}_{len(self.scope)}"
            self._names[id(value)] = name
            self.scope[name] = value  # keeps it alive, so that the id stays its own
        if isinstance(value, torch.Tensor):
            self.lives.named(name, value, len(self.lines))
        return name

    def packed(self, results: Sequence[Any]) -> tuple[dict[str, torch.Tensor], Block]:
        """What only the recording needs, by name, in one block. results: what the program returned."""
        named = (v for v in self.scope.values() if isinstance(v, torch.Tensor))
        return self.lives.packed([*self.kept, *named], results)

    def program(self, name: str, packed: Mapping[str, torch.Tensor]) -> tuple[str, Callable[[], None]]:
        """The text of the replay, and the replay. packed: tensors that lie elsewhere than when it was recorded."""
        source = "\n    ".join([f"def replay():  # {name}", *(self.lines or ["pass"])]) + "\n"
        file = f"<replay {name} #{id(self)}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        scope = {**self.scope, **packed}
        exec(compile(source, file, "exec"), scope)
        return source, scope["replay"]


WAY_READ = (
    "Keep the decision on the device (torch.where, torch.cond outside of capture), compute it before the compiled function, "
    'or compile with mode "max-autotune", which does not capture.'
)


@functools.cache
def out_variant(func: Any) -> tuple[Any, tuple[str, ...]] | None:
    """The overload that computes the same into given tensors, and the names of these arguments."""
    schema = func._schema
    packet = getattr(func, "overloadpacket", None)
    if packet is None or schema.is_mutable or func.namespace != "aten":
        return None
    mine = [(a.name, str(a.type), a.kwarg_only) for a in schema.arguments]
    for name in packet.overloads():
        other = getattr(packet, name)
        arguments = other._schema.arguments
        outs = [a for a in arguments if a.is_out]
        given = [(a.name, str(a.type), a.kwarg_only) for a in arguments if not a.is_out]
        if outs and len(outs) == len(schema.returns) and _same(mine, given):
            return other, tuple(a.name for a in outs)
    return None


_OPTIONS = ("dtype", "layout", "device", "pin_memory")  # an out variant takes them from its out


def _same(mine: Sequence[Any], given: Sequence[Any]) -> bool:
    return list(mine) == list(given) and not any(m[0] in _OPTIONS and m[2] for m in mine)


def is_view(func: Any) -> bool:
    returns = func._schema.returns
    return bool(returns) and all(r.alias_info is not None and not r.alias_info.is_write for r in returns)


def _owner(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata if tensor.layout == torch.strided else 0


def _shares(outputs: Sequence[torch.Tensor], inputs: Sequence[torch.Tensor]) -> bool:
    """Whether the results are views of the arguments: with the memory they are there already."""
    owners = {t.untyped_storage()._cdata for t in inputs}
    return all(t.untyped_storage()._cdata in owners for t in outputs)


def _chosen(result: Any, places: Sequence[int]) -> list[Any]:
    returned = result if isinstance(result, (list, tuple)) else (result,)
    return [returned[i] for i in places]


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in _tensors(v)]
    if isinstance(value, dict):
        return [t for v in value.values() for t in _tensors(v)]
    return []


def _to_host(name: str, args: Any, kwargs: Any) -> bool:
    if name == "aten::copy_":
        target, source = args[0], args[1]
        return bool(target.device.type == "cpu" and source.device.type != "cpu")
    device = kwargs.get("device")
    return device is not None and torch.device(device).type == "cpu" and args[0].device.type != "cpu"


def _move(targets: Sequence[torch.Tensor], results: Any) -> None:
    for target, result in zip(targets, _tensors(results), strict=True):
        target.copy_(result)
