"""One operator as the templates of an exported project see it: text, ready to be placed.

Everything that depends on the operator is put into words here; the templates hold what is the same for all.
"""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ferrata.errors import ExportRefused
from ferrata.lang.elements import Dtype
from ferrata.lang.translate.source import read as read_source
from ferrata.lang.translate.writer import comment
from ferrata.op.define.dims import Computed, Unknown
from ferrata.op.define.model import ATTRIBUTES, Attribute, OperatorDef, Port
from ferrata.op.define.registration import schema
from ferrata.op.export.fakes import fake
from ferrata.op.export.gradients import outside
from ferrata.op.plan import rules
from ferrata.op.plan.expressions import acl_name, cpp_name, text_literal
from ferrata.op.plan.function import FunctionText, Parameter, parameter_kinds, translate_plan, translate_shape
from ferrata.op.plan.kinds import comma
from ferrata.op.plan.launches import packed
from ferrata.op.plan.rules import Rule, camel, output_dtype

# schema type, and how C++ takes it in a torch kernel
_TORCH = {
    "int": "int64_t {}",
    "float": "double {}",
    "bool": "bool {}",
    "str": "c10::string_view {}",
    "list[int]": "at::IntArrayRef {}",
    "list[float]": "at::ArrayRef<double> {}",
    "list[bool]": "const c10::List<bool> &{}",
}
# from a torch argument to what the rule and the launch take; GE keeps a float in single precision, so both sides do
_FROM_TORCH = {
    "int": "{}",
    "float": "static_cast<float>({})",
    "bool": "{}",
    "str": "std::string({})",
    "list[int]": "{}.vec()",
    "list[float]": "Single({})",
    "list[bool]": "std::vector<bool>({0}.begin(), {0}.end())",
}
_GE_TYPE = {
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "str": "std::string",
    "list[int]": "std::vector<int64_t>",
    "list[float]": "std::vector<double>",
    "list[bool]": "std::vector<bool>",
}
_GE_GETTER = {
    "int": "*Attributes(ctx)->GetInt({})",
    "float": "*Attributes(ctx)->GetFloat({})",
    "bool": "*Attributes(ctx)->GetBool({})",
    "str": "Attributes(ctx)->GetStr({})",
    "list[int]": "ListOf<int64_t>(Attributes(ctx)->GetListInt({}))",
    "list[float]": "ListOf<double>(Attributes(ctx)->GetListFloat({}))",
    "list[bool]": "ListOf<bool>(Attributes(ctx)->GetAttrPointer<gert::TypedContinuousVector<bool>>({}))",
}
_GE_ATTR_PY = {
    "int": "Int",
    "float": "Float",
    "bool": "Bool",
    "str": "Str",
    "list[int]": "ListInt",
    "list[float]": "ListFloat",
    "list[bool]": "ListBool",
}


@dataclass(frozen=True)
class OperatorView:
    """What the templates read of one operator."""

    definition: OperatorDef
    plan: FunctionText
    shape: FunctionText | None
    rule: Rule

    # --- names ---

    @property
    def name(self) -> str:
        return self.definition.short_name

    @property
    def camel(self) -> str:
        return camel(self.definition.short_name)

    @property
    def full_name(self) -> str:
        return self.definition.name

    @property
    def namespace(self) -> str:
        return self.definition.namespace

    @property
    def ge_type(self) -> str:
        return self.definition.ge_type

    @property
    def doc(self) -> str:
        return " ".join(self.definition.doc.split("\n\n")[0].split()) or f"The operator {self.definition.name}."

    @property
    def doc_comment(self) -> str:
        return "\n".join(comment(self.doc, 0))

    @property
    def inputs(self) -> tuple[Port, ...]:
        return self.definition.inputs

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        return self.definition.attributes

    @property
    def outputs(self) -> tuple[Port, ...]:
        return self.definition.outputs

    @property
    def mutated(self) -> tuple[Port, ...]:
        return self.definition.mutated

    @property
    def arguments(self) -> str:
        """Inputs and attributes as the rule and the launch take them."""
        return comma([cpp_name(name) for name in self.definition.parameters])

    # --- the launch ---

    @cached_property
    def launch_parameters(self) -> list[Parameter]:
        definition = self.definition
        names = [*definition.parameters, *(p.name for p in self.outputs), *(dim.name for dim in definition.unknowns)]
        return [Parameter(n, k) for n, k in zip(names, parameter_kinds(definition), strict=True)]

    @property
    def launch_signature(self) -> str:
        return _wrapped(
            f"void Launch{self.camel}", ["Launcher &launcher", *(p.declared for p in self.launch_parameters)]
        )

    @property
    def plan_signature(self) -> str:
        parameters = ["Launcher &launcher", *(p.declared for p in self.plan.parameters)]
        head = ""
        if self.plan.templates:
            head = f"template <{comma([f'typename {name}' for name in self.plan.templates])}>\n"
        return head + _wrapped("void Plan", parameters)

    @property
    def plan_unused(self) -> list[str]:
        names = ["launcher", *(cpp_name(p.name) for p in self.plan.parameters)]
        return [name for name in names if not re.search(rf"\b{re.escape(name)}\b", self.plan.body)]

    @property
    def dispatch(self) -> str:
        """The body of the launch function: the instance of the plan by data types."""
        call = f"({comma(['launcher', *(cpp_name(p.name) for p in self.launch_parameters)])});"
        templates = self.plan.templates
        if not templates:
            return f"    {self.name}_plan::Plan{call}\n"
        lines: list[str] = []
        where = {name: self._dtype_of(name) for name in templates}

        def level(rest: list[str], chosen: list[str], depth: int) -> None:
            pad = "    " * depth
            if not rest:
                lines.append(f"{pad}return {self.name}_plan::Plan<{comma(chosen)}>{call}")
                return
            name, *others = rest
            lines.append(f"{pad}switch ({where[name]}) {{")
            for dtype in templates[name]:
                lines.append(f"{pad}case {acl_name(dtype)}:")
                level(others, [*chosen, dtype.cpp], depth + 1)
                if others:
                    lines.append(f"{pad}    break;")
            lines.append(f"{pad}default:")
            lines.append(f"{pad}    break;")
            lines.append(f"{pad}}}")

        level(list(templates), [], 1)
        message = text_literal(f"{self.name}: no kernel for these data types")
        lines.append(f"    throw std::invalid_argument({message});")
        return "\n".join(lines) + "\n"

    def _dtype_of(self, name: str) -> str:
        """An expression for what a call binds to a dtype variable: of a tensor that is always there."""
        for port in (*self.outputs, *self.inputs):
            if port.kind == "required" and getattr(port.element, "name", "") == name:
                return f"{cpp_name(port.name)}.dtype"
        for port in self.inputs:
            if getattr(port.element, "name", "") == name:
                text, first = cpp_name(port.name), acl_name(self.plan.templates[name][0])
                if port.kind == "list":
                    return f"{text}.empty() ? {first} : {text}[0].dtype"
                return f"{text}.defined ? {text}.dtype : {first}"
        return acl_name(self.plan.templates[name][0])

    @property
    def kernels(self) -> dict[str, Any]:
        return dict(self.plan.kernels)

    @property
    def empty(self) -> str:
        """Whether there is nothing to compute: every output and every written tensor is empty."""
        parts = []
        for port in (*self.outputs, *self.mutated):
            name = cpp_name(port.name)
            parts.append(f"Empty({name})" if port.kind == "list" else f"{name}.numel() == 0")
        return " && ".join(parts) or "false"

    # --- GE ---

    @property
    def prototype(self) -> list[str]:
        lines = []
        several = {v.name for v in self.definition.dtype_vars}
        kinds = {"required": "INPUT", "optional": "OPTIONAL_INPUT", "list": "DYNAMIC_INPUT"}
        for port in self.inputs:
            lines.append(f".{kinds[port.kind]}({port.name}, {self._ge_type_of(port, several)})")
        for port in (*self.outputs, *self.mutated):
            kind = "DYNAMIC_OUTPUT" if port.kind == "list" else "OUTPUT"
            lines.append(f".{kind}({port.name}, {self._ge_type_of(port, several)})")
        for attribute in self.attributes:
            name = ATTRIBUTES[attribute.type][1]
            if attribute.required:
                lines.append(f".REQUIRED_ATTR({attribute.name}, {name})")
            else:
                lines.append(f".ATTR({attribute.name}, {name}, {ge_default(attribute.default)})")
        for var in self.definition.dtype_vars:
            lines.append(f".DATATYPE({var.name}, TensorType({{{comma([d.type.name for d in var.allowed])}}}))")
        return lines

    def _ge_type_of(self, port: Port, symbols: set[str]) -> str:
        if isinstance(port.element, Dtype):
            return f"TensorType({{{port.element.type.name}}})"
        return port.element.name

    @property
    def ge_inputs(self) -> list[str]:
        """Declarations of the inputs in Execute."""
        out = []
        for i, port in enumerate(self.inputs):
            name = cpp_name(port.name)
            if port.kind == "list":
                out.append(f"const std::vector<DeviceTensor> {name} = ListInput(ctx, {i});")
            else:
                out.append(f"const DeviceTensor {name} = Described(ctx->Get{port.kind.capitalize()}InputTensor({i}));")
        return out + self.ge_attributes

    @property
    def ge_attributes(self) -> list[str]:
        return [
            f"const {_GE_TYPE[a.type]} {cpp_name(a.name)} = {_GE_GETTER[a.type].format(i)};"
            for i, a in enumerate(self.attributes)
        ]

    @property
    def ge_outputs(self) -> list[str]:
        """Allocation of the outputs in Execute, after the rule has given `shapes` (or `shape`)."""
        out = []
        at = "0"
        for i, port in enumerate(self.outputs):
            name, dtype = cpp_name(port.name), output_dtype(self.definition, port)
            if port.kind == "list":
                out.append(f"const std::vector<DeviceTensor> {name} = NewList(ctx, {i}, shapes, {at}, {dtype});")
                at = f"{at} + {name}.size()" if at != "0" else f"{name}.size()"
            else:
                shape = "shape" if self.rule.single else f"shapes[{at}]"
                made = f"(ctx, {self.output_index(i)}, {shape}, {dtype})"
                if self.counted_dim(port) is None:
                    out.append(f"const DeviceTensor {name} = NewOutput{made};")
                else:
                    out.append(f"gert::Tensor *{name}_output = NewTensor{made};")
                    out.append(f"const DeviceTensor {name} = Described({name}_output);")
                at = str(int(at) + 1) if at.isdigit() else f"{at} + 1"
        for i, port in enumerate(self.mutated, len(self.outputs)):
            source = self.inputs.index(port)
            out.append(f"ShareInput(ctx, {i}, {source});")
        return out

    @property
    def ge_infer_inputs(self) -> list[str]:
        out = []
        for i, port in enumerate(self.inputs):
            name = cpp_name(port.name)
            if port.kind == "list":
                out.append(f"const std::vector<TensorInfo<Dim>> {name} = ListInfo(ctx, {i});")
            else:
                kind = port.kind.capitalize()
                shape, desc = f"ctx->Get{kind}InputShape({i})", f"ctx->Get{kind}InputDesc({i})"
                line = f"const auto {name} = Described({shape}, {desc});"
                out += [line] if len(line) <= 106 else [f"const auto {name} =", f"    Described({shape}, {desc});"]
        return out + self.ge_attributes

    @property
    def ge_dtypes(self) -> list[str]:
        """Statements of InferDataType."""
        out = []
        for i, port in enumerate((*self.outputs, *self.mutated)):
            out.append(f"SetTypes(ctx, {i}, {self.ge_dtype(port)});")
        return out

    @property
    def ge_types(self) -> list[str]:
        """The types of the outputs."""
        return [self.ge_dtype(port) for port in (*self.outputs, *self.mutated)]

    def ge_dtype(self, port: Port) -> str:
        if isinstance(port.element, Dtype):
            return port.element.type.name
        for kind in ("required", "list", "optional"):
            for i, given in enumerate(self.inputs):
                if given.kind == kind and given.element == port.element:
                    if kind == "list":
                        return f"ctx->GetDynamicInputDataType({i}, 0)"
                    return f"ctx->Get{kind.capitalize()}InputDataType({i})"
        return port.element.allowed[0].type.name

    @property
    def ge_written(self) -> list[tuple[int, int]]:
        """(output, input) of what the operator writes."""
        return [(i, self.inputs.index(p)) for i, p in enumerate(self.mutated, len(self.outputs))]

    @property
    def ports_vary(self) -> bool:
        """Whether an output port has not always one tensor."""
        return any(port.kind == "list" for port in (*self.outputs, *self.mutated))

    def output_index(self, port: int) -> str:
        """The number of a port's first tensor."""
        return f"OutputIndex(ctx, {port})" if self.ports_vary else str(port)

    # --- sizes that the kernel counts ---

    @property
    def counted(self) -> bool:
        return bool(self.definition.unknowns)

    def counted_dim(self, port: Port) -> tuple[int, str] | None:
        """(position, name) of the size of an output that the kernel counts; from the end behind a group of dimensions."""
        for i, dim in enumerate(port.dims):
            if isinstance(dim, Unknown):
                return rules._index(port, i), dim.name
        return None

    @property
    def _counted_outputs(self) -> list[tuple[Port, int, str]]:
        found = [(port, self.counted_dim(port)) for port in self.outputs]
        return [(port, *at) for port, at in found if at is not None]

    @property
    def counters(self) -> list[str]:
        """The tensors in which the kernel counts."""
        return [
            f"const DeviceTensor {cpp_name(dim.name)} = launcher.Workspace({{1}}, ACL_INT32, true); // the kernel counts in it"
            for dim in self.definition.unknowns
        ]

    @property
    def _counts(self) -> list[str]:
        """The sizes after the launch: what was counted, of at most what was allocated."""
        out = []
        for dim in self.definition.unknowns:
            port, at, name = next(one for one in self._counted_outputs if one[2] == dim.name)
            out.append(
                f"const int64_t {name}_size = launcher.Count({cpp_name(name)}, {cpp_name(port.name)}.size({at}));"
            )
        return out

    @property
    def ge_shrunk(self) -> list[str]:
        return [
            *self._counts,
            *(f"Shrink({cpp_name(port.name)}_output, {name}_size);" for port, _, name in self._counted_outputs),
        ]

    @property
    def torch_shrunk(self) -> list[str]:
        out = self._counts
        for port, at, name in self._counted_outputs:
            tensor = cpp_name(port.name)
            out.append(f"{tensor} = {tensor}.narrow({at}, 0, {name}_size).clone(at::MemoryFormat::Contiguous);")
        return out

    @property
    def ge_unknown(self) -> list[str]:
        """Inference: the sizes that are counted are not known."""
        out = []
        for port, at, _ in self._counted_outputs:
            shape = "shape" if self.rule.single else f"shapes[{self.outputs.index(port)}]"
            place = str(at) if at >= 0 else f"{shape}.size() - {-at}"
            out.append(f"{shape}[{place}] = Dim::Unknown(); // the kernel counts it")
        return out

    @property
    def arithmetic(self) -> bool:
        """Whether the shape rule computes with sizes."""
        dims = [dim for port in (*self.inputs, *self.outputs) for dim in port.dims]
        return self.shape is not None or any(
            isinstance(dim, Computed) or (isinstance(dim, Unknown) and not dim.limit.isidentifier()) for dim in dims
        )

    @property
    def dim_needs(self) -> set[str]:
        """The operators on sizes that the rule uses."""
        text = self.rule.text + (self.shape.head + self.shape.body if self.shape is not None else "")
        text = re.sub(r'"[^"\n]*"|//[^\n]*', "", text)
        found = {sign for sign in ("+", "-", "*", "/", "%", "!=", "<", ">", "<=", ">=") if f" {sign} " in text}
        needs = self.rule.needs
        found |= {"+", "-", "/"} if {"CeilDiv", "FloorDiv"} & needs else set()
        found |= {"+", "-", "*", "/", "%"} if "Mod" in needs else set()
        found |= {"*", "/", "-"} if "%" in found else set()
        found |= {"*"} if "numel()" in text or "Product" in needs else set()
        found |= {"+"} if "Sum" in needs else set()
        found |= {"extremes"} if "Extremes" in needs else set()
        return found | ({"number"} if found & {"!=", "<", ">", "<=", ">="} else set())

    # --- torch ---

    @property
    def tags(self) -> str:
        if self.counted:
            return "{at::Tag::dynamic_output_shape}"
        return "{at::Tag::pt2_compliant_tag}"

    @property
    def schema(self) -> str:
        return schema(self.definition)

    @property
    def schema_literal(self) -> str:
        return text_literal(self.schema)

    @property
    def torch_parameters(self) -> list[str]:
        out = []
        for port in self.inputs:
            name = cpp_name(port.name)
            kinds = {
                "required": f"const at::Tensor &{name}",
                "optional": f"const std::optional<at::Tensor> &{name}",
                "list": f"at::TensorList {name}",
            }
            out.append(kinds[port.kind])
        return out + [_TORCH[a.type].format(cpp_name(a.name)) for a in self.attributes]

    @property
    def torch_result(self) -> str:
        if not self.outputs:
            return "void"
        kinds = ["std::vector<at::Tensor>" if port.kind == "list" else "at::Tensor" for port in self.outputs]
        return kinds[0] if len(kinds) == 1 else f"std::tuple<{comma(kinds)}>"

    def torch_signature(self, suffix: str) -> str:
        return _wrapped(f"{self.torch_result} {self.camel}{suffix}", self.torch_parameters)

    @property
    def torch_attributes(self) -> list[str]:
        return [_FROM_TORCH[a.type].format(cpp_name(a.name)) for a in self.attributes]

    @property
    def meta_arguments(self) -> str:
        return comma([*(f"Info({cpp_name(p.name)})" for p in self.inputs), *self.torch_attributes])

    @property
    def eager_arguments(self) -> str:
        """Arguments of the rule in the eager function."""
        parts = [f"Info(Described({cpp_name(p.name)}_data))" if p.kind == "list" else f"Described({cpp_name(p.name)}_data)"
                 for p in self.inputs]  # fmt: skip
        return comma([*(p.replace("Info(Described", "Infos(Described") for p in parts), *self.torch_attributes])

    @property
    def launch_arguments(self) -> str:
        parts = [f"Described({cpp_name(p.name)}_data)" for p in self.inputs]
        parts += self.torch_attributes
        parts += [f"Described({cpp_name(p.name)})" for p in self.outputs]
        parts += [cpp_name(dim.name) for dim in self.definition.unknowns]
        return comma(parts)

    @property
    def device_tensor(self) -> str:
        """An expression for a tensor whose options the outputs take."""
        for port in self.inputs:
            if port.kind == "required":
                return cpp_name(port.name)
        for port in self.inputs:
            if port.kind == "list":
                return f"{cpp_name(port.name)}.at(0)"
        return f"*{cpp_name(self.inputs[0].name)}" if self.inputs else "at::Tensor()"

    def torch_outputs(self, meta: bool) -> list[str]:
        """Statements that make the outputs from `shapes`."""
        out = []
        at = "0"
        for port in self.outputs:
            name = cpp_name(port.name)
            dtype = self._torch_dtype(port)
            options = f"{self.device_tensor}.options().dtype({dtype})"
            maker = "at::empty_symint" if meta else "at::empty"
            if port.kind == "list":
                source = rules._list_source(self.definition, port)
                out.append(f"std::vector<at::Tensor> {name};")
                out.append(f"for (size_t i = 0; i < {cpp_name(source.name)}.size(); ++i) {{")
                out.append(f"    {name}.push_back({maker}(shapes[{'' if at == '0' else at + ' + '}i], {options}));")
                out.append("}")
                at = f"{at} + {name}.size()" if at != "0" else f"{name}.size()"
            else:
                shape = "shape" if self.rule.single else f"shapes[{at}]"
                out.append(f"at::Tensor {name} = {maker}({shape}, {options});")
                at = str(int(at) + 1) if at.isdigit() else f"{at} + 1"
        return out

    @property
    def torch_return(self) -> str:
        names = [cpp_name(p.name) for p in self.outputs]
        if not names:
            return "return;"
        return f"return {names[0]};" if len(names) == 1 else f"return {{{comma(names)}}};"

    def _torch_dtype(self, port: Port) -> str:
        if isinstance(port.element, Dtype):
            return TORCH_SCALARS[port.element.name]
        for kind in ("required", "list", "optional"):
            for given in self.inputs:
                if given.kind == kind and given.element == port.element:
                    name = cpp_name(given.name)
                    return {"required": f"{name}.scalar_type()", "list": f"{name}.at(0).scalar_type()"}.get(
                        kind, f"{name}->scalar_type()"
                    )
        return TORCH_SCALARS[port.element.allowed[0].name]

    # --- Python ---

    @property
    def python_parameters(self) -> str:
        parts = []
        for port in self.inputs:
            parts.append(f"{port.name}=None" if port.kind == "optional" else port.name)
        for i, attribute in enumerate(self.attributes):
            if i == self.definition.keyword_only:
                parts.append("*")
            parts.append(attribute.name + ("" if attribute.required else f"={attribute.default!r}"))
        if any("=" in part for part in parts):
            parts = _defaults_last(parts)
        return comma([*parts, "meta_outputs=None"])

    @property
    def fake(self) -> str:
        """The registration of the fake, where C++ cannot have one."""
        return fake(self.definition, self.python_parameters.removesuffix("meta_outputs=None").removesuffix(", "))

    @property
    def python_inputs(self) -> str:
        return comma([f'"{p.name}": {p.name}' for p in self.inputs])

    @property
    def python_outputs(self) -> str:
        out = []
        for port in (*self.outputs, *self.mutated):
            if port.kind == "list":
                source = port if port.mutated else rules._list_source(self.definition, port)
                out.append(f'("{port.name}", len({source.name}))')
            else:
                out.append(f'"{port.name}"')
        return comma(out)

    @property
    def python_attrs(self) -> str:
        return comma([f'"{a.name}": attr.{_GE_ATTR_PY[a.type]}({a.name})' for a in self.attributes])

    @property
    def python_result(self) -> str:
        """What the converter returns of `outputs`."""
        if not self.mutated:
            return ""
        kept = len(self.outputs)
        if kept == 0:
            return "none"
        return "first" if kept == 1 else f"[:{kept}]"

    @property
    def python_name(self) -> str:
        return f"torch.ops.{self.namespace}.{self.name}"

    @property
    def reference(self) -> tuple[str, str] | None:
        """The name and the text of the reference in plain torch, when it stands on its own."""
        return _reference(self)


TORCH_SCALARS = {
    "f16": "at::kHalf",
    "bf16": "at::kBFloat16",
    "f32": "at::kFloat",
    "i8": "at::kChar",
    "u8": "at::kByte",
    "i16": "at::kShort",
    "i32": "at::kInt",
    "i64": "at::kLong",
    "u16": "at::kUInt16",
    "u32": "at::kUInt32",
    "u64": "at::kUInt64",
    "boolean": "at::kBool",
}


def view(definition: OperatorDef, *, recorder: bool = False, tiling: bool = False) -> OperatorView:
    """Translate an operator. recorder: its launches are recorded instead of run. tiling: for the OpDef form.

    Raises KernelSourceError for what has no C++, ExportRefused.
    """
    from ferrata.op.define.plan import require

    require(definition)
    listed = [port.name for port in definition.outputs if port.kind == "list"]
    if any(isinstance(dim, Unknown) for port in definition.outputs if port.kind == "list" for dim in port.dims):
        raise ExportRefused(
            what=definition.name,
            reason=f"the sizes of the tensors in the list {listed[0]} are counted by the kernel, one count for all of them",
            help="Give each of these tensors as an output of its own.",
        )
    if any(port.mutated and port.kind == "optional" for port in definition.inputs):
        raise ExportRefused(
            what=definition.name,
            reason="it writes a tensor that may be absent, which no prototype can say",
            help="Make two operators of it, or let the tensor be required.",
        )
    shape = translate_shape(definition) if definition.shape is not None else None
    return OperatorView(
        definition, translate_plan(definition, recorder=recorder, tiling=tiling), shape, rules.rule(definition, shape)
    )


def _wrapped(head: str, parameters: list[str]) -> str:
    text = f"{head}({comma(parameters)})"
    if len(text) <= 116:
        return text
    return f"{head}(\n    " + "\n    ".join(packed(parameters, 112)) + ")"


def ge_default(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return text_literal(value)
    if isinstance(value, list):
        return f"{{{comma([ge_default(item) for item in value])}}}"
    if isinstance(value, float):
        if not math.isfinite(value):
            return "std::numeric_limits<float>::infinity()" if value > 0 else "-std::numeric_limits<float>::infinity()"
        return f"{value!r}f"
    return repr(value)


def _defaults_last(parts: list[str]) -> list[str]:
    """Python wants parameters with defaults last: what follows one without gets None, which a call always fills."""
    out, seen = [], False
    for part in parts:
        if part == "*":
            seen = False
            out.append(part)
        elif "=" in part:
            seen = True
            out.append(part)
        else:
            out.append(f"{part}=None" if seen else part)
    return out


def _reference(view: OperatorView) -> tuple[str, str] | None:
    function = view.definition.reference
    if function is None:
        return None
    try:
        source = read_source(function)
    except (OSError, TypeError):
        return None
    foreign = outside(function, source.tree)
    constants = {k: v for k, v in foreign.items() if isinstance(v, int | float | str | bool)}
    modules = {
        k: v for k, v in foreign.items() if inspect.ismodule(v) and v.__name__.split(".")[0] in ("torch", "math")
    }
    if set(foreign) - set(constants) - set(modules):
        return None
    tree = source.tree
    name = f"reference_{view.name}"
    lines = list(source.lines)
    first = tree.lineno - source.first
    text = textwrap.dedent("".join(lines[first:]))
    text = text.replace(f"def {tree.name}(", f"def {name}(", 1)
    imports = [
        f"import {v.__name__} as {k}" if v.__name__ != k else f"import {k}" for k, v in modules.items() if k != "torch"
    ]
    head = [*imports, *(f"{k} = {v!r}" for k, v in constants.items())]
    return name, "\n".join([*head, *([""] if head else []), text.rstrip()])
