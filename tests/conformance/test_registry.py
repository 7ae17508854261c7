"""The API registry: its rows are sound, and what is generated from it is up to date."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ferrata.lang.api import DAV_2201, Form, expand
from ferrata.lang.apis.casts import CASTS, ROWS
from ferrata.lang.registry import apis, by_id, check, named
from ferrata.native import build as native

ROOT = Path(__file__).resolve().parents[2]


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"tools_{name}", ROOT / "tools" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_rows_are_sound() -> None:
    assert check(apis()) == []


@pytest.mark.parametrize("name", ["gen_api", "conformance_report"])
def test_generated_files_are_up_to_date(name: str) -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / f"{name}.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr + f"run: python tools/{name}.py"


def test_a_declaration_has_its_parts() -> None:
    form = Form(
        "count",
        "template<T, bool isSetMask=true> void Adds(LT<T> dst, LT<T> src, const T& scalarValue, const int32_t& count)",
    )
    assert [(p.kind, p.name, p.default) for p in form.template] == [
        ("typename", "T", None),
        ("bool", "isSetMask", "true"),
    ]
    assert [(p.type, p.name, p.role) for p in form.params] == [
        ("const LocalTensor<T>&", "dst", "dst"),
        ("const LocalTensor<T>&", "src", "src"),
        ("const T&", "scalarValue", "scalar"),
        ("const int32_t&", "count", "count"),
    ]


def test_shortenings_expand_to_cpp() -> None:
    assert expand("template<T> void Abs(LT<T> dst)") == "template <typename T> void Abs(const LocalTensor<T>& dst)"


def test_old_names_find_their_rows() -> None:
    assert [api.id for api in named("CompareScalar")] == ["Compares"]
    rows = [api.id for api in named("Select") if api.category != "absent"]
    assert rows == ["SelectScalar", "SelectTensor", "SelectRegister"]
    assert by_id()["BlockReduceMax"].alias_of == "ReduceDataBlock"


def test_every_conversion_is_a_dtype_of_cast() -> None:
    assert {(source, target) for target, source in by_id()["Cast"].dtypes[DAV_2201]} == set(CASTS)
    assert CASTS["float", "half"].modes == ("RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD", "NONE")
    assert len(ROWS) > len(CASTS)


def test_unclear_points_are_listed() -> None:
    assert any("float never saturates" in point for point in by_id()["Abs"].unclear)


def compiled(code: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    unit = tmp_path / "unit.cpp"
    unit.write_text(f'#include "ferrata/core/api_types.h"\nusing namespace ferrata;\n{code}\n')
    command = [native.compiler(), "-std=c++17", "-fsyntax-only", f"-I{native.INCLUDE}", str(unit)]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_header_says_which_types_are_allowed(tmp_path: Path) -> None:
    done = compiled("int main() { api::Add::check<int8_t>(); }", tmp_path)
    assert done.returncode != 0
    assert "Add on dav-2201 takes T = int16_t, half, int32_t or float" in done.stderr


def test_the_header_agrees_with_the_registry(tmp_path: Path) -> None:
    gen = tool("gen_api")
    lines = []
    for api in apis():
        dtypes = api.dtypes[DAV_2201]
        combos = set(dtypes.combos)
        if not combos:
            continue
        spaces = [(t,) for t in gen.NUMBERS]
        if len(dtypes.letters) == 2:
            spaces = [(a, b) for a in gen.NUMBERS for b in gen.NUMBERS]
        allowed = [f"api::{api.id}::allowed<{', '.join(types)}> == {str(types in combos).lower()}" for types in spaces]
        lines.append(f"static_assert({' && '.join(allowed)});")
    done = compiled("\n".join(lines), tmp_path)
    assert done.returncode == 0, done.stderr[:2000]
