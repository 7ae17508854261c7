"""Write a graph as a flat Python program: one line a node, comparisons after custom nodes, `del` after the last use.

The text is what runs; `CompiledGraph.source` shows it. Calling convention: one list of inputs, which the program
empties so that it may free each as early as possible. With a probe it is an instrumented variant of the same program.
"""

from __future__ import annotations

import keyword
import linecache
import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from ferrata.ge.engines import place, restride, tuple_text
from ferrata.ge.infer import input_instances
from ferrata.ge.ir import CLUSTER, IN_PLACE, Desc, Graph, Node, Ref, Shape, iter_refs
from ferrata.ge.library import rules
from ferrata.ge.lower import lowered
from ferrata.ge.probe import Probe, Profiling
from ferrata.ge.prototype import registered_prototype, require_prototype
from ferrata.ge.sizes import Size, python_text, symbols_of
from ferrata.ge.types import DataType

if TYPE_CHECKING:
    import sympy  # type: ignore[import-untyped]

_SIZES = (int(DataType.DT_INT32), int(DataType.DT_INT64))
_PLAIN = (int, float, bool, str, bytes, type(None), complex)


class Program:
    """The generated text with the objects it names."""

    def __init__(
        self, graph: Graph, device: torch.device, probe: Probe | None = None, within: Program | None = None
    ) -> None:
        """within: the program whose text the one of a subgraph becomes part of; they share their global names."""
        self.original = graph
        if probe is None:  # who looks at single nodes wants them all
            graph = lowered(graph)
        self.graph, self.device, self.probe = graph, device, probe
        self._profiled: Callable[[list[Any]], tuple[Any, ...]] | None = None
        self._functions: list[str] = []  # the texts of subgraphs
        self.globals: dict[str, Any] = {"torch": torch, "math": math, "inf": math.inf, "nan": math.nan}
        self._bound: dict[int, str] = {}
        self._taken: set[str] = {*keyword.kwlist, *self.globals, "args", "run", "_"}
        self._nodes = graph.by_name()
        self._names: dict[Ref, str] = {}
        self._symbols: dict[str, str] = {}  # variables of symbols, by name
        self._texts: dict[sympy.Expr, str | None] = {}  # of sizes
        self._lines: list[str] = []
        self._skipped: set[str] = set()
        self._dead: list[str] = []  # what the node at work reads last
        if within is not None:
            self.globals, self._bound, self._taken = within.globals, within._bound, within._taken
            return
        head = [] if probe is not None else [self._hand_over()]
        self.source = self._write("run", head)

    def compile(self) -> Callable[[list[Any]], tuple[Any, ...]]:
        """The program as a function; tracebacks show its lines."""
        file = f"<graph {self.graph.name} #{id(self)}>"
        linecache.cache[file] = (len(self.source), None, self.source.splitlines(True), file)
        scope = dict(self.globals)
        exec(compile(self.source, file, "exec"), scope)
        return scope["run"]  # type: ignore[no-any-return]

    def _profile(self, args: list[Any]) -> tuple[Any, ...]:
        """The call when torch's profiler is on."""
        if self._profiled is None:
            self._profiled = Program(self.original, self.device, Profiling()).compile()
        return self._profiled(args)

    # ---- what engines and probes use ----

    def bind(self, value: Any, hint: str) -> str:
        known = self._bound.get(id(value))
        if known is None:
            known = self._bound[id(value)] = self._unique(hint)
            self.globals[known] = value
        return known

    def desc(self, ref: Ref) -> Desc:
        return self._nodes[ref.node].outputs[ref.index].desc

    def tensor(self, ref: Ref) -> str:
        desc = self.desc(ref)
        name = self._names[ref]
        if desc.host:
            return f"{self.bind(self._scalar, 'scalar_tensor')}({name})"
        return name if desc.stride is None else f"{name}.contiguous()"

    def strided(self, ref: Ref) -> str:
        name = self._names[ref]
        return f"{self.bind(self._scalar, 'scalar_tensor')}({name})" if self.desc(ref).host else name

    def number(self, ref: Ref) -> str | None:
        if self.desc(ref).host:
            return self._names[ref]
        value = self._nodes[ref.node].attrs.get("_number")
        if value is None:
            return None
        text = self.literal(value.value)
        return f"({text})" if text.startswith("-") else text

    def host(self, ref: Ref) -> str:
        node = self._nodes[ref.node]
        if self.desc(ref).host:
            return self._names[ref]
        if node.type == "Const":
            number = self.number(ref)
            return self.literal(node.value.tolist()) if number is None else number
        if node.type == "Pack":
            return f"[{', '.join(self.host(r) for r in node.refs)}]"
        if node.type == "Shape":
            return f"list({self._names[node.refs[0]]}.shape)"
        if self._written_out(node):
            return self.host(node.refs[0])
        return f"{self._names[ref]}.tolist()"

    def _reads(self, node: Node) -> list[Ref]:
        """The values that the node's line names: lists of sizes are written out where they are used."""
        if node.call is not None or self._host_ports(node) == ():
            return list(node.refs)
        host = self._host_ports(node)
        found: list[Ref] = []
        for spec, ports in input_instances(require_prototype(node.type, node.where), node):
            for port in ports:
                if port.ref is not None:
                    found += self._leaves(port.ref) if spec.name in host else [port.ref]
        return found

    def _leaves(self, ref: Ref) -> list[Ref]:
        node = self._nodes[ref.node]
        if node.type == "Const":
            return []
        if node.type == "Shape":
            return list(node.refs)
        return [leaf for r in node.refs for leaf in self._leaves(r)] if self._written_out(node) else [ref]

    def _written_out(self, node: Node) -> bool:
        """Whether a list of sizes is written out where it is used: made of numbers, of a shape, or such a list cast."""
        if node.type == "Cast" and not self.desc(node.refs[0]).host:
            dtype = node.outputs[0].desc.dtype
            return dtype in _SIZES and self._written_out(self._nodes[node.refs[0].node])
        return node.type in ("Pack", "Shape")

    def _host_ports(self, node: Node) -> tuple[str, ...]:
        found = rules.find(node.type) if node.counts and registered_prototype(node.type) is None else None
        return found.host if found is not None else ()

    def _unwritten(self) -> set[str]:
        """Nodes whose list only stands inside other lines."""
        packs = {n.name for n in self.graph.nodes if self._written_out(n)}
        used = {r.node for r in iter_refs(self.graph.outputs)}
        for node in reversed(self.graph.nodes):
            if node.name not in packs or node.name in used:
                used.update(r.node for r in self._reads(node))
        return packs - used

    def literal(self, value: Any) -> str:
        if isinstance(value, Ref):
            return self._names[value]
        if isinstance(value, (torch.Size, list, tuple)):
            body = ", ".join(self.literal(v) for v in value)
            if isinstance(value, list):
                return f"[{body}]"
            return f"({body},)" if len(value) == 1 else f"({body})"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k!r}: {self.literal(v)}" for k, v in value.items()) + "}"
        if isinstance(value, slice):
            return f"slice({self.literal(value.start)}, {self.literal(value.stop)}, {self.literal(value.step)})"
        if type(value) in _PLAIN or isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            return repr(value)
        if isinstance(value, torch.device):
            return f"torch.{value!r}"
        return self.bind(value, f"const_{type(value).__name__}")

    def dims(self, shape: Shape) -> list[str | None]:
        return [str(d) if isinstance(d, int) and d >= 0 else self._expression(d) for d in shape]

    def variable(self, hint: str) -> str:
        return self._unique(hint)

    def in_place(self, node: Node) -> bool:
        # a probe that looks at values wants them all
        return IN_PLACE in node.attrs and (self.probe is None or isinstance(self.probe, Profiling))

    def release(self, node: Node) -> None:
        targets = self.targets(node)
        inputs = [n for n in self._dead if n not in targets]
        if inputs:
            self.line(f"del {', '.join(inputs)}")
        self._dead = [n for n in self._dead if n in targets]

    def targets(self, node: Node) -> list[str]:
        return [self._names[Ref(node.name, i)] for i in range(len(node.outputs))]

    def line(self, text: str) -> None:
        self._lines.append(f"    {text}")

    def assign(self, node: Node, expression: str, *, many: bool) -> None:
        targets = self.targets(node)
        left = "" if not targets else f"{targets[0]}, = " if many and len(targets) == 1 else f"{', '.join(targets)} = "
        where = node.where
        comment = f"  # {where.line}  {where.code}".rstrip() if where.line else ""
        self._lines.append(f"    {left}{expression}{comment}")

    # ---- writing ----

    def function(self, graph: Graph, hint: str, results: Sequence[Desc] | None, *, own: bool = False) -> str:
        """Write a subgraph as a function `list of inputs -> tuple`; its name. results: how the node describes them.

        own: no result is an input's memory.
        """
        name = self._unique(hint)
        inner = Program(graph, self.device, self.probe, within=self)
        self._functions.append(inner._write(name, (), results, own))
        return name

    def host_value(self, ref: Ref) -> str:
        """A value without dimensions as a Python number, or as a tensor that turns into one where it is tested."""
        return self.number(ref) or self._names[ref]

    def _hand_over(self) -> str:
        profiler, profiled = self.bind(torch.autograd.profiler, "profiler"), self.bind(self._profile, "profiled")
        return f"if {profiler}._is_profiler_enabled: return {profiled}(args)"

    def _write(self, name: str, first: Sequence[str], results: Sequence[Desc] | None = None, own: bool = False) -> str:
        feeds = self.graph.feeds
        for node in self.graph.nodes:
            self._name_outputs(node)
        inputs = [self._names[Ref(n.name, 0)] for n in feeds]
        head = [f"# {self.graph.name}: {len(self.graph.nodes)} nodes", f"def {name}(args):"]
        self._lines = [f"    {text}" for text in first]
        if results is None and self._one_cluster():
            node = next(n for n in self.graph.nodes if n.type == CLUSTER)
            assert node.call is not None
            self.line(f"return {self.bind(node.call.fn, f'run_{node.name}')}(args)")
            return "\n".join([*head, *self._lines]) + "\n"
        if inputs:
            self.line(f"{', '.join(inputs)}{',' if len(inputs) == 1 else ''} = args")
        self.line("args.clear()")
        mark = len(self._lines)
        self._skipped = self._unwritten()
        last = self._last_uses()
        for node in self.graph.nodes:
            self._dead = [n for n in last.get(node.name, ()) if n not in self._symbols.values()]
            self._write_node(node)
            if self._dead:
                self.line(f"del {', '.join(self._dead)}")
        result: list[str | None] = [
            self._expression(o) if isinstance(o, Size) or hasattr(o, "free_symbols") else self.literal(o)
            for o in self.graph.outputs
        ]
        if results is not None:
            result = self._handed_out(result, results, own)
        self.line(f"return {tuple_text(result)}")
        prologue = [f"    {name} = {self._symbol_source(s)}" for s, name in self._symbols.items()]
        self._lines[mark:mark] = prologue
        return "\n\n".join([*self._functions, "\n".join([*head, *self._lines]) + "\n"])

    def _one_cluster(self) -> bool:
        """Whether the graph is nothing but a compiled cluster of all inputs, whose results are all results."""
        rest = [n for n in self.graph.nodes if n.type not in ("Data", "RefData", "Const")]
        if len(rest) != 1 or rest[0].type != CLUSTER or rest[0].call is None or self.probe is not None:
            return False
        reads = [Ref(n.name, 0) for n in self.graph.feeds]
        results = tuple(Ref(rest[0].name, i) for i in range(len(rest[0].outputs)))
        return list(rest[0].refs) == reads and self.graph.outputs == results

    def _handed_out(self, texts: list[str | None], results: Sequence[Desc], own: bool) -> list[str | None]:
        """The results of a subgraph: with the strides that its node promises, and each in memory of its own."""
        feeds = {Ref(f.name, 0) for f in self.graph.feeds}
        seen: set[Ref] = set(feeds) if own else set()
        out: list[str | None] = []
        for value, text, desc in zip(self.graph.outputs, texts, results, strict=True):
            if isinstance(value, Ref) and text is not None and not self.desc(value).host:
                if value in seen or self._nodes[value.node].type == "Const":
                    text = f"{text}.clone()"
                elif value not in feeds:
                    restride(text, desc, self, always=True)
                seen.add(value)
            out.append(text)
        return out

    def _write_node(self, node: Node) -> None:
        if node.type in ("Data", "RefData", "NetOutput") or node.name in self._skipped:
            return
        if node.type == "Const":
            # what a pass computed lies on the host; a node that reads it as a tensor wants it on the device
            here = node.outputs[0].desc.placement != "NPU" or node.value.device.type == self.device.type
            self.globals[self._names[Ref(node.name, 0)]] = node.value if here else node.value.to(self.device)
            return
        mark = len(self._lines)
        place(node).emit(node, self)
        if self.probe is not None:
            reads = [self._names[r] for r in self._reads(node)]
            self._lines[mark:] = self.probe.around(node, self._lines[mark:], reads, self)

    def _last_uses(self) -> dict[str, list[str]]:
        """Node name -> variables that nothing reads after it."""
        returned = set(iter_refs(self.graph.outputs))
        sources = {s if isinstance(s, Ref) else s[0] for s in self.graph.symbols.values()}
        last: dict[Ref, str] = {}
        for node in self.graph.nodes:
            if node.type == "Const" or node.name in self._skipped:
                continue
            if node.type not in ("Data", "RefData"):
                for i in range(len(node.outputs)):
                    last[Ref(node.name, i)] = node.name
            for ref in self._reads(node):
                if self._nodes[ref.node].type != "Const":
                    last[ref] = node.name
        out: dict[str, list[str]] = {}
        for ref, node_name in last.items():
            if ref not in returned and ref not in sources:
                out.setdefault(node_name, []).append(self._names[ref])
        return out

    def _name_outputs(self, node: Node) -> None:
        single = len(node.outputs) == 1
        for i, output in enumerate(node.outputs):
            self._names[Ref(node.name, i)] = self._unique(node.name if single else f"{node.name}_{output.name}")

    def _unique(self, hint: str) -> str:
        base = re.sub(r"\W", "_", hint) or "v"
        base = f"v{base}" if base[0].isdigit() else base
        name, n = base, 0
        while name in self._taken:
            n += 1
            name = f"{base}_{n}"
        self._taken.add(name)
        return name

    # ---- symbols ----

    def _expression(self, dim: Any) -> str | None:
        if isinstance(dim, int):
            return None if dim < 0 else str(dim)
        if isinstance(dim, Size):  # asked for its hash, it imports sympy
            return self._symbolic(dim)
        if dim not in self._texts:
            self._texts[dim] = self._symbolic(dim)
        return self._texts[dim]

    def _symbolic(self, dim: sympy.Expr | Size) -> str | None:
        free = symbols_of(dim)
        if any(s not in self.graph.symbols for s in free):
            return None
        for symbol in free:
            if symbol not in self._symbols:
                self._symbols[symbol] = self._unique(symbol)
        return python_text(dim, self._symbols)

    def _symbol_source(self, symbol: str) -> str:
        source = self.graph.symbols[symbol]
        return self._names[source] if isinstance(source, Ref) else f"{self._names[source[0]]}.size({source[1]})"

    def _scalar(self, value: Any) -> torch.Tensor:
        if isinstance(
            value, (torch.SymInt, torch.SymFloat)
        ):  # traced for a cluster: torch.tensor would ask for the number
            kind = torch.int64 if isinstance(value, torch.SymInt) else torch.get_default_dtype()
            return torch.scalar_tensor(value, dtype=kind, device=self.device)  # type: ignore[arg-type]
        return torch.tensor(value, device=self.device)
