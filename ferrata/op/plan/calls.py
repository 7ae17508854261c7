"""Calls in a plan: Python's own functions, math, the functions that ferrata gives plans, and the user's helpers."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import math
from collections.abc import Callable
from typing import Any

from ferrata.errors import PlanFeature, PlanLaunches, PlanName, PlanType
from ferrata.lang.elements import Dtype
from ferrata.lang.values import BOOL, INT, StructType
from ferrata.op.plan.expressions import acl_name, expression, integer, number, truth, wrapped
from ferrata.op.plan.kinds import (
    DTYPE,
    PRIMARY,
    REAL,
    ListType,
    ObjectType,
    PlanValue,
    TensorType,
    comma,
    described,
    is_number,
    wrap,
)
from ferrata.op.plan.members import as_vector, item_size, tensor_member
from ferrata.op.plan.scope import Scope

_METHODS = {"numel": 0, "dim": 0, "element_size": 0, "ndimension": 0}


def call(scope: Scope, node: ast.Call) -> PlanValue:
    """The value of a call."""
    if isinstance(node.func, ast.Attribute):
        owner = expression(scope, node.func.value)
        if isinstance(owner.type, TensorType):
            return _method(scope, node, owner, node.func.attr)
        if is_kernel(owner) and node.func.attr == "launch":
            raise scope.refuse(
                PlanLaunches, node, "a launch stands where it is returned, named, or appended to a list",
                "Write `return kernel.launch(...)`, or a list of launches.",
            )  # fmt: skip
        if isinstance(owner.type, ListType):
            raise scope.refuse(PlanFeature, node, f"{described(owner.type)} has no {node.func.attr}() in a plan")
    function = expression(scope, node.func)
    if not isinstance(function.type, ObjectType):
        raise scope.refuse(PlanType, node.func, f"{described(function.type)} cannot be called")
    python = function.type.python
    builtin = _table().get(_identity(python))
    if builtin is not None:
        return builtin(scope, node)
    if isinstance(python, type) and dataclasses.is_dataclass(python):
        return _struct(scope, node, python)
    if is_kernel(function):
        raise scope.refuse(
            PlanLaunches, node, "a kernel cannot be called in a plan", "Write `return kernel.launch(...)`."
        )
    if inspect.isfunction(python) and not (python.__module__ or "").startswith(("ferrata.", "torch.")):
        from ferrata.op.plan.function import helper

        return helper(scope, node, python)
    name = ast.unparse(node.func)
    raise scope.refuse(
        PlanName, node, f"{name}() has no counterpart in C++",
        "A plan may call min, max, abs, len, int, float, bool, range, math's functions, fe.at_most, fe.ceil_div, "
        "fe.workspace, and functions of your own.",
    )  # fmt: skip


def is_kernel(value: PlanValue) -> bool:
    """Whether it is an `@ac.kernel`: something with a name, parameters and a launch."""
    if not isinstance(value.type, ObjectType):
        return False
    python = value.type.python
    return all(hasattr(python, name) for name in ("launch", "params", "dtype_vars", "source"))


def _identity(python: Any) -> Any:
    module = getattr(python, "__module__", "") or ""
    if module.startswith("ferrata.") and not isinstance(python, type):
        return f"ferrata.{getattr(python, '__name__', '')}"
    try:
        hash(python)
    except TypeError:
        return None
    return python


def _arguments(scope: Scope, node: ast.Call, least: int, most: int | None = None) -> list[ast.expr]:
    name = ast.unparse(node.func)
    if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        raise scope.refuse(PlanFeature, node, f"{name}() takes its arguments by position in a plan")
    if len(node.args) < least or (most is not None and len(node.args) > most):
        raise scope.refuse(PlanType, node, f"{name}() with {len(node.args)} arguments")
    return node.args


def _method(scope: Scope, node: ast.Call, owner: PlanValue, name: str) -> PlanValue:
    if name == "size":
        arguments = _arguments(scope, node, 0, 1)
        if not arguments:
            return tensor_member(scope, node, owner, "shape")
        return PlanValue(f"{wrap(owner, PRIMARY)}.size({integer(scope, arguments[0]).cpp})", INT, minimum=0)
    _arguments(scope, node, 0, 0)
    if name == "is_floating_point":
        value = tensor_member(scope, node, owner, "dtype")
        if isinstance(value.const, Dtype):
            return wrapped(scope, node, value.const.floating)
        scope.unit.needs.add("IsFloatingPoint")
        return PlanValue(f"IsFloatingPoint({value.cpp})", BOOL)
    return tensor_member(scope, node, owner, "dim" if name == "ndimension" else name)


def _extreme(name: str) -> Callable[[Scope, ast.Call], PlanValue]:
    def build(scope: Scope, node: ast.Call) -> PlanValue:
        arguments = _arguments(scope, node, 1)
        values = [number(scope, argument) for argument in arguments] if len(arguments) > 1 else []
        if not values:
            only = expression(scope, arguments[0])
            if not isinstance(only.type, ListType) or not is_number(only.type.item):
                raise scope.refuse(PlanType, node, f"{name}() of {described(only.type)}")
            if not only.parts:
                scope.unit.needs.add("Extremes")
                text = f"{name.capitalize()}Of({only.cpp})"
                return PlanValue(text, only.type.item, minimum=0 if only.type.sizes else None)
            values = list(only.parts)
        kind = REAL if any(v.type == REAL for v in values) else INT
        lows = [v.minimum for v in values]
        known = [low for low in lows if low is not None]
        low = (min(known) if len(known) == len(lows) else None) if name == "min" else max(known, default=None)
        constexpr = all(v.constexpr for v in values)
        consts = [v.const for v in values]
        const = (min if name == "min" else max)(consts) if all(isinstance(c, (int, float)) for c in consts) else None
        if scope.symbolic and kind == INT:
            scope.unit.needs.add("Extremes")
            text = values[0].cpp
            for value in values[1:]:
                text = f"{name.capitalize()}<Int>({text}, {value.cpp})"
        elif len(values) == 2:
            kind_text = "double" if kind == REAL else "int64_t"
            text = f"std::{name}<{kind_text}>({values[0].cpp}, {values[1].cpp})"
        else:
            kind_text = "double" if kind == REAL else "int64_t"
            text = f"std::{name}<{kind_text}>({{{comma([v.cpp for v in values])}}})"
        return PlanValue(
            text, kind, const, minimum=low, constexpr=constexpr, choices=None if const is None else (const,)
        )

    return build


def _abs(scope: Scope, node: ast.Call) -> PlanValue:
    value = number(scope, _arguments(scope, node, 1, 1)[0])
    return PlanValue(f"std::abs({value.cpp})", value.type, minimum=0 if value.type == INT else None)


def _len(scope: Scope, node: ast.Call) -> PlanValue:
    value = expression(scope, _arguments(scope, node, 1, 1)[0])
    if not isinstance(value.type, ListType):
        raise scope.refuse(PlanType, node, f"len() of {described(value.type)}")
    if value.parts or not value.cpp:
        return wrapped(scope, node, len(value.parts))
    if value.cpp.endswith(".shape"):
        return PlanValue(f"{value.cpp.removesuffix('.shape')}.dim()", INT, minimum=0)
    return PlanValue(f"static_cast<int64_t>({value.cpp}.size())", INT, minimum=0)


def _int(scope: Scope, node: ast.Call) -> PlanValue:
    value = number(scope, _arguments(scope, node, 1, 1)[0])
    if value.type == INT:
        return value
    const = int(value.const) if isinstance(value.const, (int, float)) else None
    return PlanValue(f"static_cast<int64_t>({value.cpp})", INT, const, constexpr=value.constexpr)


def _float(scope: Scope, node: ast.Call) -> PlanValue:
    value = number(scope, _arguments(scope, node, 1, 1)[0])
    if value.type == REAL:
        return value
    return PlanValue(f"static_cast<double>({value.cpp})", REAL, value.const, constexpr=value.constexpr)


def _bool(scope: Scope, node: ast.Call) -> PlanValue:
    return truth(scope, _arguments(scope, node, 1, 1)[0])


def _copy(scope: Scope, node: ast.Call) -> PlanValue:
    value = expression(scope, _arguments(scope, node, 1, 1)[0])
    if not isinstance(value.type, ListType):
        raise scope.refuse(PlanType, node, f"{ast.unparse(node.func)}() of {described(value.type)}")
    return value


def _product(scope: Scope, node: ast.Call) -> PlanValue:
    value = expression(scope, _arguments(scope, node, 1, 1)[0])
    if not isinstance(value.type, ListType) or not is_number(value.type.item):
        raise scope.refuse(PlanType, node, f"math.prod() of {described(value.type)}")
    scope.unit.needs.add("Product")
    sizes = value.type.sizes or all((part.minimum or -1) >= 0 for part in value.parts)
    return PlanValue(
        f"Product({as_vector(scope, value).cpp})",
        value.type.item,
        minimum=0 if sizes and value.type.item == INT else None,
    )


def _sum(scope: Scope, node: ast.Call) -> PlanValue:
    if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
        from ferrata.op.plan import comprehensions

        return comprehensions.total(scope, node.args[0])
    value = expression(scope, _arguments(scope, node, 1, 1)[0])
    if not isinstance(value.type, ListType) or not is_number(value.type.item):
        raise scope.refuse(PlanType, node, f"sum() of {described(value.type)}")
    scope.unit.needs.add("Sum")
    return PlanValue(f"Sum({as_vector(scope, value).cpp})", value.type.item, minimum=0 if value.type.sizes else None)


def _math(name: str, result_int: bool) -> Callable[[Scope, ast.Call], PlanValue]:
    def build(scope: Scope, node: ast.Call) -> PlanValue:
        arguments = _arguments(scope, node, 1, 2)
        values = [number(scope, argument) for argument in arguments]
        if result_int and values[0].type == INT:
            return values[0]
        text = f"std::{name}({comma([v.cpp if v.type == REAL else f'static_cast<double>({v.cpp})' for v in values])})"
        return PlanValue(f"static_cast<int64_t>({text})" if result_int else text, INT if result_int else REAL)

    return build


def _ceil_div(scope: Scope, node: ast.Call) -> PlanValue:
    a, b = (integer(scope, argument) for argument in _arguments(scope, node, 2, 2))
    if b.const == 0 and b.const is not None:
        raise scope.refuse(PlanType, node, "this divides by zero")
    scope.unit.needs.add("CeilDiv")
    low = 0 if a.minimum is not None and a.minimum >= 0 and (b.minimum or 0) > 0 else None
    const = -(-a.const // b.const) if isinstance(a.const, int) and isinstance(b.const, int) else None
    constexpr = a.constexpr and b.constexpr
    cast = "<Int>" if scope.symbolic else "<int64_t>"  # a literal is an int
    return PlanValue(f"CeilDiv{cast}({a.cpp}, {b.cpp})", INT, const, minimum=low, constexpr=constexpr)


def _at_most(scope: Scope, node: ast.Call) -> PlanValue:
    arguments = list(node.args)
    kind = "vector"
    named = {k.arg: k.value for k in node.keywords}
    where = arguments[1] if len(arguments) > 1 else next(iter(named.values()), None)
    if where is not None:
        value = expression(scope, where)
        if value.const not in ("vector", "cube", "mix"):
            raise scope.refuse(PlanType, where, 'the kind of core is "vector" or "cube"')
        kind = value.const
    wanted = integer(scope, arguments[0])
    cores = "VectorCores" if kind == "vector" else "CubeCores"
    scope.unit.needs |= {"AtMost", cores}
    return PlanValue(f"AtMost({wanted.cpp}, {cores}())", INT, minimum=1)


def _block_elems(scope: Scope, node: ast.Call) -> PlanValue:
    value = expression(scope, _arguments(scope, node, 1, 1)[0])
    python = value.type.python if isinstance(value.type, ObjectType) else None
    if isinstance(python, Dtype):
        return wrapped(scope, node, int(32 / python.bytes))
    if value.type != DTYPE:
        raise scope.refuse(PlanType, node, f"block_elems() of {described(value.type)}", "Pass x.dtype.")
    size = item_size(scope, value)
    return PlanValue(f"32 / {size.cpp}", INT, precedence=5, minimum=1, constexpr=size.constexpr)


def _workspace(scope: Scope, node: ast.Call) -> PlanValue:
    if scope.mode != "plan":
        raise scope.refuse(PlanFeature, node, "scratch memory is made in the plan itself")
    given: dict[str | None, ast.expr] = dict(zip(("shape", "dtype"), node.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in node.keywords}
    if "shape" not in given or not given.keys() <= {"shape", "dtype", "zero"}:
        raise scope.refuse(PlanType, node, "workspace() takes a shape, a dtype, and zero=True")
    element: Any = None
    texts = []
    if "dtype" in given:
        dtype = expression(scope, given["dtype"])
        python = dtype.type.python if isinstance(dtype.type, ObjectType) else None
        if isinstance(python, Dtype):
            element, dtype_text = python, acl_name(python)
        elif dtype.type == DTYPE:
            element, dtype_text = dtype.const, dtype.cpp
        else:
            raise scope.refuse(PlanType, given["dtype"], f"this is {described(dtype.type)}, where a dtype is needed")
    else:
        dtype_text = "ACL_UINT8"
    first = expression(scope, given["shape"])
    if is_number(first.type):
        texts = [f"{{{integer(scope, given['shape']).cpp}}}", dtype_text]
    elif isinstance(first.type, ListType):
        texts = [f"{{{comma([p.cpp for p in first.parts])}}}" if not first.cpp else first.cpp, dtype_text]
    else:
        raise scope.refuse(PlanType, given["shape"], f"this is {described(first.type)}, where a size is needed")
    if "zero" in given:
        if scope.tiling is not None:
            raise scope.refuse(
                PlanType, given["zero"], "an OpDef's workspace is not cleared",
                "Clear it in the kernel, or export the operator with --form ge.",
            )  # fmt: skip
        texts.append(truth(scope, given["zero"]).cpp)
    return PlanValue(f"launcher.Workspace({comma(texts)})", TensorType(element))


def _struct(scope: Scope, node: ast.Call, python: Any) -> PlanValue:
    fields = dataclasses.fields(python)
    given = {field.name: argument for field, argument in zip(fields, node.args, strict=False)}
    given.update({keyword.arg: keyword.value for keyword in node.keywords if keyword.arg})
    hints = inspect.get_annotations(python, eval_str=True)
    texts, parts = [], []
    for field in fields:
        if field.name in given:
            value = expression(scope, given[field.name])
        elif field.default is not dataclasses.MISSING:
            value = wrapped(scope, node, field.default)
        else:
            raise scope.refuse(PlanType, node, f"{python.__name__}() lacks {field.name}")
        parts.append(value)
        texts.append(
            argument(
                scope, given.get(field.name, node), value, {int: "int", float: "float", bool: "bool"}[hints[field.name]]
            )
        )
    scope.unit.structs[python.__name__] = python
    return PlanValue(f"{python.__name__}{{{comma(texts)}}}", StructType(python.__name__, python), parts=tuple(parts))


def argument(scope: Scope, node: ast.AST, value: PlanValue, kind: str) -> str:
    """The text of a scalar that a kernel or a struct takes as int, float or bool."""
    if kind == "bool":
        if value.type == BOOL:
            return value.cpp
    elif is_number(value.type):
        if kind == "float":
            if isinstance(value.const, (int, float)) and value.cpp[:1].isdigit():
                return f"{float(value.const)!r}f" if math.isfinite(float(value.const)) else value.cpp
            return f"static_cast<float>({value.cpp})"
        if value.type != REAL:
            return value.cpp
    raise scope.refuse(
        PlanType, node, f"this is {described(value.type)}, where {'an' if kind == 'int' else 'a'} {kind} is needed"
    )


def _tuned(scope: Scope, node: ast.Call) -> PlanValue:
    from ferrata.op.plan.tuned import tuned

    return tuned(scope, node)


def _table() -> dict[Any, Callable[[Scope, ast.Call], PlanValue]]:
    return {
        min: _extreme("min"),
        max: _extreme("max"),
        abs: _abs,
        len: _len,
        int: _int,
        float: _float,
        bool: _bool,
        tuple: _copy,
        list: _copy,
        sum: _sum,
        math.prod: _product,
        math.ceil: _math("ceil", True),
        math.floor: _math("floor", True),
        math.sqrt: _math("sqrt", False),
        math.log2: _math("log2", False),
        math.log: _math("log", False),
        math.exp: _math("exp", False),
        math.pow: _math("pow", False),
        math.fabs: _math("fabs", False),
        "ferrata.ceil_div": _ceil_div,
        "ferrata.at_most": _at_most,
        "ferrata.workspace": _workspace,
        "ferrata.block_elems": _block_elems,
        "ferrata.tuned": _tuned,
    }
