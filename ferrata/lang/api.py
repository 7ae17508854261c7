"""What a row of the registry of the Ascend C interfaces is, and how its declaration is read.

The rows stand in `ferrata/lang/apis/*.py`, by category; registry.py has them all. This file knows no API by name.

A row is written with C++ declarations, shortened in three ways so that a person can read them:
`LT<T>` is `const LocalTensor<T>&`, `GT<T>` is `const GlobalTensor<T>&`, and `typename` is left out of template lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

DAV_2201 = "dav-2201"

# How a call says what it covers. count: the first n elements. mask: a contiguous mask and repeats. bits: a mask of bits
# and repeats. repeat: repeats without a mask argument. whole: an operator between tensors. call: anything else.
FormKind = Literal["count", "mask", "bits", "repeat", "whole", "call"]
Role = Literal["dst", "src", "scalar", "mask", "count", "repeat", "params", "tmp", "mode", "stride", "other"]

# The rules that many rows share. A row names them; the checks in C++ and the reference page read the same words.
RULES: Mapping[str, str] = {
    "AL32": "Every tensor starts at a 32-byte aligned address of the Unified Buffer (VECIN, VECCALC or VECOUT).",
    "REP255": "repeatTime is 0 to 255.",
    "NOP0": "A count, repeatTime or mask of 0 writes nothing.",
    "OV": "Within one repeat, destination and source are the same bytes or disjoint; what a repeat wrote, a later "
    "repeat does not read.",
    "ACC": "Exception to the overlap rule for half, int32_t and float: with dst = src1 and dstRepStride or "
    "src1RepStride 0 the repeats accumulate in order.",
}


@dataclass(frozen=True)
class Param:
    """One parameter of a declaration; `type` is full C++."""

    type: str
    name: str
    role: Role
    default: str | None = None


@dataclass(frozen=True)
class TemplateParam:
    """One template parameter; `kind` is `typename` or the type of a value."""

    kind: str
    name: str
    default: str | None = None


@dataclass(frozen=True)
class Form:
    """One way to call an API. `text` is the declaration as the row has it; the rest is read from it."""

    kind: FormKind
    text: str

    @cached_property
    def _parts(self) -> tuple[tuple[TemplateParam, ...], str, tuple[Param, ...]]:
        return _read(self.text) if self.kind != "whole" else ((), "", ())

    @property
    def template(self) -> tuple[TemplateParam, ...]:
        return self._parts[0]

    @property
    def returns(self) -> str:
        return self._parts[1]

    @property
    def params(self) -> tuple[Param, ...]:
        return self._parts[2]

    @property
    def declaration(self) -> str:
        """The declaration as C++ has it, without the shortenings."""
        return self.text if self.kind == "whole" else expand(self.text)


@dataclass(frozen=True)
class Alias:
    """An older name that takes the same arguments, and the last release that used it. Where the order of the arguments
    changed too, the old name has a row of its own with `alias_of`."""

    name: str
    until: str = ""


@dataclass(frozen=True)
class Dtypes:
    """The allowed element types: `letters` are the template parameters, each combination gives them in that order."""

    letters: tuple[str, ...]
    combos: tuple[tuple[str, ...], ...]

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self.combos)

    def __len__(self) -> int:
        return len(self.combos)


@dataclass(frozen=True)
class Api:
    """One interface with all its forms.

    id: unique and a C++ identifier; overloads with different rules have different rows and the same `name`.
    dtypes: allowed types by chip. rules: keys of RULES. limits: what RULES does not say. doc: what it computes.
    notes: rounding, special values, layouts; "(unclear: ...)" marks a choice that the specification leaves open.
    alias_of: the name that replaced this one, where the arguments stand in another order than there.
    trait: overloads for tensors of TensorTrait<U> exist, with a template parameter U for the scalar.
    instead: what to write on a chip that does not have it, for rows of the category "absent".
    """

    id: str
    name: str
    category: str
    forms: tuple[Form, ...]
    dtypes: Mapping[str, Dtypes]
    pipe: str
    core: str
    doc: str
    rules: tuple[str, ...] = ()
    limits: str = ""
    notes: str = ""
    aliases: tuple[Alias, ...] = ()
    alias_of: str = ""
    trait: bool = False
    instead: str = ""

    @property
    def unclear(self) -> tuple[str, ...]:
        """The points on which the specification is silent, each with the choice made."""
        return tuple(
            re.findall(r"\(unclear:?\s*((?:[^()]|\([^()]*\))*)\)", self.notes + " " + self.doc + " " + self.limits)
        )

    @property
    def computes(self) -> bool:
        """Whether it works on tensors, in the vector unit or by copying: these rows need a conformance case."""
        return self.category != "absent" and any(pipe in self.pipe for pipe in ("PIPE_V", "PIPE_MTE2", "PIPE_MTE3"))


@dataclass(frozen=True)
class Struct:
    """A structure, enumeration or scalar type that calls take; `text` has its fields, in order, with their defaults.

    takes: what the constructor takes, where that is not all fields in order; the last may stand in brackets, optional.
    """

    name: str
    text: str
    doc: str
    limits: str = ""
    notes: str = ""
    takes: str = ""


# Tails that the declarations of the C interface share.
C_TAILS: Mapping[str, str] = {
    "REPEAT1": "uint8_t repeat, uint16_t dst_block_stride, uint16_t src_block_stride, uint16_t dst_repeat_stride, "
    "uint16_t src_repeat_stride",
    "REPEAT2": "uint8_t repeat, uint8_t dst_block_stride, uint8_t src0_block_stride, uint8_t src1_block_stride, "
    "uint8_t dst_repeat_stride, uint8_t src0_repeat_stride, uint8_t src1_repeat_stride",
}


@dataclass(frozen=True)
class CForm:
    """One declaration of the C interface. `text` may end in a name of C_TAILS.

    twin: a function with `_sync` behind its name exists too, which waits until it is complete. only_sync: just that
    one. types: element types of this form, where it differs from the function's.
    """

    text: str
    types: str = ""
    twin: bool = False
    only_sync: bool = False

    @property
    def declaration(self) -> str:
        """The declaration in full."""
        return re.sub("|".join(C_TAILS), lambda match: C_TAILS[match[0]], self.text)


@dataclass(frozen=True)
class CFunction:
    """A function of the C interface, or one per suffix: `stem{_a,_b}` has a suffix, `stem[_a,_b]` may have none."""

    name: str
    category: str
    forms: tuple[CForm, ...]
    doc: str
    types: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, suffixes written out, without the `_sync` twins."""
        match = re.fullmatch(r"(\w+)([\[{])([\w,]*)[\]}](\w*)", self.name)
        if not match:
            return (self.name,)
        stem, bracket, suffixes, rest = match.groups()
        every = (stem + suffix + rest for suffix in suffixes.split(","))
        return ((stem + rest,) if bracket == "[" else ()) + tuple(every)

    def combos(self, form: CForm) -> tuple[dict[str, str], ...]:
        """The element types by letter, one entry a combination; one empty entry where the declaration names them."""
        text = form.types or self.types
        if not text or "=" not in text:
            return ({},)
        letters, _, alternatives = text.partition("=")
        keys = [key.strip() for key in letters.split("/")]
        return tuple(
            dict(zip(keys, (t.strip() for t in one.split("/")), strict=False)) for one in alternatives.split(";")
        )


def one(*types: str, letter: str = "T") -> Mapping[str, Dtypes]:
    """The dtypes of an API with one element type on dav-2201."""
    return {DAV_2201: Dtypes((letter,), tuple((t,) for t in types))}


def pairs(*combos: str, letters: str = "T,U") -> Mapping[str, Dtypes]:
    """The dtypes of an API with several, as "half <- int8_t": destination first, as the template parameters stand."""
    return {DAV_2201: Dtypes(tuple(letters.split(",")), tuple(tuple(re.split(r"\s*<-\s*", c)) for c in combos))}


NONE: Mapping[str, Dtypes] = {DAV_2201: Dtypes((), ())}


def sentences(texts: Iterable[str]) -> str:
    """Texts one behind the other, a sentence that several share once."""
    every = (part.strip() for text in texts for part in re.split(r"(?<=\.)\s+", text))
    return " ".join(dict.fromkeys(part if part.endswith(".") else f"{part}." for part in every if part))


def expand(text: str) -> str:
    """Full C++ for a shortened declaration."""
    text = re.sub(r"\bLT<([^<>]+)>", r"const LocalTensor<\1>&", text)
    text = re.sub(r"\bGT<([^<>]+)>", r"const GlobalTensor<\1>&", text)
    match = re.match(r"template\s*<(.*?)>\s(?=[\w:])", text)
    if match:
        params = [_template_param(p) for p in split(match.group(1))]
        listed = ", ".join(f"{p.kind} {p.name}" + (f" = {p.default}" if p.default is not None else "") for p in params)
        text = f"template <{listed}> {text[match.end() :]}"
    return text


def split(text: str, separator: str = ",") -> list[str]:
    """Split at separators that stand outside all brackets."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char in "<([{":
            depth += 1
        elif char in ">)]}":
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def _template_param(text: str) -> TemplateParam:
    head, _, default = text.partition("=")
    words = head.split()
    kind = " ".join(words[:-1]) or "typename"
    return TemplateParam(kind, words[-1], default.strip() or None)


_ROLES: tuple[tuple[str, Role], ...] = (
    (r"dst(Value|Index|List|0|1)?|concat|vdeq|gm\w*Addr", "dst"),
    (r"sel\w*|src\w*(?<!Stride)(?<!Addr)(?<!Scalar)(?<!Slice)|sorted|sortList|index|offset", "src"),
    (r"\w*[sS]calar\w*|firstValue|diffValue|value|scale|valueIn", "scalar"),
    (r"mask(High|Low)?|len", "mask"),
    (r"\w*[cC]ount\w*|size|dumpSize", "count"),
    (r"repeatTimes?|[hv]Repeat", "repeat"),
    (r"\w*[pP]arams|p|vdeqInfo|padParams|\w+Slice", "params"),
    (r"sharedTmpBuffer|tmp|\w*[wW]orkspace\w*|ub\w*", "tmp"),
    (r"\w*[mM]ode|roundMode|order|calIndex|roundEn", "mode"),
    (r"\w*Stride|\w*Offset|\w*Addr", "stride"),
)


def _role(name: str) -> Role:
    return next((role for pattern, role in _ROLES if re.fullmatch(pattern, name)), "other")


def _param(text: str) -> Param:
    head, _, default = text.partition("=")
    head = head.strip()
    match = re.fullmatch(r"(.*?[\s&*>)])(\(&)?(\w+)\)?(\[\w*\])?", head)
    if not match:
        return Param(head, "", "other", default.strip() or None)
    base, ref, name, array = match.groups()
    return Param((base.strip() + (" (&)" if ref else "") + (array or "")), name, _role(name), default.strip() or None)


def _read(text: str) -> tuple[tuple[TemplateParam, ...], str, tuple[Param, ...]]:
    full = expand(text)
    match = re.fullmatch(
        r"(?:template <(?P<template>.*?)> (?=[\w:]))?(?P<returns>.*?)\s*"
        r"(?P<name>[\w:~]+|operator\S+?)\((?P<params>.*)\)(?: const)?",
        full,
    )
    if not match:
        raise ValueError(f"not a declaration: {text}")
    template = tuple(_template_param(p) for p in split(match["template"] or ""))
    return template, match["returns"], tuple(_param(p) for p in split(match["params"]))
