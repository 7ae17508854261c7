"""Operators defined in Python: `@fe.op` on an annotated signature, `@op.plan` to launch, the rest follows.

The way of a definition: annotations.py and dims.py are what stands in the brackets, signature.py reads them into
model.py's OperatorDef, place.py finds the carets of errors. Of a call: call.py binds sizes and types, shapes.py gives the
shapes of the outputs, operands.py and plan.py run the plan, launching.py makes
its launches ready, eager.py runs them. registration.py, autograd.py and vmap.py
are the operator in torch, graph.py is the operator in GE, operator.py is what the user holds.
"""

from __future__ import annotations

from ferrata.op.define.annotations import Mut, Tensor
from ferrata.op.define.model import Attribute, OperatorDef, Port
from ferrata.op.define.operands import at_most, ceil_div, workspace
from ferrata.op.define.operator import Operator, op, operators

__all__ = [
    "Attribute",
    "Mut",
    "Operator",
    "OperatorDef",
    "Port",
    "Tensor",
    "at_most",
    "ceil_div",
    "op",
    "operators",
    "workspace",
]
