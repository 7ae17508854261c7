"""Every documented name of the host interface and every documented header: a program that uses them all builds."""

from __future__ import annotations

import csv
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ferrata.native import build
from tests.core.units import compile_unit

LIST = Path(__file__).parent / "acl_interface.tsv"

# Headers that user code includes, host and device.
HEADERS = [
    "acl/acl.h", "acl/acl_rt.h", "acl/acl_base_rt.h", "acl/acl_base.h", "acl/acl_rt_compile.h",
    "acl/error_codes/rt_error_codes.h", "kernel_operator.h", "kernel_operator_list_tensor_intf.h",
    "basic_api/kernel_basic_intf.h", "basic_api/kernel_operator_dump_tensor_intf.h", "c_api/asc_simd.h",
    "lib/matmul_intf.h", "lib/matmul/matmul_intf.h", "lib/matmul/matmul_tiling.h", "lib/matmul/bmm_tiling.h",
    "utils/debug/asc_printf.h", "utils/debug/asc_assert.h", "utils/debug/asc_dump.h", "utils/debug/asc_time.h",
    "kernel_tiling/kernel_tiling.h", "tiling/tiling_api.h", "tiling/platform/platform_ascendc.h",
    "platform/soc_spec.h", "register/tilingdata_base.h", "register/op_def_registry.h", "cpu_debug_launch.h",
]  # fmt: skip


def rows() -> list[dict[str, str]]:
    lines = [line for line in LIST.read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


def _check(row: dict[str, str]) -> str:
    name, value = row["name"], row["value"]
    if row["kind"] == "function":
        result, parameters = re.fullmatch(rf"(.*?)\s*{name}(\(.*\))", value).groups()  # type: ignore[union-attr]
        return f"static_assert(same<decltype(&{name}), {result} (*){parameters}>);\n"
    if row["kind"] == "type":
        exact = "" if value in ("struct", "enum", "opaque") else f"static_assert(same<{name}, {value}>);\n"
        return exact + f"using use_{name} = {name}{' *' if value == 'opaque' else ''};\n"
    return f'static_assert({name} == {value}, "{name}");\n'


def test_every_name_has_its_signature_or_value_and_links(tmp_path: Path) -> None:
    names = rows()
    functions = [row["name"] for row in names if row["kind"] == "function"]
    source = tmp_path / "all.cpp"
    source.write_text(
        '#include "acl/acl.h"\n#include "acl/acl_rt_compile.h"\n#include <type_traits>\n'
        "template <class A, class B> constexpr bool same = std::is_same_v<A, B>;\n"
        + "".join(map(_check, names))
        + "int main(int count, char **) {\n  const void *const all[] = {\n"
        + "".join(f"    reinterpret_cast<const void *>(&{name}),\n" for name in functions)
        + "  };\n  return all[count % (sizeof all / sizeof *all)] == nullptr;\n}\n"
    )
    library = build.runtime()
    command = [build.compiler(), "-std=c++17", "-O0", "-Wall", f"-I{build.INCLUDE}", str(source), "-o",
               str(tmp_path / "all"), str(library), f"-Wl,-rpath,{library.parent}"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(functions) > 80 and len(names) > 300
    assert subprocess.run([tmp_path / "all"]).returncode == 0


def test_the_headers_are_plain_c_too(tmp_path: Path) -> None:
    source = tmp_path / "all.c"
    source.write_text('#include "acl/acl.h"\n#include "acl/acl_rt_compile.h"\nint main(void) { return ACL_SUCCESS; }\n')
    command = ["gcc", "-std=c11", "-Wall", "-Wno-unused-variable", "-Werror", f"-I{build.INCLUDE}", "-fsyntax-only"]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_all_documented_headers_compile_together(tmp_path: Path) -> None:
    source = tmp_path / "all.cpp"
    source.write_text("".join(f'#include "{header}"\n' for header in HEADERS))
    done = compile_unit(source, tmp_path / "all.so")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_each_documented_header_compiles_alone(tmp_path: Path) -> None:
    texts = [f'#include "{header}"\n' for header in HEADERS]

    def problems(index: int, text: str) -> str:
        source = tmp_path / f"{index}.cpp"
        source.write_text(text)
        command = [build.compiler(), "-std=c++17", "-fsyntax-only", f"-I{build.INCLUDE}", str(source)]
        return subprocess.run(command, capture_output=True, text=True).stderr

    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(problems, range(len(texts)), texts))
    assert [(text, errors) for text, errors in zip(HEADERS, said, strict=True) if errors] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '#include "lib/matmul_intf.h"\nusing namespace AscendC;\n'
            "using H = MatmulType<TPosition::GM, CubeFormat::ND, half>;\n"
            "void k() { Matmul<H, H, H, H, CFG_MDL> mm; TCubeTiling t; REGIST_MATMUL_OBJ(0, 0, mm, &t); "
            "GlobalTensor<half> g; mm.SetTensorA(g, true); while (mm.template Iterate<false>()) mm.GetTensorC(g); "
            "mm.End(); }\n",
            "Matmul .* is not built yet",
        ),
        (
            '#include "tiling/tiling_api.h"\nint f() { matmul_tiling::MatmulApiTiling t; t.SetShape(1, 2, 3); '
            "TCubeTiling d; return t.GetTiling(d); }\n",
            "matmul tiling is not built yet",
        ),
    ],
)
def test_what_is_not_built_is_one_clear_error(tmp_path: Path, text: str, message: str) -> None:
    source = tmp_path / "one.cpp"
    source.write_text(text)
    done = compile_unit(source, tmp_path / "one.so")
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    assert len(errors) == 1, done.stderr
    assert re.search(message, errors[0])
