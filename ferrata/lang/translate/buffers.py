"""Buffers of the core: queues and their tensors, `with` around them, scratch; and the memory that they ask for.

`xs = ac.queue(...)` becomes a TQue and its InitBuffer; `with xs.put() as a` becomes AllocTensor ... EnQue and
`with xs.get() as a` DeQue ... FreeTensor, also where a jump leaves the block.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ferrata import errors
from ferrata.lang.elements import ALL, Dtype, DtypeVar, Element, meant
from ferrata.lang.translate import arithmetic
from ferrata.lang.translate.arguments import Arguments
from ferrata.lang.translate.arithmetic import TIMES, wrap
from ferrata.lang.translate.function import Exit, Function, Variable
from ferrata.lang.translate.objects import describe, language_name
from ferrata.lang.translate.types import PYTHON, BufferType, QueueType, byte_size, cpp, known, spelled
from ferrata.lang.translate.unit import Allocation
from ferrata.lang.values import NONE, EnumType, LocalType, Value

ALLOCATORS = ("queue", "tbuf", "ub")
_UB = ("VECIN", "VECOUT", "VECCALC")


def assigned(f: Function, node: ast.Assign) -> bool:
    """`name = ac.queue(...)`, `ac.tbuf(...)` or `ac.ub(...)`: the buffer takes the variable's name. Whether it is one."""
    return len(node.targets) == 1 and assigned_to(f, node.targets[0], node.value)


def assigned_to(f: Function, target: ast.expr, node: ast.expr) -> bool:
    """Make the buffer that an expression asks for, under the name of the target; False if it asks for none."""
    kind = allocator(f, node)
    if kind is None:
        return False
    assert isinstance(node, ast.Call)
    if not isinstance(target, ast.Name):
        f.fail(errors.BufferUse, node, problem=f"ac.{kind} is assigned to a variable", help=f"x = {ast.unparse(node)}")
    if f.usage.stores[target.id] > 1 or target.id in f.variables:
        f.fail(
            errors.BufferUse, target, problem=f"{target.id!r} is assigned more than once, and a buffer is made once",
            help="Give every buffer a name of its own.",
        )  # fmt: skip
    if id(target) not in f.usage.declares:
        f.fail(
            errors.BufferUse, target, problem=f"{target.id!r} is made in a branch and used outside of it",
            help="Make buffers before the branch.",
        )  # fmt: skip
    value = {"queue": _queue, "tbuf": _tbuf, "ub": _ub}[kind](f, node, target.id)
    f.paths.assign(target.id)
    f.variables[target.id] = Variable(value, node.lineno)
    return True


def allocator(f: Function, node: ast.expr) -> str | None:
    """Which buffer function a call names."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name)):
        return None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
    if name not in ALLOCATORS:
        return None
    callee = f.value(node.func)
    return name if callee.type == PYTHON and language_name(callee.const) == name else None


def element_argument(f: Function, value: Value | None, node: ast.AST, name: str) -> Element:
    """An argument that is an element type."""
    if value is not None and value.type == PYTHON and isinstance(value.const, Dtype | DtypeVar):
        f.use(value.const)
        element: Element = value.const
        return element
    at = value.node if value is not None and value.node is not None else node
    f.fail(
        errors.WrongType, at, what=f"ac.{name}", expected="an element type such as ac.f16",
        got="nothing" if value is None else said(value), help=advice(value),
    )  # fmt: skip


def said(value: Value) -> str:
    """What stands where an element type should."""
    if isinstance(value.const, str):
        return f"the string {value.const!r}"
    return spelled(value.type) if value.type != PYTHON else describe(value.const)


def advice(value: Value | None) -> str:
    """The element type that was meant."""
    named = None if value is None or value.cpp[:1].isdigit() else meant(value.const)
    return f"Write {named!r}." if named is not None else "The element types are " + ", ".join(map(repr, ALL)) + "."


def position_argument(f: Function, value: Value | None, node: ast.AST, default: str) -> str:
    """An argument that is a position in the Unified Buffer."""
    if value is None:
        return default
    name = value.cpp.rpartition("::")[2]
    if isinstance(value.type, EnumType) and name in _UB:
        return name
    f.fail(
        errors.WrongType,
        node,
        what="the position",
        expected="ac.VECIN, ac.VECOUT or ac.VECCALC",
        got=value.cpp or "that",
    )


def _size(f: Function, value: Value, node: ast.AST, what: str) -> Value:
    value = arithmetic.integer(f, value, node, what)
    if isinstance(value.const, int) and value.const <= 0:
        f.fail(errors.WrongArguments, node, name=what, problem=f"asks for {value.const} elements")
    return value


def _queue(f: Function, node: ast.Call, name: str) -> Value:
    args = Arguments.of(f, node, "ac.queue", ("position", "dtype", "size"), ("buffers", "depth", "to"))
    position = position_argument(f, args["position"], node, "VECIN")
    element = element_argument(f, args.get("dtype"), node, "queue")
    size = _size(f, args["size"], node, "ac.queue")
    count, depth = (given.const if (given := args.get(word)) else 1 for word in ("buffers", "depth"))
    if not (isinstance(count, int) and 1 <= count <= 8 and isinstance(depth, int) and 1 <= depth <= 8):
        f.fail(errors.WrongArguments, node, name="ac.queue", problem="takes buffers and depth as numbers from 1 to 8")
    to = "" if args.get("to") is None else position_argument(f, args.get("to"), node, "VECOUT")
    if to and (position, to) != ("VECIN", "VECOUT"):
        f.fail(
            errors.WrongArguments, node, name="ac.queue", problem=f"takes to= from VECIN to VECOUT, not from {position} to {to}",
            help="ac.queue(ac.VECIN, T, size, to=ac.VECOUT): what comes in goes out of the same block.",
        )  # fmt: skip
    kind = QueueType(element, position, depth, to)
    cpp_name = f.fresh(name)
    f.out.emit(f"{cpp(kind)} {cpp_name};")
    bytes_ = allocate(f, node, f"{name} = {ast.unparse(node)}", element, size, count)
    f.out.emit(f"{pipe(f, node)}InitBuffer({cpp_name}, {count}, {bytes_});")
    return Value(cpp_name, kind, length=size)


def _tbuf(f: Function, node: ast.Call, name: str) -> Value:
    args = Arguments.of(f, node, "ac.tbuf", ("dtype", "size"), ("position",))
    element = element_argument(f, args.get("dtype"), node, "tbuf")
    kind = BufferType(element, position_argument(f, args.get("position"), node, "VECCALC"))
    size = _size(f, args["size"], node, "ac.tbuf")
    return _with_tensor(f, node, name, kind, size)


def _with_tensor(f: Function, node: ast.AST, name: str, kind: BufferType, size: Value) -> Value:
    """A buffer and, under the variable's name, its tensor."""
    cpp_name = f.fresh(name)
    made = _buffer(f, node, f"{name}_buf", kind, size, f"{name} = {ast.unparse(node)}")
    f.out.emit(f"LocalTensor<{kind.element.cpp}> {cpp_name} = {made.cpp}.Get<{kind.element.cpp}>();")
    return replace(made, type=replace(kind, tensor=cpp_name))


def _buffer(f: Function, node: ast.AST, name: str, kind: BufferType, size: Value, text: str) -> Value:
    cpp_name = f.fresh(name)
    f.out.emit(f"{cpp(kind)} {cpp_name};")
    f.out.emit(f"{pipe(f, node)}InitBuffer({cpp_name}, {allocate(f, node, text, kind.element, size, 1)});")
    return Value(cpp_name, kind, length=size)


def _ub(f: Function, node: ast.Call, name: str) -> Value:
    args = Arguments.of(f, node, "ac.ub", ("dtype", "size"), ())
    element = element_argument(f, args.get("dtype"), node, "ub")
    size = _size(f, args["size"], node, "ac.ub")
    made = _with_tensor(f, node, name, BufferType(element), size)
    assert isinstance(made.type, BufferType)
    return Value(made.type.tensor, LocalType(element, "VECCALC"), length=size)


def allocate(f: Function, node: ast.AST, text: str, element: Element, size: Value, count: int) -> str:
    """Note memory that is asked for; its bytes in C++."""
    if f.loops:
        f.fail(
            errors.BufferInLoop, node, what=f"`{text}`",
            help="Make buffers before the loop; put() and get() inside give their blocks again and again.",
        )  # fmt: skip
    formula = known(size)

    def bytes_(bound: Mapping[str, Any]) -> int:
        assert formula is not None
        one = formula(bound) * byte_size(element, bound)
        return count * int(-(-one // 32) * 32)

    line = getattr(node, "lineno", 0)
    f.allocations.append(
        Allocation(text, f.source.file, line, f.source.line(line).strip(), bytes_ if formula else None)
    )
    if isinstance(element, Dtype) and element.bytes < 1:
        return f"({size.cpp} + 1) / 2"
    return f"{wrap(size, TIMES)} * sizeof({element.cpp})"


def pipe(f: Function, node: ast.AST) -> str:
    """The pipe's text with what calls a member of it; a kernel declares its pipe at the first use."""
    f.needs_pipe = True
    return "pipe." if f.kernel else "GetTPipePtr()->"


# --- with -----------------------------------------------------------------------------------------------------------


def with_(f: Function, node: ast.With) -> None:
    """`with q.put() as a, r.get() as b:`."""

    alone = f.alone is node  # the block around is its own
    if not alone:
        f.out.open("{")
    closers: list[str] = []
    with f.scope():
        for item in node.items:
            closers.append(_enter(f, item))
            f.exits.append(Exit(closers[-1]))
        jumped = f.block(node.body)
        for _ in closers:
            f.exits.pop()
        f.out.python = node.items[-1].context_expr.lineno
        if not jumped:
            for closer in reversed(closers):
                f.out.emit(closer)
    if not alone:
        f.out.close()


def _enter(f: Function, item: ast.withitem) -> str:

    call = item.context_expr
    good = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in ("put", "get")
    queue = f.value(call.func.value) if good else None  # type: ignore[attr-defined]
    if queue is None or not isinstance(queue.type, QueueType):
        f.fail(
            errors.UnsupportedStatement, call, what=f"`with {ast.unparse(call)}`",
            help="`with queue.put() as a:` fills a block and hands it on, `with queue.get() as a:` takes one and frees it.",
        )  # fmt: skip
    if not isinstance(item.optional_vars, ast.Name):
        f.fail(
            errors.UnsupportedStatement,
            call,
            what="this `with`",
            help=f"Name the tensor: with {ast.unparse(call)} as a:",
        )
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    name, way = item.optional_vars.id, call.func.attr
    tensor = _take(f, queue, call, "alloc" if way == "put" else "deque")
    cpp_name = f.fresh(name)
    f.out.emit(f"{cpp(tensor.type)} {cpp_name} = {tensor.cpp};")
    f.paths.assign(name)
    f.variables[name] = Variable(replace(tensor, cpp=cpp_name), call.lineno)
    return f"{queue.cpp}.{'EnQue' if way == 'put' else 'FreeTensor'}({cpp_name});"


def _take(f: Function, queue: Value, node: ast.Call, way: str) -> Value:
    """AllocTensor or DeQue, perhaps as another element type."""
    assert isinstance(queue.type, QueueType)
    written = node.func.attr if isinstance(node.func, ast.Attribute) else way
    args = Arguments.of(f, node, f"{written}()", (), ("dtype",), positional=("dtype",))
    element = queue.type.element
    length = queue.length
    if args.get("dtype") is not None:
        element = element_argument(f, args.get("dtype"), node, way)
        length = None
    f.use(element)
    member = "AllocTensor" if way == "alloc" else "DeQue"
    return Value(f"{queue.cpp}.{member}<{element.cpp}>()", LocalType(element, queue.type.position), length=length)


def method(f: Function, owner: Value, node: ast.Call) -> Value | None:
    """A method of a queue or a buffer that the language spells itself; None for one of the registry."""
    assert isinstance(node.func, ast.Attribute)
    name = node.func.attr
    if isinstance(owner.type, QueueType):
        if name in ("put", "get"):
            f.fail(
                errors.BufferUse, node, problem=f"{name}() stands in a `with`",
                help=f"with {ast.unparse(node)} as a: ...; by hand it is alloc(), enque(a), deque(), free(a).",
            )  # fmt: skip
        if name in ("alloc", "deque"):
            return _take(f, owner, node, name)
        if name in ("enque", "free"):
            args = Arguments.of(f, node, f"{name}()", ("tensor",), ())
            tensor = args["tensor"]
            if not isinstance(tensor.type, LocalType):
                f.fail(
                    errors.WrongType, node, what=f"{name}()", expected="a tensor of the queue", got=spelled(tensor.type)
                )
            return Value(f"{owner.cpp}.{'EnQue' if name == 'enque' else 'FreeTensor'}({tensor.cpp})", NONE)
    if isinstance(owner.type, BufferType) and name == "get":
        args = Arguments.of(f, node, "get()", (), ("dtype", "size"), positional=("dtype", "size"))
        element, length = owner.type.element, owner.length
        if args.get("dtype") is not None:
            element, length = element_argument(f, args.get("dtype"), node, "get"), None
        f.use(element)
        size = args.get("size")
        length = size if size is not None else length
        return Value(
            f"{owner.cpp}.Get<{element.cpp}>({size.cpp if size else ''})",
            LocalType(element, owner.type.position),
            length=length,
        )
    return None


def scratch(f: Function, node: ast.AST, name: str, element: Element, size: Value, why: str) -> Value:
    """A buffer that the language needs for a call, made once before the statement of the kernel's outermost block."""
    key = (name, element, size.cpp)
    if key in f.scratch:
        return f.scratch[key]
    if not f.kernel or f.here is None or known(size) is None:
        f.fail(
            errors.SizeUnknown, node, what=f"The buffer that {why}",
            help="Make one in the kernel, `work = ac.tbuf(T, size)`, pass it to the function, and give it: work=work.",
        )  # fmt: skip
    kind = BufferType(element)
    cpp_name = f.fresh(name)
    loops, f.loops = f.loops, 0
    bytes_ = allocate(f, node, f"{name} for {why}", element, size, 1)
    f.loops = loops
    f.out.fill(f.here, f"{cpp(kind)} {cpp_name};", why)
    f.out.fill(f.here, f"{pipe(f, node)}InitBuffer({cpp_name}, {bytes_});")
    f.scratch[key] = Value(cpp_name, kind, length=size)
    return f.scratch[key]
