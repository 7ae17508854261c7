"""Which parameters a kernel certainly writes, as its Ascend C text shows: for the error about an undeclared write.

Only what is plain counts: a global tensor set to the parameter, and an interface that writes its first argument, or
SetValue, on that tensor. A kernel that says `written` of its parameters itself is believed. State: what was found.
"""

from __future__ import annotations

import re
import weakref
from functools import cache
from typing import Any

_found: weakref.WeakKeyDictionary[Any, frozenset[str]] = weakref.WeakKeyDictionary()
_CACHES = ("DataCacheCleanAndInvalid",)  # its first argument is what it acts on, not what it changes


def is_written(kernel: Any, parameter: Any) -> bool:
    """Whether the kernel certainly writes the parameter."""
    said = getattr(parameter, "written", None)
    return bool(said) if said is not None or not hasattr(kernel, "source") else parameter.name in _written(kernel)


def _written(kernel: Any) -> frozenset[str]:
    found = _found.get(kernel)
    if found is None:
        found = _found[kernel] = in_text(kernel.source())
    return found


def in_text(text: str) -> frozenset[str]:
    """The parameters that a kernel's text writes."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    tensors = dict(re.findall(r"(\w+)\.SetGlobalBuffer\(reinterpret_cast<__gm__ [^>]*>\((\w+)\)\)", text))
    calls = re.findall(rf"\b(?:{'|'.join(_writers())})(?:<[^;(]*>)?\(\s*(\w+)\b", text)
    calls += re.findall(r"\b(\w+)(?:\[[^\]]*\])?\.SetValue\(", text)
    return frozenset(tensors[name] for name in calls if name in tensors)


@cache
def _writers() -> tuple[str, ...]:
    """Interfaces that write a global tensor given first."""
    from ferrata.lang.registry import apis

    rows = ((api.name, form.params[:1]) for api in apis() for form in api.forms if form.kind != "whole")
    found = {name for name, first in rows if first and first[0].role == "dst" and "GlobalTensor" in first[0].type}
    return tuple(sorted(found - set(_CACHES)))
