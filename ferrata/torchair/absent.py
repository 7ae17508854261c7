"""`torch.ops.mylib.add` on a line of the user where no library has defined it: a library not loaded, or a name misspelt.

Dynamo tells such a line as an "observed exception" without saying which name is missing; here the line itself is read.
"""

from __future__ import annotations

import difflib
import re

import torch

_OPERATOR = re.compile(r"\btorch\.ops\.([A-Za-z_]\w*)\.([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))?")


def absent(code: str) -> tuple[str, str] | None:
    """The operator on this line of Python that does not exist, and a note on what does; None if all of them do."""
    for namespace, name, overload in _OPERATOR.findall(code):
        packet = getattr(getattr(torch.ops, namespace), name, None)
        if packet is None:
            return f"{namespace}.{name}", _near(namespace, name)
        if overload and not hasattr(packet, overload):
            return f"{namespace}.{name}.{overload}", f" It has the overloads {', '.join(packet.overloads())}."
    return None


def _near(namespace: str, name: str) -> str:
    known = {op.partition(".")[0].replace("::", ".") for op in torch._C._dispatch_get_all_op_names()}
    same = sorted(k for k in known if k.partition(".")[2] == name and not k.startswith(("aten.", "prim.", "prims.")))
    wanted = f"{namespace}.{name}"
    near = difflib.get_close_matches(wanted, same, n=1, cutoff=0.0)  # in the namespace most like the one written
    near = near or difflib.get_close_matches(wanted, sorted(known), n=1, cutoff=0.8)
    if near:
        return f" Did you mean torch.ops.{near[0]}?"
    return "" if any(k.startswith(f"{namespace}.") for k in known) else f" Nothing is defined in torch.ops.{namespace}."
