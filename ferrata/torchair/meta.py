"""Meta values: fill them in where a graph lacks them, and say plainly when an operator has no Meta at all."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import torch

from ferrata import errors
from ferrata.torchair.absent import absent
from ferrata.torchair.source import shorten

_lock = threading.Lock()
_installed = False


def fill_meta(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> None:
    """Run fakes for nodes without a Meta value (passes of the user leave such nodes); adds no guard."""
    calls = ("call_function", "call_method", "call_module", "placeholder")
    incomplete = [n for n in gm.graph.nodes if n.op in calls and "val" not in n.meta]
    if not incomplete:
        return
    with _fakes_of(gm, example_inputs) as runner:
        for node in gm.graph.nodes:  # only what lacks a value: running the others again costs time, and may add guards
            if node.op == "output":
                continue
            if "val" in node.meta and node.op in calls:
                runner.env[node] = node.meta["val"]
                next(runner.args_iter) if node.op == "placeholder" else None
            else:
                runner.env[node] = runner.run_node(node)


class NodeFails(Exception):
    """A node whose fake raised; that is the cause."""

    def __init__(self, node: torch.fx.Node) -> None:
        super().__init__(node.name)
        self.node = node


def refresh(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], changed: Collection[torch.fx.Node]) -> None:
    """Run fakes again for nodes that changed and for what follows from them. Raises NodeFails.

    A value that comes out as it was stays the same object. Values with sizes that only a run tells stay in any case: another
    run of the fake would be another size.
    """
    if not changed:
        return
    from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

    moved: set[torch.fx.Node] = set()
    with _fakes_of(gm, example_inputs) as runner:
        for node in gm.graph.nodes:
            if node.op == "output":
                continue
            known, old = "val" in node.meta, node.meta.get("val")
            if known and not (_repeatable(node) and (node in changed or not moved.isdisjoint(node.all_input_nodes))):
                runner.env[node] = old
                next(runner.args_iter) if node.op == "placeholder" else None
                continue
            node.meta.pop("val", None)
            try:
                runner.env[node] = runner.run_node(node)
            except GuardOnDataDependentSymNode as problem:
                if not known:
                    raise NodeFails(node) from problem
                runner.env[node] = node.meta["val"] = old
                continue
            except Exception as problem:
                raise NodeFails(node) from problem
            new = node.meta.setdefault("val", None)
            if known and _same(old, new):
                node.meta["val"] = old
            elif known:
                moved.add(node)


def _repeatable(node: torch.fx.Node) -> bool:
    if "unbacked_bindings" in node.meta or isinstance(node.target, torch._ops.HigherOrderOperator):
        return False
    return node.op == "call_function" and torch.Tag.inplace_view not in getattr(node.target, "tags", ())


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        return len(old) == len(new) and all(map(_same, old, new))
    if isinstance(old, torch.Tensor) and isinstance(new, torch.Tensor):
        return _layout(old) == _layout(new)
    return type(old) is type(new) and str(old) == str(new)


def _layout(value: torch.Tensor) -> tuple[Any, ...]:
    strides = value.stride() if value.layout == torch.strided else ()
    # sizes are compared as texts: comparing themselves may add guards
    return value.dtype, value.device, tuple(map(str, value.shape)), tuple(map(str, strides))


@contextlib.contextmanager
def _fakes_of(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Iterator[Any]:
    """What runs single nodes on fakes, without adding a guard."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.passes.fake_tensor_prop import FakeTensorProp

    mode = _mode_of(gm, example_inputs) or FakeTensorMode(allow_non_fake_inputs=True)
    with _no_guards(mode), mode:
        fakes = [
            mode.from_tensor(x) if isinstance(x, torch.Tensor) and getattr(x, "fake_mode", None) is None else x
            for x in example_inputs
        ]
        runner = FakeTensorProp(gm, mode)
        runner.args_iter = iter(fakes)
        yield runner


def _mode_of(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Any:
    values = [*example_inputs, *(n.meta.get("val") for n in gm.graph.nodes)]
    return next((v.fake_mode for v in values if getattr(v, "fake_mode", None) is not None), None)


@contextlib.contextmanager
def _no_guards(mode: Any) -> Iterator[None]:
    env = getattr(mode, "shape_env", None)
    with env.suppress_guards() if env is not None else contextlib.nullcontext():
        yield


def explain_missing_meta(is_ours: Any) -> None:
    """Make Dynamo name an operator without Meta, or one that does not exist, by our errors, for functions compiled with
    one of our backends.

    Dynamo meets such an operator before any backend is called, so the only way is its own function for "unsupported"
    there. It is wrapped once; only the class and the text of these errors change, and graph breaks stay graph breaks.
    """
    global _installed
    with _lock:
        if _installed:
            return
        _installed = True
    from torch._dynamo import exc, symbolic_convert

    original = exc.unimplemented

    def told(kind: type[errors.GraphError], gb_type: str, **fields: Any) -> Exception:
        """One of our errors that also is what Dynamo breaks graphs for."""

        def init(self: Any) -> None:
            self.fields = fields
            exc.Unsupported.__init__(self, self.render(), gb_type=gb_type)

        body = {"__doc__": kind.__doc__, "__init__": init, "__module__": kind.__module__}
        made: Exception = type(kind.__name__, (kind, exc.Unsupported), body)()
        return made

    def unimplemented(*args: Any, **kwargs: Any) -> Any:
        gb_type = kwargs.get("gb_type")
        if gb_type == "Operator does not support running with fake tensors" and is_ours(_backend()):
            cause = kwargs.get("from_exc")
            op = getattr(cause, "func", None)
            name = str(op) if op is not None else str(kwargs.get("context", "")).removeprefix("unsupported operator: ")
            name, namespace = name.removesuffix(".default").replace(".", "::", 1), name.split(".")[0]
            raise told(errors.MetaMissing, "operator without Meta", op=name, namespace=namespace, where=_user_line()[0])
        if gb_type == "Observed exception" and "AttributeError" in str(kwargs.get("context")) and is_ours(_backend()):
            where, code = _user_line()
            found = absent(code)
            if found is not None:
                raise told(
                    errors.NoSuchOperator, "operator that does not exist", op=found[0], where=where, near=found[1]
                )
        return original(*args, **kwargs)

    exc.unimplemented = unimplemented  # looked up there when an operator's fake fails
    symbolic_convert.unimplemented = unimplemented  # type: ignore[attr-defined]  # and there for what a line raises


def _backend() -> Any:
    from torch._dynamo.symbolic_convert import InstructionTranslator

    with contextlib.suppress(AttributeError):  # outside of a translation there is no current one
        return InstructionTranslator.current_tx().output.compiler_fn
    return None


def _user_line() -> tuple[str, str]:
    """Where Dynamo is in the user's program, and the text of that line."""
    stack = torch._guards.TracingContext.extract_stack()
    if not stack:
        return "(no source line)", ""
    return f"{shorten(stack[-1].filename)}:{stack[-1].lineno}", stack[-1].line or ""
