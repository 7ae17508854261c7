"""Statements of a plan: assignments, if, for, while, return, raise, assert; comments come along."""

from __future__ import annotations

import ast
from typing import Any

from ferrata.errors import PlanFeature, PlanLaunches, PlanType
from ferrata.lang.elements import Dtype, DtypeVar
from ferrata.lang.values import BOOL, INT, StructType
from ferrata.op.plan import launches, loops, returns
from ferrata.op.plan.expressions import cpp_name, expression, integer, text_literal, truth
from ferrata.op.plan.kinds import (
    ANY_NONE,
    REAL,
    TEXT,
    LaunchType,
    ListType,
    ObjectType,
    PlanValue,
    cpp_type,
    described,
    joined,
)
from ferrata.op.plan.members import as_vector
from ferrata.op.plan.scope import Scope


def block(scope: Scope, body: list[ast.stmt]) -> None:
    """The statements of a block, in order."""
    opened = 0
    for at, statement in enumerate(body):
        _comments(scope, statement)
        for name in scope.usage.before.get(id(statement), ()):
            _declare(scope, name)
        if isinstance(statement, ast.If) and at < len(body) - 1 and _if(scope, statement, rest=True):
            opened += 1  # what follows a test of the data type that leaves is its other branch
            continue
        if not isinstance(statement, ast.If) or at == len(body) - 1:
            _statement(scope, statement)
    for _ in range(opened):
        scope.writer.close()


def _comments(scope: Scope, statement: ast.stmt) -> None:
    for line in range(scope.shown + 1, statement.lineno):
        comment = scope.source.comments.get(line)
        if comment is not None and comment.alone:
            scope.writer.emit("", comment.text)
    end = statement.end_lineno or statement.lineno
    head = statement.body[0].lineno - 1 if isinstance(statement, ast.If | ast.For | ast.While) else end
    for line in range(statement.lineno, max(head, statement.lineno) + 1):
        comment = scope.source.comments.get(line)
        if comment is not None and not comment.alone and (line == end or line <= head):
            scope.writer.comment = comment.text
    scope.shown = max(scope.shown, statement.lineno if isinstance(statement, ast.If | ast.For | ast.While) else end)


def _declare(scope: Scope, name: str) -> None:
    kind = scope.kinds.get(name)
    if kind is None or isinstance(kind, LaunchType | ObjectType) or name in scope.declared:
        return
    scope.declared.add(name)
    start = {INT: " = 0", REAL: " = 0", BOOL: " = false"}.get(kind, "")
    scope.writer.emit(f"{cpp_type(kind, scope.size)} {cpp_name(name)}{start};")


def _statement(scope: Scope, node: ast.stmt) -> None:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return
        case ast.Assign(targets=[target], value=value):
            _assign(scope, node, target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            _assign(scope, node, target, value)
        case ast.AugAssign(target=ast.Name(id=name)) if returns.is_launches(scope, name):
            _extend(scope, node, name, node.value)
        case ast.AugAssign(target=ast.Name() as target, op=op, value=value):
            load = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            _assign(scope, node, target, ast.copy_location(ast.BinOp(load, op, value), node), (op, value))
        case ast.If():
            _if(scope, node)
        case ast.For():
            _for(scope, node)
        case ast.While(orelse=[]):
            before = len(scope.writer.items)
            test = truth(scope, node.test)
            if len(scope.writer.items) > before:  # it would be computed once
                raise scope.refuse(PlanFeature, node.test, "a comprehension in the condition of a loop")
            scope.writer.open(f"while ({test.cpp}) {{")
            _inner(scope, node.body, loop=True)
            scope.writer.close()
        case ast.Break():
            scope.writer.emit("break;")
        case ast.Continue():
            scope.writer.emit("continue;")
        case ast.Return():
            returns.returned(scope, node)
        case ast.Raise():
            returns.throw(scope, returns.message(scope, node))
        case ast.Assert(test=test, msg=message):
            text = expression(scope, message) if message is not None else None
            shown = text.cpp if text is not None and text.type == TEXT else text_literal(ast.unparse(test))
            holds = truth(scope, test)
            inverse = holds.cpp[1:] if holds.cpp.startswith("!") and holds.precedence <= 3 else f"!({holds.cpp})"
            scope.writer.open(f"if ({inverse}) {{")
            returns.throw(scope, shown)
            scope.writer.close()
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[item])) if (
            returns.is_launches(scope, name)
        ):
            _extend(scope, node, name, ast.copy_location(ast.List([item], ast.Load()), item))
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="extend"), args=[item])) if (
            returns.is_launches(scope, name)
        ):
            _extend(scope, node, name, item)
        case ast.Expr(value=value):
            if launches.launch_of(scope, value) is not None:
                raise scope.refuse(
                    PlanLaunches, value, "this launch is made and not returned", "Return it, or append it to a list."
                )
            what = ast.unparse(value)
            raise scope.refuse(PlanFeature, value, f"`{what}` as a statement has no counterpart in C++")
        case _:
            name = {
                ast.With: "`with`", ast.Try: "`try`", ast.FunctionDef: "a function inside a plan", ast.Match: "`match`",
                ast.Import: "`import`", ast.ImportFrom: "`import`", ast.Delete: "`del`", ast.Global: "`global`",
                ast.ClassDef: "a class", ast.While: "`while` with `else`", ast.Assign: "an assignment to several targets",
                ast.Nonlocal: "`nonlocal`", ast.AnnAssign: "a declaration without a value",
            }.get(type(node), f"`{ast.unparse(node).splitlines()[0]}`")  # fmt: skip
            raise scope.refuse(
                PlanFeature, node, f"{name} has no counterpart in C++",
                "A plan is made of assignments, if, for, while and return.",
            )  # fmt: skip


# --- assignments ---


def _assign(scope: Scope, node: ast.stmt, target: ast.expr, value_node: ast.expr, update: Any = None) -> None:
    if isinstance(target, ast.Tuple | ast.List):
        _unpack(scope, node, target, value_node)
        return
    if isinstance(target, ast.Subscript):
        _set_item(scope, target, value_node)
        return
    if not isinstance(target, ast.Name):
        raise scope.refuse(PlanFeature, target, "only names are assigned in a plan")
    if _launch_value(scope, target.id, value_node):
        return
    written = len(scope.writer.items)
    value = expression(scope, value_node)
    before = scope.variables.get(target.id)
    # a shape function's Int has no +=; what wrote a loop of its own is not translated once more
    if scope.symbolic or len(scope.writer.items) > written:
        update = None
    if update is not None and before is not None and before.type == value.type and before.cpp:
        sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}.get(type(update[0]))
        if sign is not None and value.type in (INT, REAL):
            store(scope, target, target.id, value, f"{sign}= {expression(scope, update[1]).cpp}")
            return
    store(scope, target, target.id, value)


def _launch_value(scope: Scope, name: str, node: ast.expr) -> bool:
    """Assign launches to a name: written now, returned later."""
    if scope.mode != "plan":
        return False
    if isinstance(node, ast.List) and not node.elts and name in _returned_lists(scope):
        scope.variables[name] = PlanValue("", LaunchType(True))
        scope.pending.append(name)
        return True
    kernel = launches.launch_of(scope, node)
    several = isinstance(node, ast.List | ast.Tuple) and any(launches.launch_of(scope, item) for item in node.elts)
    if kernel is None and not several:
        return False
    scope.variables[name] = PlanValue("", LaunchType(several))
    scope.pending.append(name)
    returns.launched(scope, node)
    return True


def _returned_lists(scope: Scope) -> set[str]:
    """Names that a `return` hands back: lists of launches, when they begin empty."""
    return {
        name.id
        for statement in ast.walk(scope.source.tree)
        if isinstance(statement, ast.Return) and statement.value is not None
        for name in ast.walk(statement.value)
        if isinstance(name, ast.Name)
    }


def _extend(scope: Scope, node: ast.AST, name: str, value: ast.expr) -> None:
    if not scope.pending or scope.pending[-1] != name:
        raise scope.refuse(
            PlanLaunches, node, f"{name} gets a launch after another launch was made",
            "Make launches in the order in which they are returned.",
        )  # fmt: skip
    returns.launched(scope, value)


def store(scope: Scope, node: ast.AST, name: str, value: PlanValue, update: str = "") -> None:
    """Write `name = value`, as a declaration the first time. update: the text behind the name, for `+=` and the like."""
    parameter = name in scope.source.parameters
    if value.parts or (isinstance(value.type, ListType) and not value.cpp):
        single = scope.usage.stores.get(name, 0) + parameter == 1
        if single and not _is_mutated(scope, name):  # a tuple that only this name knows: its parts are the values
            scope.variables[name] = value
            scope.found[name] = value.type
            return
        if any(part.type == ANY_NONE for part in value.parts):
            raise scope.refuse(PlanType, node, "a list of things of several types")
        value = as_vector(scope, value)
    if isinstance(value.type, ObjectType | StructType) or value.type == ANY_NONE:
        if scope.usage.stores.get(name, 0) + parameter > 1:
            raise scope.refuse(PlanType, node, f"{name} is {described(value.type)} and something else")
        scope.variables[name] = value
        return
    before = scope.found.get(name, scope.variables[name].type if parameter else None)
    kind = value.type if before is None else joined(before, value.type)
    if kind is None or (before is None and isinstance(kind, LaunchType)):
        assert before is not None
        raise scope.refuse(PlanType, node, f"{name} was {described(before)} and becomes {described(value.type)}")
    scope.found[name] = kind
    kind = scope.kinds.get(name, kind)
    scope.values.setdefault(name, []).append(value)
    declares = id(node) in scope.usage.declares and not parameter
    once = declares and scope.usage.declares[id(node)] and not _is_mutated(scope, name)
    text = cpp_name(name)
    typed = cpp_type(kind, scope.size)
    if not declares:
        scope.writer.emit(f"{text} {update or f'= {value.cpp}'};")
    else:
        qualifier = ""
        if once:
            fixed = value.constexpr and kind in (INT, BOOL, REAL) and not scope.symbolic
            qualifier = "constexpr " if fixed else "const "
        # a list that nobody changes needs no copy
        reference = "&" if once and isinstance(kind, ListType) and value.cpp.endswith(".shape") else ""
        scope.writer.emit(f"{qualifier}{typed} {reference}{text} = {value.cpp};")
    known = scope.known.get(name)
    scope.variables[name] = PlanValue(
        text,
        kind,
        value.const if once and value.type == kind else None,
        minimum=value.minimum if once else None,
        constexpr=once and value.constexpr and not scope.symbolic,
        choices=value.choices if once else known,
    )


def _is_mutated(scope: Scope, name: str) -> bool:
    """Whether an item of this list is assigned somewhere."""
    return any(
        isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
        and node.value.id == name
        for node in ast.walk(scope.source.tree)
    )  # fmt: skip


def _set_item(scope: Scope, target: ast.Subscript, value_node: ast.expr) -> None:
    owner = expression(scope, target.value)
    if not isinstance(target.value, ast.Name) or not isinstance(owner.type, ListType) or owner.parts:
        raise scope.refuse(PlanFeature, target, "only items of a list of your own are assigned")
    if isinstance(target.slice, ast.Slice):
        raise scope.refuse(PlanFeature, target, "an assignment to a slice has no counterpart in C++")
    scope.unit.needs.add("At")
    value = expression(scope, value_node)
    if joined(owner.type.item, value.type) != owner.type.item:
        raise scope.refuse(PlanType, value_node, f"{described(value.type)} in {described(owner.type)}")
    scope.writer.emit(f"At({owner.cpp}, {integer(scope, target.slice).cpp}) = {value.cpp};")


def _unpack(scope: Scope, node: ast.stmt, target: ast.Tuple | ast.List, value_node: ast.expr) -> None:
    value = expression(scope, value_node)
    names = target.elts
    if not isinstance(value.type, ListType) or not all(isinstance(name, ast.Name) for name in names):
        raise scope.refuse(PlanFeature, target, f"{described(value.type)} cannot be unpacked like this")
    if value.parts:
        if len(value.parts) != len(names):
            raise scope.refuse(PlanType, node, f"{len(value.parts)} values for {len(names)} names")
        used = {n.id for n in ast.walk(value_node) if isinstance(n, ast.Name)}
        if used & {n.id for n in names if isinstance(n, ast.Name)}:
            raise scope.refuse(PlanFeature, node, "names that change places have no counterpart", "Use one more name.")
        for name, part in zip(names, value.parts, strict=True):
            assert isinstance(name, ast.Name)
            store(scope, name, name.id, part)
        return
    scope.unit.needs |= {"Unpack", "At"}
    kind = value.type
    if not value.cpp.replace(".", "").replace("_", "").isalnum():  # a slice of a shape
        whole = "sizes" if kind.sizes else "items"
        while whole in scope.declared or whole in scope.variables or whole in scope.kinds:
            whole += "_"
        scope.declared.add(whole)
        scope.writer.emit(f"const {cpp_type(kind, scope.size)} {whole} = {value.cpp};")
        value = PlanValue(whole, kind)
    scope.writer.emit(f"Unpack({value.cpp}, {len(names)});")
    for at, name in enumerate(names):
        assert isinstance(name, ast.Name)
        store(
            scope,
            name,
            name.id,
            PlanValue(f"{value.cpp}[{at}]", kind.item, minimum=0 if kind.sizes else None),
        )


# --- control ---


def _inner(scope: Scope, body: list[ast.stmt], loop: bool = False) -> None:
    """The block of a statement."""
    if scope.tiling is not None:
        scope.tiling.loops += loop
    block(scope, body)
    if scope.tiling is not None:
        scope.tiling.loops -= loop


def _if(scope: Scope, node: ast.If, opened: bool = False, rest: bool = False) -> bool:
    """An if. rest: more follows in its block; True when that now stands in an open else branch."""
    test = truth(scope, node.test)
    narrow = _narrowing(scope, node.test) if test.constexpr else None
    before = dict(scope.narrowed)
    pending = list(scope.pending)
    made = scope.made()
    # with constants of ours alone a plain `if` reads better; a template's test must not instantiate the other branch
    keyword = "if constexpr" if test.constexpr and "is_same_v" in test.cpp else "if"
    text = f"{keyword} ({test.cpp}) {{"
    if opened:
        scope.writer.depth -= 1
        scope.writer.open("} else " + text)
    else:
        scope.writer.open(text)
    if narrow:
        scope.narrowed[narrow[0]] = narrow[1]
    _inner(scope, node.body)
    inside = scope.pending
    leaves = _leaves(node.body)
    inside_made = scope.made() and not leaves
    scope.made(made)
    scope.narrowed = dict(before)
    scope.pending = list(pending)
    if narrow:
        possible = before.get(narrow[0], scope.templates[narrow[0]])
        others = tuple(dtype for dtype in possible if dtype not in narrow[1])
        if others:
            scope.narrowed[narrow[0]] = others
    if node.orelse:
        if (
            len(node.orelse) == 1
            and isinstance(node.orelse[0], ast.If)
            and id(node.orelse[0]) not in scope.usage.before
        ):
            _if(scope, node.orelse[0], opened=True)
            scope.made(inside_made or scope.made())
            scope.narrowed = before
            _merge(scope, node, inside, leaves, _leaves(node.orelse))
            return False
        scope.writer.depth -= 1
        scope.writer.open("} else {")
        _inner(scope, node.orelse)
        if _leaves(node.orelse):
            scope.made(False)
    elif rest and leaves and keyword == "if constexpr":
        # a template may not be able to compile in this branch what follows
        _merge(scope, node, inside, leaves, False)
        scope.writer.depth -= 1
        scope.writer.open("} else {")
        return True
    scope.writer.close()
    scope.made(inside_made or scope.made())
    scope.narrowed = before
    _merge(scope, node, inside, leaves, bool(node.orelse) and _leaves(node.orelse))
    return False


def _merge(scope: Scope, node: ast.AST, inside: list[str], inside_leaves: bool, other_leaves: bool) -> None:
    """After a branch: the launches that are under way must be the same whichever way was taken."""
    if inside_leaves:
        return
    if other_leaves:
        scope.pending = inside
    elif inside != scope.pending:
        raise scope.refuse(
            PlanLaunches, node, "a launch is made in one branch and not in the other",
            "Append launches to one list, or return them in each branch.",
        )  # fmt: skip


def _leaves(body: list[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, ast.Return | ast.Raise | ast.Break | ast.Continue)


def _narrowing(scope: Scope, test: ast.expr) -> tuple[str, tuple[Dtype, ...]] | None:
    """What `x.dtype == torch.float16` says of the dtype variable of x."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    left, right = expression(scope, test.left), expression(scope, test.comparators[0])
    if not isinstance(left.const, DtypeVar):
        return None
    named = [p.const for p in right.parts] if right.parts else [right.const]
    possible = scope.narrowed.get(left.const.name, scope.templates[left.const.name])
    match test.ops[0]:
        case ast.Eq() | ast.In():
            found = tuple(dtype for dtype in possible if dtype in named)
        case ast.NotEq() | ast.NotIn():
            found = tuple(dtype for dtype in possible if dtype not in named)
        case _:
            return None
    return (left.const.name, found) if found else None


def _for(scope: Scope, node: ast.For) -> None:
    if node.orelse:
        raise scope.refuse(PlanFeature, node, "`for` with `else` has no counterpart in C++")
    names = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
    assigned = {
        n.id for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    if names & assigned:
        raise scope.refuse(PlanFeature, node.target, f"{min(names & assigned)} counts the loop and is assigned in it")
    for name in sorted(names):
        later = loops.used_outside(scope.source.tree, name)
        if later is not None:
            raise scope.refuse(PlanFeature, later, f"{name} counts a loop and is used outside of it")
    pending = list(scope.pending)
    heads = loops.heads(scope, node.target, node.iter, assigned)
    scope.writer.open(heads[0])
    for head in heads[1:]:
        scope.writer.emit(head)
    _inner(scope, node.body, loop=True)
    scope.writer.close()
    for name in names:
        scope.variables.pop(name, None)
    if scope.pending != pending:
        raise scope.refuse(
            PlanLaunches, node, "a launch is made in a loop", "Append it to a list, and return the list."
        )
