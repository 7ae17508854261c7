"""The public headers: numbers of every enumeration, and every way in which authors name a header."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ferrata.native.build import INCLUDE, compiler

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
FOLDERS = ("graph", "graph/utils", "register", "exe_graph/runtime", "ge", "platform", "op_common")
HEADERS = [f"{f}/{h.name}" for f in FOLDERS for h in sorted((INCLUDE / f).glob("*.h")) if "ferrata_" not in h.name]
OTHERS = ["utils/extern_math_util.h", "securec.h"]


def check(text: str, *flags: str, std: str = "c++17") -> None:
    command = [compiler(), f"-std={std}", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *flags, "-xc++", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_numbers_of_all_enumerations() -> None:
    lines = (HERE / "enums.tsv").read_text().splitlines()[2:]
    asserts = []
    for enum, name, value in (line.split("\t") for line in lines):
        full = f"ge::{name}" if enum == "ge::graphStatus" else f"{enum}::{name}"
        asserts.append(
            f"static_assert(static_cast<uint32_t>({full}) == {int(value) & 0xFFFFFFFF}u, {full!r});".replace("'", '"')
        )
    assert len(asserts) > 250
    includes = "".join(f'#include "{h}"\n' for h in HEADERS if h.startswith(("graph", "register", "exe_graph")))
    check(includes + "\n".join(asserts), f"-I{INCLUDE}")


@pytest.mark.parametrize("std", ["c++17", "c++20"])
def test_all_headers_together(std: str) -> None:
    check("".join(f'#include "{h}"\n' for h in [*HEADERS, *OTHERS]) * 2, f"-I{INCLUDE}", std=std)


def test_headers_by_their_bare_names_and_under_external() -> None:
    bare = [Path(h).name for h in HEADERS if h.startswith(("graph/", "register/")) and "utils" not in h]
    external = [f"external/{h}" for h in HEADERS]
    roots = [INCLUDE, INCLUDE / "graph", INCLUDE / "register", INCLUDE / "external"]
    check("".join(f'#include "{h}"\n' for h in [*bare, *external]), *(f"-I{r}" for r in roots))


@pytest.mark.slow
@pytest.mark.parametrize("header", [*HEADERS, *OTHERS])
def test_header_stands_alone(header: str) -> None:
    check(f'#include "{header}"\n', f"-I{INCLUDE}")


def test_headers_live_with_the_prelude_and_the_kernel_header() -> None:
    headers = ("kernel_operator.h", "graph/custom_op.h", "graph/operator_reg.h", "acl/acl.h")
    text = "".join(f'#include "{h}"\n' for h in headers)
    check(text + "using namespace ge;\n", f"-I{INCLUDE}", "-include", "ferrata/asc.h")


def test_c_functions_with_bounds(tmp_path: Path) -> None:
    source, program = tmp_path / "bounds.c", tmp_path / "bounds"
    source.write_text(
        """
        #include "securec.h"
        int main(void) {
          char a[4];
          int ok = strcpy_s(a, sizeof(a), "abc") == EOK && strcmp(a, "abc") == 0;
          ok = ok && strcpy_s(a, sizeof(a), "abcd") != EOK && a[0] == 0;
          ok = ok && memcpy_s(a, 4, "xyzw", 5) != EOK && a[0] == 0;
          ok = ok && memcpy_s(a, 4, "xyzw", 4) == EOK && a[3] == 'w';
          ok = ok && sprintf_s(a, sizeof(a), "%d", 123) == 3 && sprintf_s(a, sizeof(a), "%d", 1234) == -1;
          ok = ok && memset_s(a, 4, 7, 4) == EOK && a[0] == 7;
          return ok ? 0 : 1;
        }
        """
    )
    subprocess.run([compiler(), "-xc", f"-I{INCLUDE}", str(source), "-o", str(program)], check=True)
    assert subprocess.run([program]).returncode == 0
