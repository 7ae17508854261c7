"""What did not convert, and how it is told: nodes without a way to GE all together, failures of converters with their line.

The conversion collects these while it walks (`convert`); `missing` finds the former in a graph without converting it.
"""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from ferrata import errors
from ferrata.ge.ir import Where
from ferrata.torchair import converters, registry
from ferrata.torchair.derive import Refusal, derive, has_device_kernel
from ferrata.torchair.source import target_name, where_of

# frames below these folders are not the user's
_PACKAGES = (str(Path(__file__).parents[1]), str(Path(torch.__file__).parent))
# nor, mostly, those of libraries that a converter calls
_LIBRARIES = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))


def no_converter(missing: Sequence[tuple[Where, Any, str]]) -> errors.NoConverter:
    """The error that lists them all: where each is, its operator, and why."""
    listing = "\n".join(f"  {target_name(t)}  at {w}  {w.code}  ({reason})" for w, t, reason in missing)
    first = f"torch.ops.{target_name(missing[0][1])}"
    return errors.NoConverter(count=len(missing), listing=listing, example=first)


def missing(gm: torch.fx.GraphModule) -> list[tuple[Where, Any, str]]:
    """The nodes of a graph and of the graphs inside it that have no way to GE, without converting anything."""
    found: list[tuple[Where, Any, str]] = []
    for inner in gm.modules():
        for node in inner.graph.nodes if isinstance(inner, torch.fx.GraphModule) else ():
            target = node.target
            if isinstance(target, torch._ops.HigherOrderOperator) and node.args:
                target = node.args[0]  # of a wrapper around an operator in place
            if node.op != "call_function" or not registry.is_custom(target):
                continue
            if registry.find(target) is None and converters.find(target) is None:
                derived = derive(target)
                if isinstance(derived, Refusal) and is_missing(target, derived):
                    found.append((where_of(node), target, derived.reason + registry.near(target)))
    return found


def is_missing(target: Any, derived: Refusal) -> bool:
    """Whether nothing runs an operator without a converter: its prototype does not fit, or there is no kernel either."""
    return derived.known or not has_device_kernel(target)


def raised_by(
    converter: Any, node: torch.fx.Node, where: Where, failure: Exception, args: list[Any], kwargs: dict[str, Any]
) -> errors.GraphError:
    """The error for what a converter raised when it was called like this."""
    error = _not_called(node, where, converter, failure, args, kwargs)
    if error is None:
        error = errors.ConverterFailed(
            target=target_name(node.target), node=node.name, where=str(where),
            kind=type(failure).__name__, reason=str(failure), others="",
        )  # fmt: skip
        error = located(error, failure, converter)
    error.__cause__ = failure
    return error


def located(error: errors.GraphError, raised: BaseException, converter: Any) -> errors.GraphError:
    """`error` with the line of the user's converter from which `raised` came, else where the converter stands."""
    frames = [f for f in traceback.extract_tb(raised.__traceback__) if not f.filename.startswith(_PACKAGES)]
    frames = [f for f in frames if not f.filename.startswith(_LIBRARIES)] or frames
    if frames:
        line = f"Raised in the converter, {frames[-1].filename}:{frames[-1].lineno}: {frames[-1].line}"
        error.args = (f"{error}\n\n{line}",)
    elif isinstance(converter, registry.Converter):
        error.args = (f"{error}\n\nThe converter is {registry.described(converter.function)}.",)
    return error


def _not_called(
    node: torch.fx.Node, where: Where, converter: Any, failure: Exception, args: list[Any], kwargs: dict[str, Any]
) -> errors.GraphError | None:
    """The error for a converter whose parameters do not fit the node; None if `failure` is another one."""
    problem = converter.misfit(failure, args, kwargs) if isinstance(converter, registry.Converter) else None
    if problem is None:
        return None
    given = [*map(repr, args), *(f"{k}={v!r}" for k, v in kwargs.items())]
    schema = getattr(node.target, "_schema", None)
    return errors.ConverterSignature(
        target=target_name(node.target), node=node.name, where=str(where), problem=problem, given=f"({', '.join(given)})",
        converter=registry.described(converter.function, converter.signature),
        schema=target_name(node.target) if schema is None else schema,
    )  # fmt: skip
