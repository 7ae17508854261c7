"""Shapes of the outputs of a call: from the annotations, or from the function under `@op.shape`.

A shape function sees operands whose sizes may be symbols. Before it runs on symbols of a real graph it runs once on
fresh ones, in a ShapeEnv that refuses every guard, so that a function that would fix a size is refused with its line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import torch

from ferrata import errors
from ferrata.op.define import call, place
from ferrata.op.define.dims import UNKNOWN, Broadcast, Computed, Fixed, Named, Rest, Unknown, evaluate, names
from ferrata.op.define.model import OperatorDef, Port
from ferrata.op.define.operands import Operand
from ferrata.op.define.plan import line_in


def of(
    definition: OperatorDef,
    shapes: Sequence[Any],
    dtypes: Sequence[Any],
    attributes: Mapping[str, Any],
    unknown: Callable[[Unknown, Any], Any],
) -> list[Any]:
    """The shape of each output; of a list a list of shapes. Adds no guard but those the signature states.

    shapes, dtypes: per input; lists of these for a list, None for an absent one. unknown: as for call.output_shapes.
    Raises what call.bind raises, UnboundDimension, ShapeSpecializes, BadShapeResult.
    """
    sizes = call.bind(definition, shapes, attributes)
    counts = [
        len(s) if p.kind == "list" else int(s is not None) for p, s in zip(definition.inputs, shapes, strict=True)
    ]
    if definition.shape is None:
        result = call.output_shapes(definition, sizes, counts, unknown)
    else:
        if _symbols(shapes):
            _prove(definition, shapes, dtypes, attributes)
        result = _asked(definition, shapes, dtypes, attributes)
        result = _matched(definition, sizes, counts, result, unknown)
    return result


def operands(definition: OperatorDef, shapes: Sequence[Any], dtypes: Sequence[Any]) -> list[Any]:
    """Operands of the inputs, in slots from 0 on: one an input, for a list a tuple of them, None for an absent one."""
    made: list[Any] = []
    slot = 0
    for port, shape, dtype in zip(definition.inputs, shapes, dtypes, strict=True):
        if port.kind == "list":
            pairs = enumerate(zip(shape, dtype, strict=True))
            made.append(tuple(Operand(f"{port.name}[{i}]", s, d, slot + i) for i, (s, d) in pairs))
            slot += len(shape)
        else:
            made.append(None if shape is None else Operand(port.name, shape, dtype, slot))
            slot += 1
    return made


def _asked(definition: OperatorDef, shapes: Any, dtypes: Any, attributes: Mapping[str, Any]) -> list[Any]:
    """What the shape function says, one entry an output."""
    function = definition.shape
    assert function is not None
    result = function(*operands(definition, shapes, dtypes), *(attributes[a.name] for a in definition.attributes))
    many = len(definition.outputs) != 1
    if many and (not isinstance(result, (tuple, list)) or len(result) != len(definition.outputs)):
        expected = f"{len(definition.outputs)} shapes, one for each of {', '.join(p.name for p in definition.outputs)}"
        _bad(definition, result, expected)
    found = list(result) if many else [result]
    for port, shape in zip(definition.outputs, found, strict=True):
        listed = isinstance(shape, (tuple, list)) and port.kind == "list"
        for one in shape if listed else (shape,):
            if not isinstance(one, (tuple, list)) or not all(isinstance(s, (int, torch.SymInt)) for s in one):
                _bad(definition, one, f"the shape of {port.name}: a tuple of sizes")
    return found


def _matched(
    definition: OperatorDef,
    sizes: call.Sizes,
    counts: Sequence[int],
    found: list[Any],
    unknown: Callable[[Unknown, Any], Any],
) -> list[Any]:
    """The shapes of a shape function, compared with the annotation as far as that binds them."""
    given: dict[str, Any] = {}

    def one(port: Port, shape: Sequence[Any], index: int | None) -> tuple[Any, ...]:
        group = 0 if port.rest is None else len(shape) - len(port.dims) + 1
        broadcasts = any(isinstance(dim, Broadcast) for dim in port.dims)
        if not broadcasts and (group < 0 or (port.rest is None and len(shape) != len(port.dims))):
            _bad(definition, list(shape), f"as many sizes as the annotation of {port.name} has: {port}")
        out: list[Any] = []
        rests = sizes.rests if index is None else {**sizes.rests, **sizes.listed[index]}
        for dim in port.dims:
            if isinstance(dim, (Rest, Broadcast)):
                count = len(shape) - len(port.dims) + 1
                own = tuple(shape[len(out) : len(out) + count])
                if isinstance(dim, Rest) and rests.get(dim.name, own) != own and not _symbols([own, rests[dim.name]]):
                    _bad(definition, list(shape), f"{dim} = {list(rests[dim.name])} for {port.name}, as in the inputs")
                out += own
                continue
            size = shape[len(out)]
            expected: Any = None
            match dim:
                case Fixed(number):
                    expected = number
                case Named(name) if name in definition.bound_names:
                    expected = sizes.names[name]
                case Computed(text) if set(names(text)) <= sizes.names.keys():
                    expected = evaluate(text, sizes.names)
                case Unknown(name):
                    if name not in given:
                        given[name] = unknown(dim, size)
                    size = given[name]
                case _:
                    pass
            if (
                isinstance(expected, int)
                and isinstance(size, int)
                and expected != size
                and UNKNOWN not in (expected, size)
            ):
                _bad(definition, list(shape), f"{dim} = {expected} for {port.name}, as the annotation says")
            out.append(size)
        return tuple(out)

    result: list[Any] = []
    for port, shape in zip(definition.outputs, found, strict=True):
        if port.kind == "list":
            length = call.list_length(definition, port, counts)
            if len(shape) != length:
                _bad(definition, f"{len(shape)} shapes for {port.name}", f"{length}, as many as the input list has")
            result.append([one(port, single, i) for i, single in enumerate(shape)])
        else:
            result.append(one(port, shape, None))
    return result


def _bad(definition: OperatorDef, got: Any, expected: str) -> None:
    assert definition.shape is not None
    at = place.of_return(definition.shape)
    shown = got if isinstance(got, str) else repr(got)
    raise errors.BadShapeResult(where=at, op=definition.name, got=shown, expected=expected, excerpt=at.excerpt)


# --- proof that no size is fixed ---


class _Asked(Exception):
    """A guard was wanted."""


@cache
def _refusing() -> Any:
    """A class of ShapeEnv in which nothing is known of a symbol but that it is a size, and nothing can be learnt."""
    # late: sympy comes with it, and most definitions have no shape function
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    class Refusing(ShapeEnv):
        def evaluate_expr(self, orig_expr: Any, *args: Any, **kwargs: Any) -> Any:
            known = self._maybe_evaluate_static(orig_expr)
            if known is None:
                raise _Asked(str(orig_expr))
            return known

        def guard_or_defer_runtime_assert(self, orig_expr: Any, *args: Any, **kwargs: Any) -> bool:  # type: ignore[override]
            return True  # torch._check: a condition that is stated, and tested when the sizes are known

    return Refusing


_proved: set[Any] = set()


def _prove(definition: OperatorDef, shapes: Any, dtypes: Any, attributes: Mapping[str, Any]) -> None:
    """Run the shape function on fresh symbols. Raises ShapeSpecializes. Remembers what was proved."""
    pattern: dict[Any, str] = {}

    def key(value: Any) -> Any:
        if isinstance(value, torch.SymInt):
            return pattern.setdefault(value.node.expr, f"s{len(pattern)}")
        return tuple(map(key, value)) if isinstance(value, (list, tuple)) else value

    what = (definition.shape, key(shapes), key(dtypes), key(list(attributes.values())))
    if what in _proved:
        return
    from torch.fx.experimental.symbolic_shapes import DimDynamic

    env = _refusing()(duck_shape=False, prefer_deferred_runtime_asserts_over_guards=True)
    fresh: dict[str, Any] = {}

    def symbol(name: str) -> Any:
        if name not in fresh:
            from torch._dynamo.source import ConstantSource

            source = ConstantSource(f"size_{name}")
            hint = 64 + 6 * len(fresh)
            made = env.create_symbol(hint, source=source, dynamic_dim=DimDynamic.DYNAMIC)
            fresh[name] = env.create_symintnode(made, hint=hint, source=source)
        return fresh[name]

    def renewed(value: Any) -> Any:
        if isinstance(value, torch.SymInt):
            return symbol(pattern[value.node.expr])
        return type(value)(map(renewed, value)) if type(value) in (list, tuple) else value

    function = definition.shape
    assert function is not None
    plain = [renewed([tuple(s) for s in shape] if port.kind == "list" else shape and tuple(shape))
             for port, shape in zip(definition.inputs, shapes, strict=True)]  # fmt: skip
    try:
        _asked(definition, plain, dtypes, attributes)
    except _Asked as asked:
        at = line_in(asked, function)
        condition = str(asked)
        for port, shape in zip(definition.inputs, plain, strict=True):
            for i, size in enumerate(shape or ()):
                if isinstance(size, torch.SymInt):
                    condition = condition.replace(str(size.node.expr), f"{port.name}.shape[{i}]")
        raise errors.ShapeSpecializes(
            where=at, op=definition.name, condition=_readable(condition), excerpt=at.excerpt
        ) from None
    _proved.add(what)


def _readable(condition: str) -> str:
    """`Eq(x.shape[0], 4)` -> `whether x.shape[0] == 4`."""
    for name, sign in (("Eq", "=="), ("Ne", "!=")):
        if condition.startswith(f"{name}("):
            try:
                tree = ast.parse(condition, mode="eval").body
            except SyntaxError:
                break
            if isinstance(tree, ast.Call) and len(tree.args) == 2:
                return f"whether {ast.unparse(tree.args[0])} {sign} {ast.unparse(tree.args[1])}"
    return f"whether {condition}" if any(sign in condition for sign in "<>=") else f"for the value of {condition}"


def _symbols(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_symbols(item) for item in value)
    return isinstance(value, torch.SymInt)
