"""Calls: of the language's own functions, of Python's few, of interfaces, of the user's helpers."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import types
from collections.abc import Callable, Mapping
from typing import Any

from ferrata import errors
from ferrata.lang import binding, parameters
from ferrata.lang.elements import Dtype, DtypeVar
from ferrata.lang.translate import (
    arithmetic,
    buffers,
    comparisons,
    conversions,
    copies,
    helpers,
    scalars,
    sync,
    tensors,
    work,
)
from ferrata.lang.translate.arguments import Arguments
from ferrata.lang.translate.function import Function
from ferrata.lang.translate.names import safe
from ferrata.lang.translate.objects import describe, language_name
from ferrata.lang.translate.operands import condition, plain
from ferrata.lang.translate.types import NUMBERS, PYTHON, BufferType, ListType, QueueType, spelled
from ferrata.lang.translate.variables import converted
from ferrata.lang.values import INT, StructType, Value

# The functions of ferrata.lang.surface that are no buffers (those stand in an assignment).
LANGUAGE: Mapping[str, Callable[[Function, ast.Call], Value]] = {
    "copy": copies.copy, "order": sync.order, "barrier": sync.barrier, "event": sync.event, "set_flag": sync.set_flag,
    "wait_flag": sync.wait_flag, "core_share": work.core_share, "core_rows": work.core_rows, "max_of": work.max_of,
    "sum_of": work.sum_of, "min_of": work.min_of, "block_elems": work.block_elems, "block_idx": work.block_idx,
    "block_num": work.block_num, "ceil_div": work.ceil_div, "round_up": work.round_up, "sizeof": work.sizeof,
    "scalar": work.scalar, "sub_block_idx": work.sub_block_idx, "choices": work.choices,
    "exp_of": scalars.exp_of, "ln_of": scalars.ln_of, "sqrt_of": scalars.sqrt_of,
    "convert": conversions.convert, "is_vector_core": work.is_vector_core, "is_cube_core": work.is_cube_core,
}  # fmt: skip

# Those that an interface shares its name with: more arguments than this are a call of the interface.
SHARED: Mapping[str, int] = {"copy": 3, "set_flag": 1, "wait_flag": 1}


def call(f: Function, node: ast.Call) -> Value:
    """A call in an expression or as a statement."""

    for argument in node.args:
        if isinstance(argument, ast.Starred):
            f.fail(
                errors.UnsupportedExpression, argument, what="`*` before an argument", help="Write the arguments out."
            )
    if any(keyword.arg is None for keyword in node.keywords):
        f.fail(errors.UnsupportedExpression, node, what="`**` before an argument", help="Write the arguments out.")
    if isinstance(node.func, ast.Attribute):
        owner = f.value(node.func.value)
        if owner.type != PYTHON and node.func.attr != "dtype":  # x.dtype(0) is a number of that type
            return _method(f, owner, node)
    callee = f.value(node.func)
    if callee.type != PYTHON:
        f.fail(errors.WrongType, node, what="a call", expected="a function", got=spelled(callee.type))
    return _of_object(f, callee.const, node)


def _of_object(f: Function, obj: Any, node: ast.Call) -> Value:

    name = language_name(obj) or ""
    if name in buffers.ALLOCATORS:
        f.fail(errors.BufferUse, node, problem=f"ac.{name} is assigned to a variable", help=f"x = {ast.unparse(node)}")
    if name in SHARED and len(node.args) + len(node.keywords) > SHARED[name]:
        args, kwargs = _arguments(f, node)
        return binding.bind(name, args, kwargs, f, node)
    if name in LANGUAGE:
        return LANGUAGE[name](f, node)
    if isinstance(obj, Dtype | DtypeVar):
        if len(node.args) != 1 or node.keywords:
            f.fail(errors.WrongArguments, node, name=repr(obj), problem="takes one number")
        return arithmetic.cast(f, plain(f, node.args[0]), obj, node)
    python_name = getattr(obj, "__name__", "")
    if obj is not None and getattr(builtins, python_name, None) is obj:
        return _builtin(f, python_name, node)
    found = _interface(f, obj, node)
    if found is not None:
        return found
    if isinstance(obj, type) and dataclasses.is_dataclass(obj):
        return _struct(f, obj, node)
    if isinstance(obj, types.FunctionType):
        module = obj.__module__ or ""
        if not module.startswith("ferrata.") or module.startswith("ferrata.testing"):
            return helpers.call(f, obj, node)
    if type(obj).__name__ == "Kernel":
        f.fail(
            errors.UnsupportedExpression, node, what="the launch of a kernel from a kernel",
            help="Put what both share into a plain function of the module and call it.",
        )  # fmt: skip
    help_ = "Kernels call ac.*, plain functions of your modules, and min, max, abs, int, float, bool, len."
    if getattr(obj, "__module__", "") == "math" or type(obj).__name__ == "builtin_function_or_method":
        help_ = "The scalar unit has no such function: the vector unit has, ac.sqrt_of(x), ac.exp_of(x), ac.ln_of(x)."
    f.fail(errors.UnsupportedExpression, node, what=f"a call of {describe(obj)}", help=help_)


def _interface(f: Function, obj: Any, node: ast.Call) -> Value | None:
    """A function, structure or object of the interfaces."""
    name = getattr(obj, "__qualname__", "")
    if not isinstance(name, str) or not str(getattr(obj, "__module__", "")).startswith("ferrata.lang"):
        return None
    if binding.is_interface(name):
        args, kwargs = _arguments(f, node)
        if name == "sync_all":
            f.sync_all = True
        return binding.bind(name, args, kwargs, f, node)
    if binding.is_struct(name):
        args, kwargs = _arguments(f, node)
        return binding.construct(name, args, kwargs, f, node)
    return None


def _arguments(f: Function, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:

    args = [tensors.as_local(f, f.value(argument)) for argument in node.args]
    return args, {
        str(keyword.arg): tensors.as_local(f, f.value(keyword.value)) for keyword in node.keywords
    }  # fmt: skip


def _method(f: Function, owner: Value, node: ast.Call) -> Value:
    assert isinstance(node.func, ast.Attribute)
    if isinstance(owner.type, QueueType | BufferType):
        found = buffers.method(f, owner, node)
        if found is not None:
            return found
    name = node.func.attr
    if isinstance(owner.type, BufferType) and name != "get_with_offset":
        owner = tensors.as_local(f, owner)
    args, kwargs = _arguments(f, node)
    if tensors.is_tensor(owner.type) and name == "view":  # the short name of reinterpret_cast
        name = "reinterpret_cast"
    if name == "reinterpret_cast" and args:
        buffers.element_argument(f, args[0], node, "reinterpret_cast")
    return binding.bind_method(owner, name, args, kwargs, f, node)


def _builtin(f: Function, name: str, node: ast.Call) -> Value:

    if node.keywords:
        f.fail(errors.WrongArguments, node, name=name, problem="takes no keywords here")
    if name in ("min", "max"):
        if len(node.args) < 2:
            f.fail(
                errors.WrongArguments, node, name=name, problem="takes two numbers or more",
                help=f"The {name}imum of a tensor is ac.{name}_of(tensor, n).",
            )  # fmt: skip
        return comparisons.extreme(f, name, [plain(f, argument) for argument in node.args], node)
    if name == "sum":
        f.fail(errors.UnsupportedExpression, node, what="sum()", help="The sum of a tensor is ac.sum_of(tensor, n).")
    if name == "print":
        f.fail(errors.UnsupportedExpression, node, what="print()", help='Use ac.printf("x = %d\\n", x).')
    if name in ("range", "enumerate", "zip", "reversed"):
        f.fail(
            errors.UnsupportedExpression,
            node,
            what=f"{name}() here",
            help="for i in range(...): is the loop of a kernel.",
        )
    if len(node.args) != 1:
        f.fail(errors.WrongArguments, node, name=name, problem=f"takes one argument, not {len(node.args)}")
    if name == "bool":
        return condition(f, node.args[0])
    if name == "int" or name == "float":
        literal = node.args[0]
        if name == "float" and isinstance(literal, ast.Constant) and isinstance(literal.value, str):
            return _float_of_text(f, literal)
        value = arithmetic.number(f, plain(f, literal), literal, name)
        return arithmetic.to_int(f, value) if name == "int" else arithmetic.to_float(f, value, cast=True)
    if name == "abs":
        return _abs(f, plain(f, node.args[0]), node)
    if name == "len":
        size = tensors.item_length(f, node.args[0])
        if size is not None:
            return size
        value = f.value(node.args[0])
        if value.items:
            return arithmetic.literal(len(value.items))
        if isinstance(value.type, ListType):
            return Value(f"static_cast<int64_t>({value.cpp}.GetSize())", INT, minimum=0)
        if value.length is not None:
            return value.length
        f.fail(
            errors.UnsupportedExpression,
            node,
            what="this length",
            help="Pass it as an int parameter; len(xs[i]) of a list is known.",
        )
    f.fail(
        errors.UnsupportedExpression,
        node,
        what=f"{name}()",
        help="Of Python's own functions kernels have min, max, abs, int, float, bool and len.",
    )


def _float_of_text(f: Function, node: ast.Constant) -> Value:
    try:
        return arithmetic.literal(float(node.value))  # type: ignore[arg-type]
    except ValueError:
        f.fail(errors.UnsupportedExpression, node, what=f"float({node.value!r})")


def _abs(f: Function, value: Value, node: ast.AST) -> Value:
    arithmetic.number(f, value, node, "abs")
    if isinstance(value.const, int | float) and value.cpp[-1:].isdigit():
        return arithmetic.literal(abs(value.const))
    if isinstance(arithmetic.element_of(value), DtypeVar):
        f.fail(
            errors.WrongType,
            node,
            what="abs",
            expected="an int or float",
            got=spelled(value.type),
            help="Convert with float(x).",
        )
    value = arithmetic.to_float(f, value) if arithmetic.floating(value) else arithmetic.to_int(f, value)
    return Value(
        f"{f.unit.helper('Abs')}({value.cpp})",
        value.type,
        minimum=0 if value.type == INT else None,
        multiple=value.multiple,
    )


def _struct(f: Function, python: Any, node: ast.Call) -> Value:
    """`Params(n, eps)`: a structure of the user."""
    fields = parameters.fields_of(python)
    if fields is None:
        f.fail(
            errors.WrongType, node, what=python.__name__, expected="fields that are int, float or bool", got="others"
        )
    names = tuple(name for name, _ in fields)
    args = Arguments.of(f, node, python.__name__, names, ())
    texts = []
    for name, kind in fields:
        text = converted(f, args[name], NUMBERS[kind.__name__], node)
        if text is None:
            f.fail(
                errors.WrongType, node, what=f"the field {name!r}", expected=kind.__name__, got=spelled(args[name].type)
            )
        texts.append(text)
    name = f.unit.struct(python)
    return Value(f"{safe(name)}{{{', '.join(texts)}}}", StructType(name, python))
