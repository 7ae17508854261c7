"""The host's function that launches one instance of a kernel: what stands behind the kernel in a compiled text."""

from __future__ import annotations

from collections.abc import Mapping

from ferrata.lang.declaration import Declaration
from ferrata.lang.elements import Dtype
from ferrata.lang.parameters import SCALARS, fields_of
from ferrata.lang.translate.arithmetic import literal
from ferrata.lang.translate.entry import Translation
from ferrata.lang.translate.writer import Line, render


def launcher(
    kernel: Declaration,
    made: Translation,
    dtypes: Mapping[str, Dtype],
    consts: Mapping[str, int],
    markers: bool = False,
) -> str:
    """The function that launches one instance; its arguments are 8 bytes each. markers: with `#line` of the kernel's head."""
    bound = [dtypes[name].cpp if name in dtypes else literal(consts[name]).cpp for name in made.template]
    called = made.name + (f"<{', '.join(bound)}>" if bound else "")
    texts: list[str] = []
    slot = 0

    def scalar(kind: type) -> str:
        nonlocal slot
        at, slot = slot, slot + 1
        if kind is float:
            return f"static_cast<float>(ferrata_double(args[{at}]))"
        return f"static_cast<{SCALARS[kind]}>(args[{at}])"

    kinds: dict[str, type] = {"int": int, "float": float, "bool": bool}
    floats = False
    for param in kernel.params:
        if param.kind == "const":
            continue
        if param.kind in ("gm", "gm_list"):
            texts.append(f"reinterpret_cast<GM_ADDR>(args[{slot}])")
            slot += 1
        elif param.kind == "struct":
            fields = fields_of(param.python) or []
            floats |= any(kind is float for _, kind in fields)
            name = next(cpp_name for cpp_name, python in made.structs if python is param.python)
            texts.append(f"{name}{{{', '.join(scalar(kind) for _, kind in fields)}}}")
        else:
            floats |= param.kind == "float"
            texts.append(scalar(kinds[param.kind]))
    out = ["", "// One instance, as a host program launches it: 8 bytes for each argument."]
    if floats:
        out += [
            "static double ferrata_double(uint64_t bits)", "{", "    double value;",
            "    __builtin_memcpy(&value, &bits, sizeof(value));", "    return value;", "}",
        ]  # fmt: skip
    out += [
        'extern "C" __attribute__((visibility("default"))) void ferrata_entry(uint32_t cores, void* stream, const uint64_t* args)',
        "{",
    ]
    launch = f"{called}<<<cores, nullptr, stream>>>({', '.join(texts)});"
    text = render([Line(launch, 1, kernel.line, kernel.file)], markers)
    return "\n".join(out) + "\n" + text + "}\n"
