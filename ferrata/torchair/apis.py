"""One function per GE operator type (`ge_apis.Cast(x, dst_type=0)`), made from its prototype.

Inputs are positional or by name, attributes are keyword-only with the prototype's defaults; then `dependencies` and
`node_name`. A function returns a Tensor, or a tuple of Tensors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ferrata import errors
from ferrata.ge.attrs import AttrValue
from ferrata.ge.builder import current
from ferrata.ge.nearest import near
from ferrata.ge.prototype import require_prototype
from ferrata.torchair import ge


@functools.cache
def ge_api(op_type: str) -> Callable[..., Any]:
    """The function for one operator type; the prototype is looked up when it is called."""

    def call(*args: Any, dependencies: Sequence[ge.Tensor] = (), node_name: str | None = None, **kwargs: Any) -> Any:
        builder = current(f"ge_apis.{op_type}")
        proto = require_prototype(op_type, builder.where)
        if len(args) > len(proto.inputs):
            raise errors.WrongInputCount(
                op=op_type,
                where=str(builder.where),
                got=f"{len(args)} positional value(s)",
                expected=f"{len(proto.inputs)} input(s)",
                signature=proto.signature(),
            )
        inputs: dict[str, Any] = {p.name: v for p, v in zip(proto.inputs, args, strict=False)}
        attrs: dict[str, AttrValue] = {}
        for name, value in kwargs.items():
            attr = proto.attr(name)
            if proto.input(name) is not None:
                inputs[name] = value
            elif attr is None:
                known = [p.name for p in proto.inputs] + [a.name for a in proto.attrs]
                raise errors.UnknownAttr(
                    op=op_type, where=str(builder.where), attr=name, near=near(name, known), known=proto.signature()
                )
            elif value is not None:
                attrs[name] = value if isinstance(value, AttrValue) else ge.plain_attr(op_type, name, attr.type, value)
        made = ge.custom_op(
            op_type, inputs=inputs, outputs=[p.name for p in proto.outputs], attrs=attrs, node_name=node_name
        )
        first = made[0] if isinstance(made, tuple) else made
        if dependencies and isinstance(first, ge.Tensor):
            builder.set_controls(first.node.name, [d.node.name for d in dependencies])
        return made

    call.__name__ = call.__qualname__ = op_type
    return call
