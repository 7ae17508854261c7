"""Synchronisation that the language spells: ac.order, ac.barrier, events and their flags.

Interfaces with their own names (sync_all, cross_core_set_flag ...) come from the registry.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from ferrata import errors
from ferrata.lang.translate.arguments import Arguments
from ferrata.lang.translate.buffers import pipe
from ferrata.lang.translate.function import Function
from ferrata.lang.translate.types import spelled
from ferrata.lang.values import NONE, OpaqueType, Value

PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")
_WORK = {
    "S": "scalar code", "V": "the vector unit", "M": "the cube unit", "MTE1": "MTE1", "MTE2": "the copy engine in",
    "MTE3": "the copy engine out", "FIX": "the fixpipe",
}  # fmt: skip


def pipe_name(f: Function, value: Value, node: ast.AST, everything: bool = False) -> str:
    """The name of a pipe argument, `MTE2` of ac.MTE2."""
    name = value.cpp.rpartition("::")[2].removeprefix("PIPE_")
    if name in PIPES or (everything and name == "ALL"):
        return name
    f.fail(
        errors.WrongType, node, what="this argument", expected="a pipe: ac." + ", ac.".join(PIPES),
        got=spelled(value.type) if value.cpp else repr(value.const),
    )  # fmt: skip


def _pair(f: Function, args: Arguments, node: ast.Call) -> tuple[str, str]:
    first, second = pipe_name(f, args["source"], node), pipe_name(f, args["destination"], node)
    if first == second:
        f.fail(
            errors.WrongArguments, node, name="This", problem=f"orders {first} with itself",
            help=f"Inside one pipe use ac.barrier(ac.{first}).",
        )  # fmt: skip
    return first, second


def order(f: Function, node: ast.Call) -> Value:
    """`ac.order(ac.MTE2, ac.V)`: what V is given from here on waits for what MTE2 was given until here."""
    first, second = _pair(f, Arguments.of(f, node, "ac.order", ("source", "destination"), ()), node)
    wait(f, node, first, second)
    return Value("", NONE)


def wait(f: Function, node: ast.AST, first: str, second: str) -> None:
    """Write a flag set by one pipe and waited for by another."""
    pipe(f, node)  # the flag's number is the pipe's to give
    f.out.emit(f"{f.unit.helper('Order')}<HardEvent::{first}_{second}>();", f"{_WORK[second]} waits for {_WORK[first]}")


def barrier(f: Function, node: ast.Call) -> Value:
    """`ac.barrier(ac.V)`: what the pipe was given is done before its next instruction starts."""
    args = Arguments.of(f, node, "ac.barrier", (), ("pipe",), positional=("pipe",))
    value = args.get("pipe")
    name = "ALL" if value is None else pipe_name(f, value, node, everything=True)
    if name == "S":
        f.fail(
            errors.WrongArguments,
            node,
            name="ac.barrier",
            problem="of S has no instruction",
            help="Scalar code is in order.",
        )
    return Value(f"PipeBarrier<PIPE_{name}>()", NONE)


def event(f: Function, node: ast.Call) -> Value:
    """`e = ac.event(ac.MTE2, ac.V)`: an event of one's own, for set_flag and wait_flag."""
    first, second = _pair(f, Arguments.of(f, node, "ac.event", ("source", "destination"), ()), node)
    text = f"static_cast<event_t>({pipe(f, node)}AllocEventID<HardEvent::{first}_{second}>())"
    return replace(Value(text, OpaqueType("event_t")), const=(first, second))


def _flag(f: Function, node: ast.Call, name: str) -> Value:
    args = Arguments.of(f, node, f"ac.{name.lower()}", ("event",), ())
    value = args["event"]
    if value.type != OpaqueType("event_t") or not isinstance(value.const, tuple):
        f.fail(
            errors.WrongType,
            node,
            what="a flag",
            expected="an event of ac.event(source, destination)",
            got=spelled(value.type),
        )
    first, second = value.const
    return Value(f"{name}<HardEvent::{first}_{second}>({value.cpp})", NONE)


def set_flag(f: Function, node: ast.Call) -> Value:
    """`ac.set_flag(e)`."""
    return _flag(f, node, "SetFlag")


def wait_flag(f: Function, node: ast.Call) -> Value:
    """`ac.wait_flag(e)`."""
    return _flag(f, node, "WaitFlag")
