"""A form of an interface as Python sees it: slots in order, with Python names.

Template parameters that C++ cannot deduce come first, then the parameters; those with a default are given by keyword. A
type parameter that stands in no tensor or number is a slot that takes an element type, `ac.f16` or a variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from ferrata.lang.api import Api, Form
from ferrata.lang.binding.kinds import Kind, kind
from ferrata.lang.binding.names import enums, key, snake
from ferrata.lang.registry import by_id


@dataclass(frozen=True, eq=False)  # one object a slot: it is a key of dictionaries
class Slot:
    """One argument. template: a template argument in C++; keyword: only by name."""

    name: str
    kind: Kind
    default: str | None = None
    template: bool = False
    keyword: bool = False

    @cached_property
    def python(self) -> str:
        return snake(self.name)

    @cached_property
    def optional(self) -> bool:
        return self.default is not None or self.kind.tag == "rest" or self.kind.result


@dataclass(frozen=True, eq=False)
class Signature:
    """One form. slots: in the order in which Python takes them; types: slots that take an element type."""

    api: Api
    form: Form

    @property
    def whole(self) -> bool:
        """`dst = src0 + src1`."""
        return self.form.kind == "whole"

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """The type parameters in the order of the template."""
        return tuple(p.name for p in self.form.template if p.kind == "typename")

    @cached_property
    def params(self) -> tuple[Slot, ...]:
        """The parameters of the C++ function."""
        if self.whole:
            operands = ("dst", "src0", "src1")
            first = {"dst": "U", "src0": "T", "src1": "T"} if self.compares else dict.fromkeys(operands, "T")
            slots = tuple(Slot(name, Kind("local", first[name])) for name in operands)
            return (*slots, Slot("cmpMode", Kind("enum", "CMPMODE"))) if self.compares else slots
        known = enums()
        return tuple(Slot(p.name, kind(p.type, p.name, self.letters, known), p.default) for p in self.form.params)

    @property
    def compares(self) -> bool:
        return self.whole and self.api.name == "Compare"

    @cached_property
    def templates(self) -> tuple[Slot, ...]:
        """The template parameters, in order; a type is of kind "type"."""
        deduced = self._deduced
        found = []
        for p in self.form.template:
            if p.kind == "typename":
                if p.name != "Args":
                    found.append(Slot(p.name, Kind("type"), "deduced" if p.name in deduced else None, True))
            elif p.name in deduced:
                continue
            else:
                tag = "enum" if p.kind in enums() else "bool" if p.kind == "bool" else "int"
                found.append(Slot(p.name, Kind(tag, p.kind), p.default, True, p.default is not None))
        return tuple(found)

    @property
    def _deduced(self) -> set[str]:
        """Template parameters that C++ reads from the arguments."""
        names = set()
        for p in self.form.params:
            slot = kind(p.type, p.name, self.letters, enums())
            if not slot.result:
                inner = slot.name.partition("<")[2].removesuffix(">") if "<" in slot.name else slot.name
                names.add(inner)
        return names

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """What Python passes by position: required template values, then parameters."""
        values = tuple(slot for slot in self.templates if slot.kind.tag != "type" and not slot.keyword)
        return (*values, *(slot for slot in self.params if not slot.kind.result))

    @cached_property
    def types(self) -> tuple[Slot, ...]:
        """Slots of element types, those that must be given first."""
        found = [slot for slot in self.templates if slot.kind.tag == "type"]
        return tuple(sorted(found, key=lambda slot: slot.default is not None))

    @cached_property
    def results(self) -> tuple[Slot, ...]:
        """Parameters that C++ fills."""
        return tuple(slot for slot in self.params if slot.kind.result)

    @cached_property
    def by_name(self) -> Mapping[str, Slot]:
        """Every slot by the key of its name."""
        return {key(slot.name): slot for slot in (*self.templates, *self.params)}

    def spelled(self, kinds: bool = False) -> str:
        """`dst, src0, src1, count`, as Python writes the arguments. kinds: say of tensors where they are."""
        parts = [slot.python if slot.kind.tag != "type" else slot.name for slot in self.types if slot.default is None]
        for slot in self.slots:
            name = "*args" if slot.kind.tag == "rest" else slot.python
            shown = {"bits": "[low, high]"}.get(slot.kind.tag, name)
            if kinds and slot.kind.tag in ("local", "global"):
                shown += ": Local" if slot.kind.tag == "local" else ": Gm"
            if slot.kind.tag == "struct":
                shown += f": {slot.kind.name.partition('<')[0]}"
            parts.append(f"{shown}={_python_default(slot.default)}" if slot.default is not None else shown)
        options = [f"{s.python}={_python_default(s.default)}" for s in self.templates if s.keyword]
        return ", ".join([*parts, *(["*", *options] if options else [])])


def _python_default(text: str | None) -> str:
    if text in ("true", "false"):
        return text.capitalize()
    if text == "defaultGatherMaskMode":
        return "ac.GatherMaskMode.VERSION_V2"
    text = text or ""
    return "ac." + text.replace("::", ".") if "::" in text or text.startswith("PIPE_") else text


def signatures(api: Api) -> tuple[Signature, ...]:
    """The forms of a row."""
    return _signatures(api.id)


@cache
def _signatures(id: str) -> tuple[Signature, ...]:
    api = by_id()[id]
    return tuple(Signature(api, form) for form in api.forms)
