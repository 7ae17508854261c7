"""The prototypes of GE's operators, read from prototypes.tsv, each row when it is first asked for.

Columns: type; inputs and outputs, "?" behind an optional port and "[]" behind a dynamic one; attributes as
"name: Kind = default"; data types per port; what it computes. Data types: names joined by "|", or a set of `SETS`;
"T=..." is a symbol, which all its ports share; "any(T)" and "Promote(...)" state no bound.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from ferrata.dtypes import ALIASES, DataType
from ferrata.ge.attrs import KINDS
from ferrata.ge.prototype import AttrSpec, PortSpec, Prototype

_REAL = "DOUBLE FLOAT FLOAT16 BF16 INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64"
_COMPLEX = "COMPLEX128 COMPLEX64 COMPLEX32"
_NUMBER = f"{_REAL} {_COMPLEX} QINT32 QINT8 QUINT8"

# Sets that prototypes name.
SETS: dict[str, str] = {
    "RealNumberType": _REAL,
    "NumberType": _NUMBER,
    "BasicType": f"{_NUMBER} QINT16 QUINT16",
    "OrdinaryType": f"{_REAL} {_COMPLEX} BOOL",
    "UnaryDataType": f"DOUBLE FLOAT FLOAT16 BF16 {_COMPLEX}",
    "FloatingDataType": "DOUBLE FLOAT FLOAT16",
    "IndexNumberType": "INT32 INT64",
    "IntegerDataType": "INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64",
}
_ANYTHING = ("ALL", "any(", "Promote(")


def names() -> tuple[str, ...]:
    """Every operator type of the table."""
    return tuple(_rows())


@cache
def prototype(op_type: str) -> Prototype | None:
    """The prototype of an operator type, None if the table has none."""
    row = _rows().get(op_type)
    if row is None:
        return None
    inputs, outputs, attrs, dtypes, _ = row
    types = _types(dtypes)
    symbols = {symbol: allowed for allowed, symbol in types.values() if symbol and allowed is not None}
    return Prototype(
        op_type,
        _ports(inputs, types),
        _ports(outputs, types),
        tuple(map(_attr, _split(attrs))),
        symbols,
        "GE's library",
    )


def meaning(op_type: str) -> str:
    """What an operator computes, in a few words; empty if the table does not say."""
    row = _rows().get(op_type)
    return "" if row is None else row[4]


@cache
def _rows() -> dict[str, list[str]]:
    text = Path(__file__).with_name("prototypes.tsv").read_text(encoding="utf-8")
    lines = [line.split("\t") for line in text.splitlines()[1:]]
    return {fields[0]: fields[1:] for fields in lines}


_Types = dict[str, tuple[tuple[int, ...] | None, str | None]]


def _types(text: str) -> _Types:
    """Allowed types and symbol by port; "*" for those not named."""
    found: _Types = {}
    for part in _split(text):
        ports, _, rest = part.partition("=")
        symbol, _, listed = rest.rpartition("=")
        allowed = None if listed.startswith(_ANYTHING) else _numbers(listed)
        for port in ports.split(","):
            found[port.strip()] = (allowed, symbol.strip() or None)
    return found


def _numbers(text: str) -> tuple[int, ...] | None:
    numbers: list[int] = []
    for name in text.split("|"):
        name = name.strip()
        for one in SETS.get(name, name).split():
            full = f"DT_{one}"
            kind = ALIASES.get(full) or DataType.__members__.get(full)
            if kind is None:  # a symbol or a set that states no bound
                return None
            numbers.append(int(kind))
    return tuple(dict.fromkeys(numbers))


def _ports(text: str, types: _Types) -> tuple[PortSpec, ...]:
    ports = []
    for word in text.split():
        kind = "optional" if word.endswith("?") else "dynamic" if word.endswith("[]") else "required"
        name = word.removesuffix("?").removesuffix("[]")
        allowed, symbol = types.get(name) or types.get("*") or (None, None)
        ports.append(PortSpec(name, kind, allowed, symbol if kind != "dynamic" else None))
    return tuple(ports)


def _attr(text: str) -> AttrSpec:
    declared, _, default = text.partition(" = ")
    name, _, kind = declared.partition(": ")
    tag = KINDS[kind].tag if kind in KINDS else f"VT_{kind.upper()}"
    return AttrSpec(name, tag, not default, _default(default) if default else None)


def _default(text: str) -> object:
    if text.startswith("DT_"):
        return int(ALIASES.get(text) or DataType[text])
    try:
        return ast.literal_eval(text.replace("true", "True").replace("false", "False"))
    except (ValueError, SyntaxError):  # "Tensor()", names of other enumerations
        return None


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]
