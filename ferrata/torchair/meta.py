"""Meta values: fill them in where a graph lacks them, and say plainly when an operator has no Meta at all."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ferrata import errors

_lock = threading.Lock()
_installed = False


def fill_meta(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> None:
    """Run fakes for nodes without a Meta value (passes of the user leave such nodes); adds no guard."""
    calls = ("call_function", "call_method", "call_module", "placeholder")
    incomplete = [n for n in gm.graph.nodes if n.op in calls and "val" not in n.meta]
    if not incomplete:
        return
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
        for node in gm.graph.nodes:  # only what lacks a value: running the others again costs time, and may add guards
            if node.op == "output":
                continue
            if "val" in node.meta and node.op in calls:
                runner.env[node] = node.meta["val"]
                next(runner.args_iter) if node.op == "placeholder" else None
            else:
                runner.env[node] = runner.run_node(node)


def _mode_of(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Any:
    values = [*example_inputs, *(n.meta.get("val") for n in gm.graph.nodes)]
    return next((v.fake_mode for v in values if getattr(v, "fake_mode", None) is not None), None)


@contextlib.contextmanager
def _no_guards(mode: Any) -> Iterator[None]:
    env = getattr(mode, "shape_env", None)
    with env.suppress_guards() if env is not None else contextlib.nullcontext():
        yield


def explain_missing_meta(is_ours: Any) -> None:
    """Make Dynamo name an operator without Meta by our error, for functions compiled with one of our backends.

    Dynamo meets such an operator before any backend is called, so the only way is its own function for "unsupported"
    there. It is wrapped once; only the class and the text of that one error change, and graph breaks stay graph breaks.
    """
    global _installed
    with _lock:
        if _installed:
            return
        _installed = True
    from torch._dynamo import exc

    original = exc.unimplemented

    class MissingMeta(errors.MetaMissing, exc.Unsupported):
        __doc__ = errors.MetaMissing.__doc__

        def __init__(self, **fields: Any) -> None:
            self.fields = fields
            exc.Unsupported.__init__(self, self.render(), gb_type="operator without Meta")

    MissingMeta.__name__ = MissingMeta.__qualname__ = "MetaMissing"

    def unimplemented(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("gb_type") == "Operator does not support running with fake tensors" and is_ours(_backend()):
            cause = kwargs.get("from_exc")
            op = getattr(cause, "func", None)
            name = str(op) if op is not None else str(kwargs.get("context", "")).removeprefix("unsupported operator: ")
            raise MissingMeta(
                op=name.removesuffix(".default").replace(".", "::", 1), namespace=name.split(".")[0], where=_user_line()
            )
        return original(*args, **kwargs)

    exc.unimplemented = unimplemented  # looked up there when an operator's fake fails


def _backend() -> Any:
    from torch._dynamo.symbolic_convert import InstructionTranslator

    with contextlib.suppress(AttributeError):  # outside of a translation there is no current one
        return InstructionTranslator.current_tx().output.compiler_fn
    return None


def _user_line() -> str:
    import os

    stack = torch._guards.TracingContext.extract_stack()
    if not stack:
        return "(no source line)"
    frame = stack[-1]
    relative = os.path.relpath(frame.filename)
    return f"{frame.filename if relative.startswith('..') else relative}:{frame.lineno}"
