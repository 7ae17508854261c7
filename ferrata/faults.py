"""A kernel's fault in the words of whoever wrote the kernel.

The runtime speaks of Ascend C. Where the line at fault stands in a Python file, the call is also named as that line has
it, and the line itself is shown. `errors.fault_from_json` comes here; nothing else does.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Mapping
from typing import Any

# Names that the kernel language has for an interface besides its own in snake case; the first that the line has counts.
_FORMS: Mapping[str, tuple[str, ...]] = {
    "DataCopy": ("copy", "convert"), "DataCopyPad": ("copy",), "Cast": ("convert",), "Muls": ("convert",),
    "ReduceMax": ("max_of",), "ReduceMin": ("min_of",), "ReduceSum": ("sum_of",), "Exp": ("exp_of",), "Ln": ("ln_of",),
    "Sqrt": ("sqrt_of",), "PipeBarrier": ("barrier",), "SetFlag": ("order",), "WaitFlag": ("order",),
    "AllocTensor": ("put", "alloc"), "EnQue": ("put", "enque"), "DeQue": ("get", "deque"), "FreeTensor": ("get", "free"),
    "InitBuffer": ("queue", "tbuf", "ub"), "SyncAll": ("sync_all",),
}  # fmt: skip
_PLAIN: Mapping[str, str] = {
    "GetValue": "reading an element", "SetValue": "storing an element", "<<<>>>": "the launch", "assert": "assert",
}  # fmt: skip
# Acronyms that the rule of snake would cut in the wrong places.
_WHOLE = {"ICache": "Icache", "DCache": "Dcache", "5HD": "_5hd", "PreLoad": "Preload"}


def snake(name: str) -> str:
    """`DataCopyPad` -> `data_copy_pad`."""
    for whole, part in _WHOLE.items():
        name = name.replace(whole, part)
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower().replace("__", "_")


def in_python(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a fault record with the message in Python's words, if the kernel is from Python.

    More fields then: `python`, the call as the line names it ("ac.add"), and `source`, the line.
    """
    file, line = str(fields.get("file", "")), int(fields.get("line") or 0)
    if not file.endswith(".py"):
        return fields
    linecache.checkcache(file)
    source = linecache.getline(file, line).strip()
    while source.startswith("@"):  # a launch is at fault: the kernel's head, below its decorators
        line += 1
        source = linecache.getline(file, line).strip()
    api, message = str(fields.get("api", "")), str(fields["message"])
    said = spoken(api, _statement(file, line))
    if said and api:
        named = said if api.rpartition("::")[2] in ("<<<>>>", "assert") else f"{said} ({api})"
        message = message.replace(f": {api}: ", f": {named}: ", 1)
    if source:
        message += f"\n    {source}"
    return {**fields, "message": message, "python": said, "source": source}


def spoken(api: str, statement: str) -> str:
    """The name that a statement has for the interface it calls; the usual one if it does not show, "" if there is none."""
    name = api.rpartition("::")[2].partition("<")[0]
    if api in _PLAIN or name in _PLAIN:
        return _PLAIN.get(api, _PLAIN.get(name, ""))
    for word in (snake(name), snake(name) + "_", *_FORMS.get(name, ())):
        found = re.search(rf"(?<![\w.])(?:\w+\.)?{re.escape(word)}\(", statement)
        if found:
            return found[0][:-1]
    if not re.fullmatch(r"[A-Z]\w*", name):
        return ""
    forms = _FORMS.get(name, ())
    return f"queue.{forms[-1]}" if len(forms) == 2 and name != "DataCopy" else f"ac.{(*forms, snake(name))[0]}"


def _statement(file: str, line: int) -> str:
    """The statement that starts on a line: on, until its brackets are closed."""
    text, depth = "", 0
    for at in range(line, line + 30):
        more = linecache.getline(file, at)
        text += more
        depth += sum(more.count(c) for c in "([{") - sum(more.count(c) for c in ")]}")
        if depth <= 0:
            break
    return text
