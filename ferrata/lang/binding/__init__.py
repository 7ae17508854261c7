"""Calls of the Ascend C interfaces: from a name and Values to C++ text, checked against the registry.

The translator calls these four, each with Values and a Context, and each returns a Value or raises a KernelSourceError:

    bind("add", args, kwargs, context, node)                ac.add(c, a, b, m)        -> Add(c, a, b, m)
    bind_method(tensor, "get_value", args, kwargs, ...)     a.get_value(0)            -> a.GetValue(0)
    construct("DataCopyExtParams", args, kwargs, ...)       ac.DataCopyExtParams(...) -> DataCopyExtParams{...}
    field(value, "block_len", context, node)                p.block_len               -> p.blockLen

`constant(obj)` is the Value of a member of an enumeration, a pipe or a constant (`ac.RoundMode.CAST_RINT`, `ac.VECIN`),
None for any other object. `is_interface(name)`, `is_struct(name)` say what a name is. A Value of type NoneType is a
statement without its semicolon. The element text of a number, `static_cast<T>(2.0f)`, is `adapt.element`.

    names.py       Python names of the rows, the nearest name for a wrong one
    kinds.py       what a parameter's C++ type takes
    signature.py   a form as Python sees it: its slots, in order, and how it is spelled
    layouts.py     structures as the registry has them: fields, constructors
    words.py       kinds and values in words, for errors
    fits.py        whether a value fits a parameter or a field
    match.py       which form a call means
    dtypes.py      whether the element types are allowed, for every member of a variable
    limits.py      ranges that are visible while translating
    adapt.py       a Value as the text of an argument
    call.py        one call: match, check, text
    objects.py     objects that a kernel makes by their C++ classes: queues, buffers, pools
    structs.py     structures and objects: construction, access to a field
"""

from ferrata.lang.binding.call import bind, bind_method
from ferrata.lang.binding.context import Context
from ferrata.lang.binding.names import constant, is_interface
from ferrata.lang.binding.structs import construct, field, is_struct

__all__ = ["Context", "bind", "bind_method", "constant", "construct", "field", "is_interface", "is_struct"]
