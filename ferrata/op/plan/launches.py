"""`kernel.launch(...)` in a plan: the instance by dtype variables and Consts, the arguments, the number of cores.

A launch is written where the plan makes it. Python runs launches in the order in which they are returned, so a plan
whose order of making and order of returning differ is refused.

A dtype variable of the operator is a template parameter of the plan's C++, and so the instance of the kernel follows
from it; a Const is a constant expression, or one of a few values, between which the text then chooses.
"""

from __future__ import annotations

import ast
import itertools
from typing import Any

from ferrata.errors import PlanFeature, PlanLaunches, PlanType
from ferrata.lang.elements import Dtype, DtypeVar, boolean, choices, i8, u8
from ferrata.lang.translate.writer import WIDTH
from ferrata.lang.values import BOOL, INT, StructType
from ferrata.op.plan import tiling
from ferrata.op.plan.calls import argument, is_kernel
from ferrata.op.plan.expressions import expression, integer, text_literal
from ferrata.op.plan.kinds import (
    ANY_NONE,
    PRIMARY,
    ListType,
    PlanValue,
    TensorType,
    comma,
    described,
    wrap,
)
from ferrata.op.plan.scope import Scope

MOST_INSTANCES = 16


def namespace(kernel: Any) -> str:
    """The C++ namespace in which a project has a kernel with its helpers."""
    return f"{kernel.name}_code"


def launch_of(scope: Scope, node: ast.expr) -> Any | None:
    """The kernel when `node` is `kernel.launch(...)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "launch":
        return None
    if isinstance(node.func.value, ast.Name) and node.func.value.id in scope.variables:
        owner = scope.variables[node.func.value.id]
    else:
        owner = expression(scope, node.func.value)
    if not is_kernel(owner):
        raise scope.refuse(
            PlanLaunches, node.func.value, f"{described(owner.type)} is no kernel", "Decorate it with @ac.kernel."
        )
    return owner.type.python  # type: ignore[attr-defined]


def emit(scope: Scope, node: ast.Call, kernel: Any) -> None:
    """Write one launch."""
    if scope.tiling is not None:
        tiling.begin(scope, node, kernel)
    arguments, consts, cores = _bind(scope, node, kernel)
    scope.unit.kernels[kernel.name] = kernel
    texts = []
    row: list[tuple[Any, PlanValue, str]] = []
    elements: dict[str, Any] = {}
    fits: list[tuple[str, tuple[Dtype, ...]]] = []
    for parameter, given in arguments:
        value = expression(scope, given) if isinstance(given, ast.expr) else given
        place = given if isinstance(given, ast.AST) else node
        texts.append(_argument(scope, place, kernel, parameter, value))
        row.append((parameter, value, texts[-1]))
        if parameter.kind == "gm_list" and isinstance(value.type, ListType):
            assert isinstance(value.type.item, TensorType)
            _element(scope, place, parameter, value.type.item.element, elements, fits)
        if parameter.kind == "gm" and isinstance(value.type, TensorType):
            _element(scope, place, parameter, value.type.element, elements, fits)
    names = [_instance(scope, node, kernel, variable, elements, fits) for variable in kernel.dtype_vars]
    opened = 0
    if fits:
        tests = [_is_one_of(name, allowed) for name, allowed in dict(fits).items()]
        scope.writer.open(f"if constexpr ({' && '.join(tests)}) {{")
        opened += 1
    if cores.minimum is None or cores.minimum < 1:
        scope.writer.open(f"if ({wrap(cores, 9)} > 0) {{")
        opened += 1
    instances = _instances(scope, node, kernel, consts)
    if len(instances) > 1 and cores.precedence == PRIMARY and "(" in cores.cpp:
        cores = _named_cores(scope, kernel, cores)
    for at, (test, values) in enumerate(instances):
        if test is not None:
            last = at == len(instances) - 1
            scope.writer.open("} else {" if last and at else f"{'} else ' if at else ''}if ({test}) {{")
        if scope.tiling is not None:
            tiling.write(scope, node, kernel, instance_text(kernel, names, values), cores, row)
        else:
            _write(scope, kernel, names, values, cores, texts)
        if test is not None:
            scope.writer.depth -= 1
    if len(instances) > 1:
        scope.writer.emit("}")
    if scope.tiling is not None:
        scope.tiling.made = True
    for level in range(opened):
        if fits and level == opened - 1:
            message = text_literal(f"{kernel.name} takes other data types")
            scope.writer.depth -= 1
            scope.writer.open("} else {")
            scope.writer.emit(f"throw std::invalid_argument({message});")
        scope.writer.close()


def _write(scope: Scope, kernel: Any, names: list[str], values: list[str], cores: PlanValue, texts: list[str]) -> None:
    if scope.recorder:
        name = kernel.name
        types = comma([f"Name<{n}>()" for n in names])
        shown = comma([f"Shown({text})" for text in texts])
        scope.writer.emit(f'Record("{name}", {{{types}}}, {{{comma(values)}}}, {cores.cpp}, {{{shown}}});')
        return
    instance = instance_text(kernel, names, values)
    head = f"{instance}<<<{cores.cpp}, nullptr, launcher.stream>>>("
    room = WIDTH - 4 * scope.writer.depth
    if len(head) + len(comma(texts)) + 2 <= room:
        scope.writer.emit(f"{head}{comma(texts)});")
        return
    if "(" in cores.cpp:
        head = f"{instance}<<<{_named_cores(scope, kernel, cores).cpp}, nullptr, launcher.stream>>>("
    scope.writer.emit(head)
    scope.writer.depth += 1
    for line in packed([*texts[:-1], texts[-1] + ");"] if texts else [");"], room - 4):
        scope.writer.emit(line)
    scope.writer.depth -= 1


def instance_text(kernel: Any, names: list[str], values: list[str]) -> str:
    """The kernel's function with its template arguments. names: of the element types; values: of the Consts."""
    made = kernel.translation()  # its template parameters stand in the order of their use
    given = dict(zip((var.name for var in kernel.dtype_vars), names, strict=True))
    given |= dict(zip((p.name for p in kernel.params if p.kind == "const"), values, strict=True))
    text = f"{namespace(kernel)}::{made.name}"
    return f"{text}<{comma([given[one] for one in made.template])}>" if made.template else text


def packed(items: list[str], width: int) -> list[str]:
    """Items on as few lines as hold them, a comma between two."""
    lines: list[str] = []
    for at, item in enumerate(items):
        text = item + ("," if at < len(items) - 1 else "")
        if lines and len(lines[-1]) + 1 + len(text) <= width:
            lines[-1] += " " + text
        else:
            lines.append(text)
    return lines


def _named_cores(scope: Scope, kernel: Any, cores: PlanValue) -> PlanValue:
    """The number of cores as a variable."""
    name = f"{kernel.name}_cores"
    while name in scope.declared or name in scope.variables:
        name += "_"
    scope.declared.add(name)
    scope.writer.emit(f"const int64_t {name} = {cores.cpp};")
    return PlanValue(name, INT, minimum=cores.minimum)


def _bind(scope: Scope, node: ast.Call, kernel: Any) -> tuple[list[tuple[Any, Any]], list[tuple[Any, Any]], PlanValue]:
    """The arguments by parameter, the Consts by parameter, and the number of cores."""
    plain = [p for p in kernel.params if p.kind != "const"]
    given: dict[str, ast.expr] = {}
    cores: ast.expr | None = None
    known = {p.name for p in kernel.params}
    if len(node.args) > len(plain):
        raise scope.refuse(
            PlanLaunches, node.args[len(plain)], f"kernel {kernel.name} takes {len(plain)} arguments",
            f"Its parameters are {', '.join(p.name for p in plain)}.",
        )  # fmt: skip
    for parameter, value in zip(plain, node.args, strict=False):
        if isinstance(value, ast.Starred):
            raise scope.refuse(PlanFeature, value, "arguments of a launch are written out")
        given[parameter.name] = value
    for keyword in node.keywords:
        if keyword.arg is None:
            raise scope.refuse(PlanFeature, keyword.value, "arguments of a launch are written out")
        if keyword.arg == "cores":
            cores = keyword.value
        elif keyword.arg not in known or keyword.arg in given:
            problem = "has no parameter" if keyword.arg not in known else "is given twice:"
            raise scope.refuse(PlanLaunches, keyword.value, f"kernel {kernel.name} {problem} {keyword.arg!r}")
        else:
            given[keyword.arg] = keyword.value
    if cores is None:
        raise scope.refuse(PlanLaunches, node, "the launch does not say how many cores", "Add cores=...")
    bound: list[tuple[Any, Any]] = []
    for parameter in kernel.params:
        if parameter.name in given:
            bound.append((parameter, given[parameter.name]))
            continue
        if parameter.default is None and parameter.kind != "gm":
            raise scope.refuse(PlanLaunches, node, f"the launch of {kernel.name} lacks {parameter.name!r}")
        from ferrata.op.plan.expressions import wrapped

        bound.append((parameter, wrapped(scope, node, parameter.default)))
    arguments = [(p, v) for p, v in bound if p.kind != "const"]
    return arguments, [(p, v) for p, v in bound if p.kind == "const"], integer(scope, cores)


def _argument(scope: Scope, node: ast.AST, kernel: Any, parameter: Any, value: PlanValue) -> str:
    match parameter.kind:
        case "gm":
            if isinstance(value.type, TensorType):
                return f"{wrap(value, PRIMARY)}.data"
            if value.type == ANY_NONE:
                return "nullptr"
        case "int" | "float" | "bool":
            return argument(scope, node, value, parameter.kind)
        case "struct":
            if isinstance(value.type, StructType) and value.type.python is parameter.python:
                return value.cpp if scope.recorder else f"{namespace(kernel)}::{value.cpp}"
        case "gm_list":
            if isinstance(value.type, ListType) and isinstance(value.type.item, TensorType):
                from ferrata.op.plan.members import as_vector

                tensors = as_vector(scope, value).cpp
                return tensors if scope.recorder else f"launcher.List({tensors})"
    raise scope.refuse(
        PlanLaunches, node, f"{parameter.name!r} is {described(value.type)}",
        f"The kernel takes {'a tensor' if parameter.kind == 'gm' else parameter.kind} there.",
    )  # fmt: skip


def _element(
    scope: Scope, node: ast.AST, parameter: Any, element: Any, elements: dict[str, Any], fits: list[Any]
) -> None:
    """Bind a dtype variable of the kernel, or note which types a variable of the operator may have."""
    wanted = parameter.element
    if element is None or wanted is None:
        return
    if isinstance(wanted, DtypeVar):
        before = elements.setdefault(wanted.name, element)
        if before != element and isinstance(before, Dtype) and isinstance(element, Dtype):
            raise scope.refuse(
                PlanLaunches, node, f"{parameter.name!r} is {element}, and {wanted.name} is {before} already"
            )
    allowed = choices(wanted)
    if isinstance(element, Dtype):
        # torch's bool and a kernel's bytes: one byte an element, 0 or 1
        if element not in allowed and not (element == boolean and {u8, i8} & set(allowed)):
            raise scope.refuse(PlanType, node, f"{parameter.name!r} is {element}; the kernel takes {_words(allowed)}")
        return
    possible = scope.narrowed.get(element.name, scope.templates.get(element.name, choices(element)))
    inside = tuple(dtype for dtype in possible if dtype in allowed)
    if not inside:
        raise scope.refuse(
            PlanType, node, f"{parameter.name!r} is {_words(possible)} here; the kernel takes {_words(allowed)}"
        )
    if len(inside) < len(possible) and element.name in scope.templates:
        fits.append((element.name, inside))


def _words(dtypes: tuple[Dtype, ...]) -> str:
    return " or ".join(map(str, dtypes))


def _instance(
    scope: Scope, node: ast.AST, kernel: Any, variable: DtypeVar, elements: dict[str, Any], fits: list[Any]
) -> str:
    """The template argument for a dtype variable of the kernel."""
    element = elements.get(variable.name)
    if element is None:
        if len(variable.allowed) == 1:
            return variable.allowed[0].cpp
        untyped = [p.name for p in kernel.params if p.kind == "gm" and p.element == variable]
        if untyped:  # only absent optional tensors have it: any instance serves
            return variable.allowed[0].cpp
        raise scope.refuse(PlanLaunches, node, f"no argument tells the {variable.name} of {kernel.name}")
    if isinstance(element, Dtype):
        return element.cpp
    if element.name in scope.templates:
        return str(element.name)
    raise scope.refuse(PlanLaunches, node, f"the type of {variable.name} is not known here")


def _is_one_of(name: str, allowed: tuple[Dtype, ...]) -> str:
    tests = [f"std::is_same_v<{name}, {dtype.cpp}>" for dtype in allowed]
    return tests[0] if len(tests) == 1 else f"({' || '.join(tests)})"


def _instances(scope: Scope, node: ast.Call, kernel: Any, consts: list[Any]) -> list[tuple[str | None, list[str]]]:
    """Template arguments of the Consts: one set, or several with the tests that choose."""
    options: list[list[tuple[str | None, str]]] = []
    for parameter, given in consts:
        value = expression(scope, given) if isinstance(given, ast.expr) else given
        place = given if isinstance(given, ast.AST) else node
        if value.type not in (INT, BOOL):
            raise scope.refuse(PlanType, place, f"Const {parameter.name!r} is {described(value.type)}")
        if value.constexpr:
            options.append([(None, f"({value.cpp})" if value.precedence >= 9 else value.cpp)])
            continue
        side = wrap(value, 9)
        if value.type == BOOL and not value.choices:
            yes, no = ("true", "false") if parameter.python is bool else ("1", "0")
            test = wrap(value, 13 if len(consts) > 1 else 99)
            options.append([(test, yes), (f"!{wrap(value, 3)}", no)])
            continue
        if not value.choices:
            if scope.draft:
                options.append([(None, "0")])
                continue
            raise scope.refuse(
                PlanLaunches, place, f"Const {parameter.name!r} is known only when the plan runs",
                "Each value of a Const is a kernel of its own: choose among numbers that are written out, as in\n"
                f"{parameter.name} = 4096 if x.numel() > 1 << 20 else 1024.",
            )  # fmt: skip
        options.append([(f"{side} == {int(c)}", str(int(c))) for c in value.choices])
    found = []
    for combination in itertools.product(*options):
        tests = [test for test, _ in combination if test is not None]
        found.append((" && ".join(tests) or None, [text for _, text in combination]))
    if len(found) > MOST_INSTANCES:
        raise scope.refuse(PlanLaunches, node, f"this launch chooses among {len(found)} instances", "Use fewer values.")
    if len(found) == 1:
        found[0] = (None, found[0][1])
    return found
