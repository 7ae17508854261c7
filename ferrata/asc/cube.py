"""Code for cube cores: which units have it, the entry of their kernels, and the object of two compilations.

A device compiler compiles an Ascend C unit once for vector cores and once for cube cores, and `g_coreType` is a
constant of each pass. Here the same: a unit with code for cube cores is compiled a second time with FERRATA_AIC_PASS.
Of that object nothing is visible outside and no initialiser of the user runs; only its kernels register themselves,
under the unit's name and their signature, so that the entry of the first object's kernel finds its other half
(native/src/runtime/kinds.cpp).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ferrata.asc import toolchain
from ferrata.asc.kernels import Kernel
from ferrata.asc.lexer import Token
from ferrata.asc.parameters import Parameter, is_pack, name_of, split

# A kernel that does not say what it runs on runs on cube cores too if its unit uses any of these.
_CUBE_WORDS = frozenset(
    [
        "Mmad",
        "LoadData",
        "Fixpipe",
        "REGIST_MATMUL_OBJ",
        "Matmul",
        "MatmulImpl",
        "KERNEL_TYPE_AIC_ONLY",
        "KERNEL_TYPE_MIX_AIC_1_0",
        "KERNEL_TYPE_MIX_AIC_1_1",
        "KERNEL_TYPE_MIX_AIC_1_2",
    ]
)
_PRIORITY = "64321"  # of the registrations; ferrata/asc.h


def kinds(kernels: Sequence[Kernel], hidden: bool, words: Callable[[], set[str]]) -> frozenset[str]:
    """Kinds of kernels of a unit that must be compiled for cube cores too; none: one compilation is enough.

    hidden: there may be more kernels than those listed. words: all identifiers of the unit.
    """
    defined = [kernel for kernel in kernels if kernel.body is not None]
    declared = any(kernel.kind == "cube" or (kernel.kind == "mix" and kernel.cube != "0") for kernel in defined)
    undeclared = any(kernel.kind == "any" for kernel in defined) and not _CUBE_WORDS.isdisjoint(words())
    found = frozenset(["cube", "mix"]) if declared or hidden else frozenset()
    return found | {"any"} if undeclared else found


@dataclass(frozen=True)
class Entry:
    """What the entry of a kernel needs beside its name: `self` and `arguments` of FERRATA_DUAL_ENTRY."""

    self: str
    arguments: str
    names: list[tuple[int, str]]  # names to insert for parameters that have none: (offset, text)


def entry(items: list[Token], kernel: Kernel, found: list[Parameter]) -> Entry:
    """The entry of a kernel definition with these parameters."""
    inserted = [(one.end, f" ferrata_p{i}") for i, one in enumerate(found) if one.name is None]
    names = [(one.name or f"ferrata_p{i}", one.pack) for i, one in enumerate(found)]
    types = ", ".join(f"decltype({name})" + ("..." if pack else "") for name, pack in names)
    arguments = ", ".join(name + ("..." if pack else "") for name, pack in names)
    return Entry(
        f"static_cast<void (*)({types})>(&{kernel.name}{_template(items, kernel)})", f"({arguments})", inserted
    )


def _template(items: list[Token], kernel: Kernel) -> str:
    """`<T, N>` for `template <typename T, int N>` before the kernel, else nothing."""
    head = [i for i in range(kernel.first, kernel.last) if items[i].text == "template"]
    if not head or items[head[-1] + 1].text != "<":
        return ""
    begin, angles, brackets, at = head[-1] + 2, 1, 0, head[-1] + 2
    while at < kernel.last and angles:
        brackets += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(items[at].text, 0)
        if brackets == 0:
            angles += {"<": 1, ">": -1}.get(items[at].text, 0)
        at += 1
    parts = [(name_of(part), is_pack(part)) for part in split(items[begin : at - 1])]
    names = [name + ("..." if pack else "") for name, pack in parts if name is not None]
    return f"<{', '.join(names)}>"


def merge(run: Callable[[list[str]], tuple[int, str]], vector: str, cube: str, output: str) -> tuple[int, str]:
    """One object of the two passes: (exit code, messages). `run` starts a command."""
    linker, objcopy = toolchain.which("ld"), toolchain.which("objcopy")
    if not linker or not objcopy:
        from ferrata.errors import NoBinutils

        raise NoBinutils(missing="ld" if not linker else "objcopy")
    flat, hidden = cube + ".flat", cube + ".hidden"
    section = f"!.init_array.{_PRIORITY}"
    steps = [
        # without groups, so that the linker does not take this pass's inline functions for those of the other
        [linker, "-r", "--force-group-allocation", cube, "-o", flat],
        [objcopy, "--keep-global-symbol=ferrata_none", "--remove-section=.init_array*", f"--remove-section={section}",
         flat, hidden],
        [linker, "-r", vector, hidden, "-o", output],
    ]  # fmt: skip
    for step in steps:
        code, messages = run(step)
        if code:
            return code, messages
    os.unlink(flat)
    os.unlink(hidden)
    return 0, ""
