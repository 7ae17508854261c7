"""Every interface of the registry, in every form and for every allowed element type: it binds, and its text compiles.

The compiled functions also hold the static types that binding gives to results.
"""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from ferrata.errors import ElementTypeNotTaken, NotOnThisChip
from ferrata.lang.api import DAV_2201, Api
from ferrata.lang.binding import bind, names
from ferrata.lang.binding.signature import signatures
from ferrata.lang.elements import ALL, Dtype, DtypeVar, Element, by_cpp, u8
from ferrata.lang.registry import apis
from ferrata.native import build as native
from tests.lang.binding_values import (
    Recorder,
    Synthetic,
    calls,
    combinations,
    function,
    local,
    number,
    present,
    variable,
)

VARIABLE = "E"


def compile_(functions: Sequence[str], helpers: dict[str, str], tmp_path: Path) -> str:
    """What the compiler says of a unit with these functions; nothing when all is well."""
    unit = tmp_path / "unit.cpp"
    head = ['#include "kernel_operator.h"', "using namespace AscendC;", *helpers.values()]
    unit.write_text("\n".join([*head, *functions, ""]))
    command = [
        native.compiler(),
        "-std=c++17",
        "-fsyntax-only",
        "-w",
        "-include",
        "ferrata/asc.h",
        "-D__NPU_ARCH__=2201",
    ]
    done = subprocess.run([*command, f"-I{native.INCLUDE}", str(unit)], capture_output=True, text=True)
    return done.stderr[:4000]


def test_every_form_with_every_allowed_type_binds_and_compiles(tmp_path: Path) -> None:
    functions, helpers = [], {}
    for at, call in enumerate(calls()):
        context = Recorder()
        value = call.bound(context)
        helpers |= context.helpers
        functions.append(f"// {call.id}\n{function(f'call{at}', value, context)}")
    assert len(functions) > 1700
    assert compile_(functions, helpers, tmp_path) == ""


def variables(api: Api) -> list[dict[str, Element]]:
    """The letters with a dtype variable for the first: over all that it may be beside each choice of the others."""
    dtypes = api.dtypes[DAV_2201]
    groups: dict[tuple[str, ...], list[Dtype]] = {}
    for combo in dtypes:
        members = [by_cpp(name) for name in combo]
        if all(members):
            groups.setdefault(tuple(combo[1:]), []).append(members[0])  # type: ignore[arg-type]
    found = []
    for rest, firsts in groups.items():
        others = dict(zip(dtypes.letters[1:], (by_cpp(name) for name in rest), strict=True))
        found.append({"U": u8, dtypes.letters[0]: DtypeVar(VARIABLE, tuple(firsts)), **others})
    return found  # type: ignore[return-value]


def test_every_form_takes_a_dtype_variable_and_compiles_for_each_member(tmp_path: Path) -> None:
    functions, helpers, at = [], {}, 0
    for api in present():
        for signature in signatures(api):
            if not any(slot.kind.name in ("T", "U") and slot.kind.tag == "local" for slot in signature.params):
                continue
            for elements in variables(api):
                (open_,) = (e for e in elements.values() if isinstance(e, DtypeVar))
                call, context = Synthetic(api, signature, elements), Recorder()
                if any(slot.kind.name == "RoundMode" for slot in signature.params):
                    continue  # the modes differ by type; test_bind_errors.py has them
                value = call.bound(context)
                helpers |= context.helpers
                name = f"call{at}"
                functions.append(f"// {call.id}\ntemplate <typename {VARIABLE}> {function(name, value, context)}")
                for member in open_.allowed:
                    kinds = ", ".join(
                        f"{k.replace(f'<{VARIABLE}>', f'<{member.cpp}>')} &" for k in context.variables.values()
                    )
                    functions.append(f"template void {name}<{member.cpp}>({kinds});")
                at += 1
    assert at > 200
    assert compile_(functions, helpers, tmp_path) == ""


def refusable() -> list[Api]:
    """Rows whose letters are all read from tensors."""
    found = []
    for api in present():
        dtypes, form = api.dtypes[DAV_2201], signatures(api)[0]
        tensors = {slot.kind.name for slot in form.params if slot.kind.tag in ("local", "global")}
        if len(dtypes) and set(dtypes.letters) <= tensors:
            found.append(api)
    return found


@pytest.mark.parametrize("api", refusable(), ids=lambda api: api.id)
def test_element_types_that_are_not_allowed_are_refused(api: Api) -> None:
    dtypes = api.dtypes[DAV_2201]
    rows = [row for row in present() if row.name == api.name and row.dtypes[DAV_2201].letters == dtypes.letters]
    allowed = {combo for row in rows for combo in row.dtypes[DAV_2201]}
    refused = 0
    for members in itertools.product(ALL, repeat=len(dtypes.letters)):
        if tuple(member.cpp for member in members) in allowed:
            continue
        call = Synthetic(api, signatures(api)[0], dict(zip(dtypes.letters, members, strict=True)), lenient=True)
        with pytest.raises(ElementTypeNotTaken) as caught:
            call.bound(Recorder())
        assert any(member.name in caught.value.problem for member in members)
        assert all(combo == () or caught.value.help for combo in allowed)
        refused += 1
    assert refused


def test_a_refused_type_does_not_compile_either(tmp_path: Path) -> None:
    text = "void call(LocalTensor<int8_t> &a) { Add(a, a, a, 8); }"
    assert "Add on dav-2201 takes T = int16_t, half, int32_t or float" in compile_([text], {}, tmp_path)


ABSENT = {key: entry for key, entry in names.functions().items() if all(row.category == "absent" for row in entry.rows)}


@pytest.mark.parametrize("python", ABSENT)
def test_interfaces_of_later_chips_say_so(python: str) -> None:
    with pytest.raises(NotOnThisChip, match=f"a kernel for dav-2201 has no ac.{python}"):
        bind(python, [], {}, Recorder())


def test_host_functions_are_not_for_kernels() -> None:
    with pytest.raises(NotOnThisChip) as caught:
        bind("get_sort_tmp_size", [number(1)], {}, Recorder())
    assert "It is called on the host" in str(caught.value)


def test_older_names_emit_themselves_and_compile(tmp_path: Path) -> None:
    functions, helpers = [], {}
    older = [(api, alias.name) for api in present() for alias in api.aliases if alias.name != "PRINTF"]
    for at, (api, name) in enumerate(older):
        for signature in signatures(api):
            for elements in combinations(api, signature):
                context = Recorder()
                value = Synthetic(api, signature, elements, name=name).bound(context)
                helpers |= context.helpers
                text = function(f"call{at}_{len(functions)}", value, context)
                assert re.search(rf"\b{name}[<(]", text)
                functions.append(text)
    assert len(older) >= 14
    assert compile_(functions, helpers, tmp_path) == ""


def test_every_row_has_a_name() -> None:
    named = {id(row) for entry in names.functions().values() for row in entry.rows}
    named |= {id(row) for table in names.methods().values() for entry in table.values() for row in entry.rows}
    assert [api.id for api in apis() if id(api) not in named] == ["GlobalTensoroperator", "LocalTensoroperator"]


def test_the_first_argument_that_is_wrong_is_the_place_of_the_error() -> None:
    from ferrata.lang.elements import f16, i8

    with pytest.raises(ElementTypeNotTaken) as caught:
        bind("add", [local("c", i8), local("a", i8), local("b", i8), variable("m")], {}, Recorder())
    assert "    c\n" in str(caught.value)
    assert f16.name in caught.value.help
