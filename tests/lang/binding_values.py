"""Values as the translator would make them, a Context that records, and a synthetic call for every form.

`calls()` gives one call for each row, form and allowed combination of element types; the tests bind it and compile what
comes out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ferrata.errors import KernelSourceError
from ferrata.lang import enums
from ferrata.lang.api import DAV_2201, Api
from ferrata.lang.apis.casts import ROWS as CONVERSIONS
from ferrata.lang.binding import bind, bind_method, constant
from ferrata.lang.binding.layouts import layout
from ferrata.lang.binding.names import STATIC, functions, methods
from ferrata.lang.binding.signature import Signature, Slot, signatures
from ferrata.lang.elements import Dtype, DtypeVar, Element, boolean, by_cpp, f16, f32, i32, u8
from ferrata.lang.registry import apis
from ferrata.lang.values import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    EnumType,
    GlobalType,
    LocalType,
    OpaqueType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    Value,
)


@dataclass
class Recorder:
    """A Context: what was declared and emitted is kept as text."""

    chip: str = DAV_2201
    narrowed: Mapping[str, tuple[Dtype, ...]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    helpers: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    variables: dict[str, str] = field(default_factory=dict)  # C++ type by name

    def possible(self, variable: DtypeVar) -> tuple[Dtype, ...]:
        return self.narrowed.get(variable.name, variable.allowed)

    def declare(self, cpp_type: str, name: str, value: str = "") -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        base, bracket, rest = cpp_type.partition("[")
        self.lines.append(f"{base} {name}{bracket}{rest}" + (f" = {value};" if value else ";"))
        return name

    def emit(self, statement: str) -> None:
        self.lines.append(statement)

    def helper(self, name: str, text: str) -> None:
        self.helpers[name] = text

    def constexpr(self, value: Value) -> bool:
        return value.const is not None

    def error(self, kind: type[KernelSourceError], node: ast.AST | None, **fields: Any) -> KernelSourceError:
        fields.setdefault("help", "")
        fields.setdefault("near", "")
        place = getattr(node, "id", "call")
        return kind(file="kernel.py", line=1, excerpt=f"    {place}", **fields)


def local(name: str, element: Element, position: str = "") -> Value:
    return Value(name, LocalType(element, position), node=ast.Name(name))


def device(name: str, element: Element) -> Value:
    return Value(name, GlobalType(element), node=ast.Name(name))


def number(value: float) -> Value:
    if isinstance(value, bool):
        return Value(str(value).lower(), BOOL, const=value)
    if isinstance(value, int):
        return Value(str(value), INT, const=value, minimum=value)
    return Value(f"{value!r}f", FLOAT, const=value)


def variable(name: str, kind: Type = INT) -> Value:
    return Value(name, kind, node=ast.Name(name))


def element(value: Element) -> Value:
    return Value(value.cpp, OpaqueType("typename"), const=value)


def items(*values: Value) -> Value:
    return Value("", TupleType(tuple(value.type for value in values)), items=values)


def member(name: str) -> Value:
    """`RoundMode.CAST_RINT` as a Value."""
    owner, _, inner = name.partition(".")
    found = constant(getattr(getattr(enums, owner), inner) if inner else getattr(enums, owner))
    assert found is not None
    return found


# What a parameter is given where its kind does not tell.
GIVEN: Mapping[str, Value] = {
    "src1Pattern": number(1),
    "validBit": number(3),
    "startBit": number(48),
    "endBit": number(48),
    "countValue": number(1),
    "modeId": number(2),
    "hRepeat": number(1),
    "vRepeat": number(1),
    "tileSize": number(64),
    "repeatTime": number(2),
    "idx": number(5),
    "dimValue": number(1),
}
MEMBERS: Mapping[str, str] = {
    "RoundMode": "RoundMode.CAST_RINT", "CMPMODE": "CMPMODE.LT", "SELMODE": "SELMODE.VSEL_TENSOR_TENSOR_MODE",
    "ReduceOrder": "ReduceOrder.ORDER_ONLY_VALUE", "ReduceType": "ReduceType.SUM", "pipe_t": "MTE3",
    "HardEvent": "HardEvent.MTE2_V", "TPosition": "VECIN", "SaturationMode": "SaturationMode.FLOAT",
    "MaskMode": "MaskMode.COUNTER", "MemDsbT": "MemDsbT.UB", "AtomicDtype": "AtomicDtype.ATOMIC_F32",
    "AtomicOp": "AtomicOp.ATOMIC_SUM", "CacheLine": "CacheLine.SINGLE_CACHE_LINE",
    "DcciDst": "DcciDst.CACHELINE_OUT", "CacheMode": "CacheMode.CACHE_MODE_NORMAL", "CacheRwMode": "CacheRwMode.READ",
    "GatherMaskMode": "GatherMaskMode.VERSION_V2",
}  # fmt: skip


@dataclass(frozen=True)
class Synthetic:
    """One call: a row, a form, element types; options: keyword arguments for what has a default."""

    api: Api
    signature: Signature
    elements: Mapping[str, Element]
    options: bool = False
    name: str = ""  # an older name to call it by
    lenient: bool = False  # the element types are not among the allowed ones

    @property
    def id(self) -> str:
        forms = [s.form for s in signatures(self.api)]
        types = "-".join(value.name for key, value in self.elements.items() if key != "PrimType")
        return "/".join(
            filter(None, (self.api.id, f"{forms.index(self.signature.form)}", types, "options" if self.options else ""))
        )

    def bound(self, context: Recorder) -> Value:
        """Bind it; the context keeps the variables that it is called with."""
        owner, _, name = self.api.name.rpartition("::")
        args = [self.given(slot) for slot in self.signature.slots if slot.kind.tag != "rest" and not _late(slot)]
        types = [element(self.elements.get(slot.name, f32)) for slot in self.signature.types if slot.default is None]
        kwargs = {slot.python: self.given(slot) for slot in self.signature.templates if slot.keyword and self.options}
        kwargs |= {slot.python: self.given(slot) for slot in self.signature.slots if _late(slot) and self.options}
        if self.signature.form.kind == "call" and self.api.id == "GetReduceRepeatMaxMinSpr":
            asked = {slot.python for slot in self.signature.results}
            if "max_min_index" not in asked:
                kwargs["max_min_index"] = Value("", NONE)
        context.variables = variables([*args, *kwargs.values()])
        if not owner or owner in STATIC:
            cpp = self.name or self.api.name
            python = next(key for key, entry in functions().items() if entry.cpp == cpp)
            return bind(python, [*types, *args], kwargs, context)
        python = next(key for key, entry in methods()[owner].items() if entry.cpp == name)
        what = self.object(owner)
        context.variables |= variables([what])
        return bind_method(what, python, [*types, *args], kwargs, context)

    def object(self, owner: str) -> Value:
        """The object of a member."""
        own = self.elements.get("PrimType", f32)
        if owner == "LocalTensor":
            return local(f"local_{own.name}", own)
        if owner == "GlobalTensor":
            return device(f"device_{own.name}", own)
        cpp = {
            "TQue": "TQue<TPosition::VECIN, 1>", "TBuf": "TBuf<TPosition::VECCALC>", "TPipe": "TPipe",
            "TBufPool": "TBufPool<TPosition::VECCALC>", "LocalMemAllocator": "LocalMemAllocator<>",
            "ListTensorDesc": "ListTensorDesc", "TQueSync": "TQueSync<PIPE_MTE2, PIPE_V>",
        }[owner]  # fmt: skip
        return Value(f"a_{owner}", OpaqueType(cpp))

    def given(self, slot: Slot) -> Value:
        """The argument for a parameter."""
        kind = slot.kind
        found = self.elements.get(kind.name) or by_cpp(kind.name)
        if slot.name in GIVEN and kind.tag == "int":
            return GIVEN[slot.name]
        if kind.tag == "local":
            assert found is not None
            return local(f"{slot.name}_{found.name}", found)
        if kind.tag == "global":
            assert found is not None
            return device(f"{slot.name}_{found.name}", found)
        if kind.tag == "scalar":
            return self.scalar(kind.name, found)
        if kind.tag == "int":
            return variable("n") if "ount" in slot.name and not slot.template else number(1)
        if kind.tag == "bool":
            return number(slot.default in ("false", "0", None))
        if kind.name == "RoundMode":
            return self.round_mode()
        if kind.tag == "enum":
            return member(MEMBERS[kind.name])
        if kind.tag == "bits":
            return items(number(0xFF), number(0))
        if kind.tag == "struct":
            return self.struct(kind.name)
        if kind.tag == "list":
            return self.list(kind.name, kind.length or 1)
        if kind.tag == "pointer":
            return device(f"pointer_{(found or f32).name}", found or f32)
        if kind.tag == "object":
            cpp = {"que": "TQue<TPosition::VECIN, 1>", "buf": "TBuf<TPosition::VECCALC>"}.get(
                slot.name, "TBufPool<TPosition::VECCALC>"
            )
            return Value(f"other_{cpp.partition('<')[0]}", OpaqueType(cpp))
        assert kind.tag == "text", kind
        return Value('"x"', OpaqueType("str"), const="hello %%\n")

    def round_mode(self) -> Value:
        """The first mode that the conversion has."""
        source, target = ("U", "T") if self.api.id == "Cast" else ("T", "U")
        if self.lenient:
            return member("RoundMode.CAST_NONE")
        pair = (self.elements[source].cpp, self.elements[target].cpp)
        op = "Cast" if self.api.id == "Cast" else "Cast (scalar)"
        row = next(row for row in CONVERSIONS if row.op == op and (row.source, row.target) == pair)
        return member(f"RoundMode.CAST_{row.modes[0]}")

    def scalar(self, name: str, found: Element | None) -> Value:
        if name == "bfloat16_t":
            return variable("bf", ScalarType(by_cpp("bfloat16_t")))  # type: ignore[arg-type]
        if self.signature.form.kind == "call" and not any(s.kind.tag == "local" for s in self.signature.params):
            if found is None or found == boolean:  # no number has that type
                return number(1.0)
            return variable(f"scalar_{found.name}", ScalarType(found))
        return number(2)

    def struct(self, name: str) -> Value:
        base = name.partition("<")[0]
        found = self.elements.get("T", f32)
        if base == "MrgSortSrcList":
            return items(*(local(f"src_{found.name}", found) for _ in range(4)))
        if base == "VdeqInfo":
            return Value("vdeq_info", StructType("VdeqInfo"))
        if base == "ShapeInfo":
            return Value("shape_info", StructType("ShapeInfo"))
        if base == "MrgSort4Info":
            return Value("sort_info", StructType("MrgSort4Info"))
        values = []
        for each in layout(base).takes:
            if each.type == "bool":
                values.append(number(False))
            elif "::" in each.default:
                values.append(member(each.default.replace("::", ".")))
            else:
                values.append(variable("n") if each.type.startswith("uint") and len(values) == 1 else number(1))
        return items(*values)

    def list(self, name: str, length: int) -> Value:
        found = self.elements.get("T", f32)
        if "LocalTensor" in name:
            return items(*(local(f"src_{found.name}", found) for _ in range(length)))
        if name == "SliceInfo":
            return items(*(items(*(number(k) for k in (0, 31, 0, 1, 32))) for _ in range(length)))
        return items(*(number(k + 1) for k in range(length)))


def _late(slot: Slot) -> bool:
    """A parameter with a default."""
    return slot.default is not None and not slot.template


def cpp_type(kind: Type) -> str:
    """A static type in C++."""
    if isinstance(kind, LocalType):
        return f"LocalTensor<{kind.element.cpp}>"
    if isinstance(kind, GlobalType):
        return f"GlobalTensor<{kind.element.cpp}>"
    if isinstance(kind, ScalarType):
        return kind.element.cpp
    assert isinstance(kind, (StructType, OpaqueType, EnumType)), kind
    return kind.name


def variables(values: Iterable[Value]) -> dict[str, str]:
    """The variables among values and their items, with their types."""
    found: dict[str, str] = {}
    for value in values:
        found |= variables(value.items)
        if value.const is None and value.cpp.isidentifier():
            found[value.cpp] = cpp_type(value.type)
    return found


def function(name: str, value: Value, context: Recorder) -> str:
    """A C++ function that makes the call, with its variables as parameters; its result has the type that it was given."""
    parameters = ", ".join(f"{kind} &{variable}" for variable, kind in context.variables.items())
    lines = list(context.lines)
    if isinstance(value.type, TupleType):
        lines += [
            f"static_assert(__is_same(decltype({item.cpp} + 0), decltype({cpp_type(item.type)}() + 0)));"
            for item in value.items
        ]
    elif isinstance(value.type, type(NONE)):
        lines.append(f"{value.cpp};")
    else:
        lines += [f"auto result = {value.cpp};", f"static_assert(__is_same(decltype(result), {cpp_type(value.type)}));"]
    return f"void {name}({parameters}) {{\n  " + "\n  ".join(lines) + "\n}"


def present() -> Iterator[Api]:
    """The rows that a kernel can call by a name; operators are the translator's."""
    for api in apis():
        if api.category != "absent" and api.pipe != "host" and not api.name.endswith("::operator"):
            yield api


def combinations(api: Api, signature: Signature) -> Iterator[dict[str, Element]]:
    """Element types by letter: every allowed combination, else a few."""
    dtypes = api.dtypes[DAV_2201]
    letters = [*signature.letters] if not signature.whole else ["T", "U"]
    owner = {"PrimType": f32} if "Tensor::" in api.name else {}
    if len(dtypes):
        for combo in dtypes:
            members = [by_cpp(name) for name in combo]
            if all(members):
                free = {letter: u8 for letter in letters if letter not in dtypes.letters}
                yield {**free, **owner, **dict(zip(dtypes.letters, members, strict=True))}  # type: ignore[dict-item]
        return
    yield {**owner, **{letter: f16 if letter == "U" else f32 for letter in letters if letter != "Args"}}
    if owner:
        yield {"PrimType": i32, **{letter: i32 for letter in letters}}


def calls() -> Iterator[Synthetic]:
    """Every call."""
    for api in present():
        for signature in signatures(api):
            for elements in combinations(api, signature):
                yield Synthetic(api, signature, elements)
                if any(slot.keyword for slot in signature.templates) or any(map(_late, signature.slots)):
                    yield Synthetic(api, signature, elements, options=True)
