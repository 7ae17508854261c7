"""The fake of an exported operator whose kernel counts a size: in Python, since only there a new symbol can be made.

C++ Meta functions give shapes that follow from shapes; the size that a kernel counts is a new symbol of torch.compile.
"""

from __future__ import annotations

import ast

from ferrata.errors import ExportRefused
from ferrata.op.define.dims import AnySize, Broadcast, Computed, Dim, Fixed, Named, Rest, Unknown, names
from ferrata.op.define.model import OperatorDef, Port


def fake(definition: OperatorDef, parameters: str) -> str:
    """The Python text that registers the fake. parameters: of a call, with their defaults. Raises ExportRefused."""
    if definition.shape is not None:
        raise ExportRefused(
            what=definition.name, reason="it has a shape function and a size that the kernel counts",
            help="Give the sizes in the signature, or export it with --form eager.",
        )  # fmt: skip
    return "\n".join(_Fake(definition).lines(parameters))


class _Fake:
    def __init__(self, definition: OperatorDef) -> None:
        self.definition = definition
        taken = set(definition.parameters)
        dims = [dim for port in definition.outputs for dim in port.dims]
        used = {name for dim in dims for name in _names(dim)}
        self.sizes: dict[str, str] = {a.name: a.name for a in definition.attributes if a.type == "int"}
        self.rests: dict[str, str] = {}
        self.head: list[str] = []
        for port in definition.inputs:
            if port.kind != "required":
                continue
            for i, dim in enumerate(port.dims):
                at = i if port.rest is None or i < port.rest else i - len(port.dims)
                if isinstance(dim, Named) and dim.name in used and dim.name not in self.sizes:
                    variable = self.sizes[dim.name] = dim.name + "_" * (dim.name in taken)
                    self.head.append(f"{variable} = {port.name}.shape[{at}]")
                elif isinstance(dim, Rest):
                    last = i - len(port.dims) + 1
                    self.rests.setdefault(dim.name, f"{port.name}.shape[{i or ''}:{last or ''}]")
        for dim in definition.unknowns:
            self.sizes[dim.name] = dim.name + "_" * (dim.name in taken or dim.name in used)

    def lines(self, parameters: str) -> list[str]:
        definition = self.definition
        counted = [self.sizes[dim.name] for dim in definition.unknowns]
        limits = [self.size(dim.limit) for dim in definition.unknowns]
        words = ", ".join(f"{name}, at most {limit}," for name, limit in zip(counted, limits, strict=True))
        out = [f'@torch.library.register_fake("{definition.name}")']
        out.append(f"def fake_{definition.short_name}({parameters}):")
        out.append(f'    """Shapes while a model is traced: {words} is known after the run."""')
        out += [f"    {line}" for line in self.head]
        for name, limit in zip(counted, limits, strict=True):
            out.append(f"    {name} = torch.library.get_ctx().new_dynamic_size()")
            out.append(f"    torch._check({name} <= {limit})")
        results = [self.output(port) for port in definition.outputs]
        out.append(f"    return {', '.join(results)}")
        return out

    def output(self, port: Port) -> str:
        like = self._like(port)
        fixed = port.element not in [p.element for p in self.definition.inputs]
        dtype = ""
        if fixed:
            dtype = f", dtype=torch.{self.definition.allowed(port)[0].torch}"
        parts = [self.part(dim) for dim in port.dims]
        shape = f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        return f"{like}.new_empty({shape}{dtype})"

    def _like(self, port: Port) -> str:
        """A tensor of the output's type, else any that is always there."""
        inputs = self.definition.inputs
        for one in inputs:
            if one.element == port.element and one.kind == "required":
                return one.name
        first = next((one for one in inputs if one.kind == "required"), inputs[0])
        return first.name if first.kind == "required" else f"{first.name}[0]"

    def part(self, dim: Dim) -> str:
        match dim:
            case Fixed(size):
                return str(size)
            case Named(name) | Unknown(name):
                return self.sizes[name]
            case Computed(text):
                return self.size(text)
            case Rest(name):
                return f"*{self.rests[name]}"
            case Broadcast(groups):
                return f"*torch.broadcast_shapes({', '.join(self.rests[name] for name in groups)})"
        raise AssertionError(dim)

    def size(self, text: str) -> str:
        """Arithmetic over names, as it works on symbols."""
        tree = ast.parse(text.strip(), mode="eval")
        return ast.unparse(_Renamed(self.sizes).visit(tree))


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        arguments = [self.visit(one) for one in node.args]
        assert isinstance(node.func, ast.Name)
        if node.func.id == "ceil_div":
            a, b = map(ast.unparse, arguments)
            return ast.parse(f"-(-({a}) // ({b}))", mode="eval").body
        return ast.Call(ast.parse(f"torch.sym_{node.func.id}", mode="eval").body, arguments, [])


def _names(dim: Dim) -> set[str]:
    match dim:
        case Named(name):
            return {name}
        case Computed(text):
            return set(names(text))
        case Unknown(_, limit):
            return set(names(limit))
        case AnySize() | Fixed() | Rest() | Broadcast():
            return set()
    return set()
