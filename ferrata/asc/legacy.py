"""Launch wrappers for the projects of before `<<<>>>`: `ACLRT_LAUNCH_KERNEL(k)(numBlocks, stream, args...)`.

The CMake function ascendc_library asks for them at configuration: for each source one Ascend C file that includes it
and defines `aclrtlaunch_<k>` for its kernels, and for each kernel the header `aclrtlaunch_<k>.h` for host code.
"""

from __future__ import annotations

import os

from ferrata.asc import kernels, store
from ferrata.asc.kernels import Kernel
from ferrata.asc.launches import split
from ferrata.asc.lexer import Token
from ferrata.asc.rewrite import Scan

_HEADER = """\
#pragma once
#include <stdint.h>
#ifndef ACLRT_LAUNCH_KERNEL
#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel
#endif
extern "C" uint32_t aclrtlaunch_{name}(uint32_t numBlocks, void *stream{parameters});
"""
_WRAPPER = """\
extern "C" uint32_t aclrtlaunch_{name}(uint32_t numBlocks, void *stream{parameters}) {{
  {name}<<<numBlocks, nullptr, stream>>>({arguments});
  return 0;
}}
"""


def write_wrappers(sources: list[str], folder: str) -> list[str]:
    """Write wrappers and headers below `folder`; the files to compile in place of the sources, in their order."""
    made = []
    for source in sources:
        path = os.path.abspath(source)
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
        scan = Scan.of(text)
        found = [k for k in kernels.find(scan.items, scan.aliases) if k.body is not None]
        plain = [k for k in found if scan.items[k.first].text != "template"]
        if not plain:
            made.append(path)
            continue
        parts = [f'#include "{path}"\n']
        for kernel in plain:
            types = _types(kernel, scan.items, text)
            listed = "".join(f", {kind} a{i}" for i, (_, kind) in enumerate(types))
            casts = ", ".join(f"({exact})a{i}" if "*" in kind else f"a{i}" for i, (exact, kind) in enumerate(types))
            parts.append(_WRAPPER.format(name=kernel.name, parameters=listed, arguments=casts))
            header = os.path.join(folder, f"aclrtlaunch_{kernel.name}.h")
            _update(header, _HEADER.format(name=kernel.name, parameters=listed))
        target = os.path.join(folder, f"{os.path.splitext(os.path.basename(path))[0]}_launch.asc")
        _update(target, "".join(parts))
        made.append(target)
    return made


def _types(kernel: Kernel, items: list[Token], text: str) -> list[tuple[str, str]]:
    """Per parameter its type as written and its type in the wrapper: pointers are `void *` there."""
    found = []
    for first, last in split(items, *kernel.parameters):
        words = [token for token in items[first:last] if not token.text.startswith("__")]
        named = len(words) > 1 and words[-1].kind == "id"
        exact = " ".join(token.text for token in (words[:-1] if named else words))
        pointer = "*" in exact or "GM_ADDR" in exact
        found.append((exact, "void *" if pointer else exact))
    return found


def _update(path: str, text: str) -> None:
    """Write a file unless it has the text already, so that nothing is built again without need."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    data = text.encode("utf-8", "surrogateescape")
    if os.path.isfile(path):
        with open(path, "rb") as file:
            if file.read() == data:
                return
    store.write(path, data)
