"""The kernel of an operator, compiled for the data types of a call.

A small Ascend C file is written around the project's kernel: the macros DTYPE_X, ORIG_DTYPE_X and FORMAT_X of each
parameter, the tiling structures that the host side defined, and a function that launches the kernel. It is compiled as
any other kernel is; the same data types (and, for a template, the same tiling key) are compiled once.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ferrata import cache
from ferrata.asc import store
from ferrata.asc.api import compile as compile_asc
from ferrata.dtypes import DataType
from ferrata.errors import CompileError, KernelParameters, TemplateKeyRefused
from ferrata.op.project import sources as files
from ferrata.op.project.sources import Entry, Sources

# Types of the kernel language by GE number.
CPP_TYPES = {
    0: "float", 1: "half", 2: "int8_t", 3: "int32_t", 4: "uint8_t", 6: "int16_t", 7: "uint16_t", 8: "uint32_t",
    9: "int64_t", 10: "uint64_t", 11: "double", 12: "bool", 27: "bfloat16_t", 29: "int4b_t",
}  # fmt: skip
_FORMATS = {"NCHW": 0, "NHWC": 1, "ND": 2, "NC1HWC0": 3, "FRACTAL_Z": 4, "FRACTAL_NZ": 29}

_HEAD = """\
// Written by ferrata for {op_type}: {what}.
#include "kernel_operator.h"
#include "ferrata/runtime.h"
#include "ferrata/template_keys.h"

{macros}
namespace ferrata_project {{
static int asked, taken; // of the running launch: a TILING_KEY_IS was false, one was true
template <class... Keys> inline bool key_is(Keys... keys) {{
  const bool hit = ::ferrata::tiling_key_is(keys...);
  __atomic_store_n(hit ? &taken : &asked, 1, __ATOMIC_RELAXED);
  return hit;
}}
struct Address {{
  void *value;
  template <class T> operator T *() const {{ return static_cast<T *>(value); }}
}};
struct Settings {{
  Settings(uint64_t key, void *workspace) {{
    ferrata_set_tiling_key(key);
    ferrata_set_system_workspace(workspace);
    asked = taken = 0;
  }}
  ~Settings() {{
    ferrata_set_tiling_key(0);
    ferrata_set_system_workspace(nullptr);
  }}
}};
template <uint64_t number> struct Type;
{types}
}} // namespace ferrata_project
#undef TILING_KEY_IS
#undef TILING_KEY_LIST
#define TILING_KEY_IS(key) (::ferrata_project::key_is(key))
#define TILING_KEY_LIST(...) (::ferrata_project::key_is(__VA_ARGS__))

{structs}
#include "{source}"

extern "C" int32_t ferrata_project_launch(uint32_t blocks, void *stream, void *const *args, uint64_t key,
                                          void *workspace, uint32_t dynamic_ub) {{
  using ::ferrata_project::Address;
  const ::ferrata_project::Settings settings(key, workspace);
{checks}  {callee}<<<blocks, dynamic_ub, stream>>>({arguments});
  return ferrata_project::asked && !ferrata_project::taken ? 1 : 0;
}}
"""


@dataclass
class Kernels:
    """The compiled kernels of one operator. Holds state: the libraries loaded so far."""

    definition: dict[str, Any]
    sources: Sources
    entry: Entry
    template: list[tuple[str, int]]
    _libraries: dict[str, Any] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @staticmethod
    def of(definition: dict[str, Any], sources: Sources) -> Kernels:
        """Find the kernel. Raises KernelEntryMissing, or KernelParameters for one that the OpDef does not fit."""
        op_type, settings = definition["op_type"], definition["settings"]
        name = settings.get("opInterface.value") or files.entry_name(op_type)
        entry = files.entry(sources, op_type, name, settings.get("opFile.value"))
        ports = [port["name"] for port in definition["inputs"]]
        ports += [p["name"] + ("_ref" if p["name"] in ports else "") for p in definition["outputs"]]
        computed = any(port["by_compute"] for port in definition["outputs"])
        wanted = [*ports, *(["shape_out"] if computed else []), "workspace", "tiling"]
        if len(entry.parameters) != len(wanted):
            raise KernelParameters(
                where=f"{entry.file}:{entry.line}", entry=name, got=len(entry.parameters), op=op_type,
                expected=len(wanted), wanted=", ".join(wanted),
            )  # fmt: skip
        declared = files.template_parameters(sources, op_type) if entry.template else []
        return Kernels(definition, sources, entry, declared)

    def launch(self, dtypes: Sequence[int], key: int) -> tuple[int, bool]:
        """Address of the launch function for these data types per port, and whether it serves this key only."""
        keyed = bool(self.entry.template)
        text = self.text(dtypes, key if keyed else None)
        with self._lock:
            library = self._libraries.get(text)
            if library is None:
                library = self._libraries[text] = ctypes.CDLL(str(self._compile(text, dtypes, key)))
        address = ctypes.cast(library.ferrata_project_launch, ctypes.c_void_p).value
        assert address is not None
        return address, keyed

    def text(self, dtypes: Sequence[int], key: int | None) -> str:
        """The Ascend C file for these data types (and this key of a template)."""
        ports = [*self.definition["inputs"], *self.definition["outputs"]]
        callee, checks = self.entry.name, ""
        if key is not None:
            checks = (
                "  static_assert(::ferrata::tpl::permitted(ferrata_tpl_parameters, ferrata_tpl_combinations, "
                f'{key}ull), "ferrata: key refused");\n'
            )
            callee += f"<{', '.join(self._argument(i, key) for i in range(len(self.entry.template)))}>"
        what = ", ".join(f"{p['name']} {_dtype_name(d)}" for p, d in zip(ports, dtypes, strict=True))
        return _HEAD.format(
            op_type=self.definition["op_type"], what=what, macros=_macros(ports, dtypes),
            types="\n".join(f"template <> struct Type<{n}> {{ using type = {t}; }};" for n, t in _type_rows()),
            structs=_structs(self.definition), source=self.entry.file, checks=checks, callee=callee,
            arguments=", ".join(f"Address{{args[{i}]}}" for i in range(len(self.entry.parameters))),
        )  # fmt: skip

    def _argument(self, index: int, key: int) -> str:
        kind, value = self.entry.template[index], self._values(key)[index]
        if kind.startswith(("typename", "class")):
            return f"typename ::ferrata_project::Type<{value}>::type"
        return f"static_cast<{kind}>({value})"

    def _values(self, key: int) -> list[int]:
        """The template parameters that a key stands for; the first lies in the lowest bits."""
        values = []
        for _, bits in self.template:
            values.append(key & ((1 << bits) - 1))
            key >>= bits
        return values + [0] * (len(self.entry.template) - len(values))

    def _compile(self, text: str, dtypes: Sequence[int], key: int) -> Path:
        folder = cache.root() / "op_kernel" / cache.key([text])
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.entry.name}.asc"
        if not path.is_file():
            store.write(str(path), text.encode())
        try:
            return compile_asc(path, options=[f"-I{folder}" for folder in self._include()])
        except CompileError as error:
            if "ferrata: key refused" in error.output:
                named = zip(self.template, self._values(key), strict=False)
                parameters = ", ".join(f"{name} = {value}" for (name, _), value in named)
                raise TemplateKeyRefused(op=self.definition["op_type"], key=key, parameters=parameters) from None
            raise CompileError(path=self.entry.file, arch=error.arch, code=error.code, output=error.output) from None

    def _include(self) -> list[Path]:
        return [self.entry.file.parent, *self.sources.include]


def _dtype_name(number: int) -> str:
    return DataType(number).name if number in set(DataType) else str(number)


def _type_rows() -> list[tuple[int, str]]:
    return [(number, name) for number, name in CPP_TYPES.items() if name != "int4b_t"]


def _macros(ports: Sequence[dict[str, Any]], dtypes: Sequence[int]) -> str:
    lines = [f"#define {kind.name} {int(kind)}" for kind in DataType if kind.name != "DT_MAX"]
    lines += [f"#define FORMAT_{name} {number}" for name, number in _FORMATS.items()]
    seen = set()
    for port, dtype in zip(ports, dtypes, strict=True):
        name = port["name"].upper()
        if name in seen:
            continue
        seen.add(name)
        lines.append(f"#define ORIG_DTYPE_{name} {dtype}")
        if dtype in CPP_TYPES:
            lines.append(f"#define DTYPE_{name} {CPP_TYPES[dtype]}")
        column = port["dtypes"].index(dtype) if dtype in port["dtypes"] else 0
        formats = port["formats"] or [2]
        lines.append(f"#define FORMAT_{name} {formats[min(column, len(formats) - 1)]}")
    return "\n".join(lines) + "\n"


def _structs(definition: dict[str, Any]) -> str:
    """The host's tiling classes as structures; the operator's own is what GET_TILING_DATA reads.

    A class that is registered for one key, REGISTER_TILING_DATA_CLASS(Op_3, C), is what it reads for that key.
    """
    out = []
    for row in definition["tiling_classes"]:
        fields = "".join(_field(field) for field in row["fields"])
        out.append(f"struct alignas(8) {row['name']} {{\n{fields}}};\n")
        out.append(f'static_assert(sizeof({row["name"]}) == {row["size"]}, "layout of the tiling class");\n')
        if row["registered"] == definition["op_type"]:
            out.append(f"using REGISTER_TILING_DEFAULT_comes_first [[maybe_unused]] = {row['name']};\n")
        key = row["registered"].removeprefix(definition["op_type"] + "_")
        if key.isdigit():
            out.append(f"FERRATA_TILING_FOR_KEY({key}, {row['name']})\n")
    return "".join(out)


def _field(row: dict[str, Any]) -> str:
    size = f"[{row['count']}]" if row["count"] else ""
    return f"  {row['type']} {row['name']}{size}{{}};\n"
