"""The CMake language: projects as users write them, configured, built and run in a temporary folder."""

import shutil
import subprocess
from pathlib import Path

import pytest

from ferrata.asc.home import home

EXAMPLES = Path(__file__).parents[2] / "examples"
GENERATORS = ["Unix Makefiles", *(["Ninja"] if shutil.which("ninja") else [])]

PROJECT = """\
cmake_minimum_required(VERSION 3.16)
find_package(ASC REQUIRED)
project(mixed LANGUAGES ASC CXX)
set(CMAKE_CXX_STANDARD 17)
set(OPTIONS $<$<COMPILE_LANGUAGE:ASC>:--npu-arch=${CMAKE_ASC_ARCHITECTURES} -DFROM_ASC>)

add_library(kernels SHARED kernels.asc helper.cpp)
target_compile_options(kernels PRIVATE ${OPTIONS} $<$<COMPILE_LANGUAGE:CXX>:-DFROM_CXX>)
target_include_directories(kernels PRIVATE ${ASCEND_HOME_PATH}/include ${ASCEND_HOME_PATH}/include/graph)
target_link_directories(kernels PRIVATE ${ASCEND_HOME_PATH}/lib64)
target_link_options(kernels PRIVATE --gcc-toolchain=/usr -Wl,--no-as-needed)
target_link_libraries(kernels PRIVATE gert ascendcl register platform)

add_library(objects OBJECT kernels.asc)
add_library(static STATIC $<TARGET_OBJECTS:objects> helper.cpp)
set_source_files_properties(other.txt.cpp PROPERTIES LANGUAGE ASC)

add_executable(with_shared main.asc other.txt.cpp)
target_link_libraries(with_shared PRIVATE kernels)
add_executable(with_static main.cpp other.txt.cpp)
target_link_libraries(with_static PRIVATE static)
"""
KERNELS = """\
#include "kernel_operator.h"
#include "value.h"
#ifndef FROM_ASC_OR_OBJECT
#endif
__global__ __vector__ void kernel(__gm__ int32_t* x) { *x = VALUE; }
int chip() { return __NPU_ARCH__; }
int value() { return VALUE; }
void launch(int32_t* x) { kernel<<<1, nullptr, nullptr>>>(x); }
"""
HELPER = "int helper() { return 1; }\n"
MAIN = """\
#include <cstdio>
int chip(); int value(); int helper(); int other();
int main() { std::printf("%d %d %d %d\\n", chip(), value(), helper(), other()); }
"""
OTHER = "__global__ __vector__ void unused(GM_ADDR x) {}\nint other() { return 2; }\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a project"
    folder.mkdir()
    files = {"CMakeLists.txt": PROJECT, "kernels.asc": KERNELS, "helper.cpp": HELPER, "main.asc": MAIN,
             "main.cpp": MAIN, "other.txt.cpp": OTHER, "value.h": "#define VALUE 7\n"}  # fmt: skip
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def shell(script: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a script in a folder, after set_env.sh, as a user does."""
    # the device is not needed to build, and loading it in every `import torch` costs time
    full = f"set -e\n. {home()}/set_env.sh\nexport FERRATA_AUTOLOAD=0\n{script}"
    return subprocess.run(["bash", "-c", full], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("arch", ["dav-2201", "dav-3510"])
@pytest.mark.parametrize("generator", GENERATORS)
def test_project_with_every_kind_of_target(project: Path, generator: str, arch: str) -> None:
    configure = f'cmake -G "{generator}" -DCMAKE_ASC_ARCHITECTURES={arch} -S . -B build'
    done = shell(f"{configure} && cmake --build build -j2 && build/with_shared && build/with_static", project)
    assert done.returncode == 0, done.stdout + done.stderr
    number = arch.removeprefix("dav-")
    assert done.stdout.splitlines()[-2:] == [f"{number} 7 1 2"] * 2

    (project / "value.h").write_text("#define VALUE 8\n")  # headers are tracked
    done = shell("cmake --build build && build/with_shared && build/with_static", project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-2:] == [f"{number} 8 1 2"] * 2
    assert "main.asc.o" not in done.stdout

    done = shell("cmake --build build", project)  # and nothing is built twice
    assert "Building" not in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("build_type", "flags"), [("Debug", "-O0 -g"), ("Release", "-O3 -DNDEBUG")])
def test_build_types(project: Path, build_type: str, flags: str) -> None:
    done = shell(f"cmake -DCMAKE_BUILD_TYPE={build_type} -B build && cmake --build build -v", project)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if "-x asc -c" in line]
    assert lines
    assert all(flags in line for line in lines)
    assert all("--npu-arch=dav-2201" in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("-DCMAKE_ASC_ARCHITECTURES=dav-1", "dav-2201;dav-3510"),
        ("-DCMAKE_ASC_COMPILER=/no/such/bisheng", "/no/such/bisheng"),
        ("-DCMAKE_ASC_RUN_MODE=fast", "npu, sim or cpu"),
    ],
)
def test_wrong_setting_is_a_configure_error(project: Path, setting: str, message: str) -> None:
    done = shell(f"cmake {setting} -B build", project)
    assert done.returncode != 0
    assert message in done.stderr


@pytest.mark.slow
def test_compile_error_names_the_users_line(project: Path) -> None:
    (project / "kernels.asc").write_text(KERNELS + "void f() { undefined(); }\n")
    done = shell("cmake -B build && cmake --build build", project)
    assert done.returncode != 0
    line = KERNELS.count("\n") + 1
    assert f"{project}/kernels.asc:{line}:12: error: " in done.stderr


@pytest.mark.slow
def test_language_alone_and_standard(project: Path) -> None:
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nset(CMAKE_ASC_STANDARD 20)\nfind_package(ASC REQUIRED)\n"
        "project(alone LANGUAGES ASC)\nadd_executable(alone alone.asc)\n"
    )
    (project / "alone.asc").write_text("static_assert(__cplusplus > 202000);\nint main() { return 0; }\n")
    done = shell("cmake -B build && cmake --build build && build/alone", project)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_host_example_by_cmake_and_by_driver(tmp_path: Path) -> None:
    folder = tmp_path / "host"
    shutil.copytree(EXAMPLES / "vector_add_host", folder, ignore=shutil.ignore_patterns("build"))
    done = shell("cmake -B build && cmake --build build && build/vector_add", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("32768 sums are right\n")
    done = shell("bisheng --npu-arch=dav-2201 vector_add.asc -o vector_add", folder)
    assert done.returncode == 0, done.stderr
    clean = subprocess.run([folder / "vector_add"], env={}, capture_output=True, text=True, check=False)
    assert (clean.returncode, clean.stdout) == (0, "32768 sums are right\n")


@pytest.mark.slow
def test_article_project_builds_against_torch(tmp_path: Path) -> None:
    """Configure, compile and link the five-file sample; tests of the graph run it."""
    folder = tmp_path / "sample"
    shutil.copytree(EXAMPLES / "add_custom_ge_torchair", folder, ignore=shutil.ignore_patterns("build"))
    done = shell("mkdir build && cd build && cmake -DCMAKE_ASC_ARCHITECTURES=dav-2201 .. && make -j", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    library = folder / "build/libascendc_ops.so"
    dump = subprocess.run(["readelf", "-p", ".ferrata.torch", library], capture_output=True, text=True, check=True)
    from importlib.metadata import version

    assert version("torch").split("+")[0] in dump.stdout
    needed = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    for name in ("libgert.so", "libascendcl.so", "libtorch.so"):
        assert f"[{name}]" in needed


@pytest.mark.slow
def test_legacy_functions_and_launch_macro(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(old LANGUAGES CXX)\nfind_package(ASC REQUIRED)\n"
        "ascendc_library(kernels STATIC fill.cpp)\nascendc_compile_definitions(kernels PRIVATE VALUE=5)\n"
        "ascendc_compile_options(kernels PRIVATE -O2)\n"
        "add_executable(old main.cpp)\ntarget_link_libraries(old PRIVATE kernels)\n"
    )
    (tmp_path / "tiling.h").write_text("#pragma once\n#include <cstdint>\nstruct Tiling { int32_t count; };\n")
    (tmp_path / "fill.cpp").write_text(
        '#include "kernel_operator.h"\n#include "tiling.h"\n'
        'extern "C" __global__ __vector__ void fill(GM_ADDR out, __gm__ int32_t* more, int32_t add, Tiling tiling)\n'
        "{\n    AscendC::GlobalTensor<int32_t> g;\n"
        "    g.SetGlobalBuffer((__gm__ int32_t*)out, 16);\n    g.SetValue(0, VALUE + add + tiling.count);\n}\n"
    )
    (tmp_path / "main.cpp").write_text(
        '#include <cstdio>\n#include "acl/acl.h"\n#include "tiling.h"\n#include "aclrtlaunch_fill.h"\n'
        "int main() {\n    aclInit(nullptr); aclrtSetDevice(0);\n    void* device = nullptr;\n"
        "    aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST);\n"
        "    ACLRT_LAUNCH_KERNEL(fill)(1, nullptr, device, device, 30, Tiling{200});\n"
        "    int32_t host = 0;\n    if (aclrtSynchronizeStream(nullptr) != 0) { return 1; }\n"
        "    aclrtMemcpy(&host, 4, device, 4, ACL_MEMCPY_DEVICE_TO_HOST);\n"
        '    std::printf("%d\\n", host);\n}\n'
    )
    done = shell("cmake -B build && cmake --build build && build/old", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("\n235\n")
