"""What comes out of the driver runs: programs with their exit codes, libraries in a Python process."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

from ferrata import asc

ARCH = "--npu-arch=dav-2201"
HOST = """\
#include <cstdio>
#include "acl/acl.h"
#include "kernel_operator.h"
#include "kernels.h"
int main(int count, char**) {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void* p = nullptr;
  aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  if (count == 1) { good<<<1, nullptr, nullptr>>>(static_cast<float*>(p)); }
  else { bad<<<1, nullptr, nullptr>>>(static_cast<float*>(p)); }
  std::printf("%d\\n", static_cast<int>(aclrtSynchronizeStream(nullptr)));
  return 0;
}
"""
KERNELS = """\
#pragma once
__global__ __vector__ void good(__gm__ float* x) {}
__global__ __vector__ void bad(__gm__ float* x)
{
  AscendC::GlobalTensor<float> g;
  g.SetGlobalBuffer(x, 4096);
  AscendC::LocalMemAllocator<AscendC::Hardware::UB> ub;
  AscendC::LocalTensor<float> l = ub.Alloc<float>(1024);
  AscendC::DataCopy(l, g, 1024);
}
"""


@pytest.fixture
def program(tmp_path: Path, bisheng) -> Path:
    (tmp_path / "host.asc").write_text(HOST)
    (tmp_path / "kernels.h").write_text(KERNELS)
    done = bisheng(ARCH, "host.asc", "-o", "host")
    assert done.returncode == 0, done.stderr
    return tmp_path / "host"


def test_program_without_fault_returns_what_main_returns(program: Path) -> None:
    done = subprocess.run([program], env={}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


def test_fault_makes_the_exit_code_non_zero_and_names_the_line(program: Path) -> None:
    done = subprocess.run([program, "bad"], env={}, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert int(done.stdout) != 0
    assert "kernels.h:9" in done.stderr
    assert "kernel bad" in done.stderr


def test_two_sources_one_declares_one_defines(tmp_path: Path, bisheng) -> None:
    (tmp_path / "k.asc").write_text(
        '#include "kernel_operator.h"\nnamespace deep { template <typename T, int N>\n'
        "__global__ __vector__ void fill(__gm__ T* x, T add)\n{\n  AscendC::GlobalTensor<T> g;\n"
        "  g.SetGlobalBuffer(x, 16);\n  g.SetValue(0, N + add);\n}\n"
        "template __global__ __vector__ void fill<int32_t, 5>(__gm__ int32_t* x, int32_t add); }\n"
    )
    (tmp_path / "h.asc").write_text(
        '#include <cstdio>\n#include "acl/acl.h"\nnamespace deep { template <typename T, int N>\n'
        "__global__ __vector__ void fill(__gm__ T* x, T add); }\n"
        "#define RUN(kernel, ...) kernel<<<1, nullptr, nullptr>>>(__VA_ARGS__)\n"
        "int main() {\n  aclInit(nullptr); aclrtSetDevice(0); void* p;\n"
        "  aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST);\n"
        "  RUN((deep::fill<int32_t, 5>), static_cast<int32_t*>(p), 37);\n  int32_t v = 0;\n"
        "  aclrtSynchronizeStream(nullptr);\n  aclrtMemcpy(&v, 4, p, 4, ACL_MEMCPY_DEVICE_TO_HOST);\n"
        '  std::printf("%d\\n", v);\n}\n'
    )
    done = bisheng(ARCH, "k.asc", "h.asc", "-o", "both")
    assert done.returncode == 0, done.stderr
    assert subprocess.run([tmp_path / "both"], capture_output=True, text=True, check=True).stdout == "42\n"


def test_library_from_python(add_file: Path) -> None:
    path = asc.compile(add_file, arch="dav-2201")
    assert asc.compile(add_file, arch="dav-2201") == path
    library = ctypes.CDLL(str(path))
    runtime = ctypes.CDLL("libascendcl.so")  # loaded with the library
    runtime.ferrata_gm_alloc.restype = ctypes.c_void_p
    count = 8 * 2048
    blocks = [runtime.ferrata_gm_alloc(ctypes.c_size_t(4 * count)) for _ in range(3)]
    arrays = [np.ctypeslib.as_array(ctypes.cast(b, ctypes.POINTER(ctypes.c_float)), (count,)) for b in blocks]
    rng = np.random.default_rng(0)
    arrays[0][:] = rng.standard_normal(count)
    arrays[1][:] = rng.standard_normal(count)
    library.launch_add(*(ctypes.c_void_p(block) for block in blocks))
    np.testing.assert_array_equal(arrays[2], arrays[0] + arrays[1])


def test_library_to_a_chosen_place(add_file: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.so"
    assert asc.compile(add_file, arch="dav-3510", output=output, options=["-O0"]) == output
    assert output.read_bytes()[:4] == b"\x7fELF"


def test_static_libpython_is_left_out_of_a_shared_library(tmp_path: Path, bisheng, add_file: Path) -> None:
    (tmp_path / "libpython3.11.a").write_bytes(b"not an archive")
    done = bisheng(ARCH, "-shared", "add.asc", str(tmp_path / "libpython3.11.a"), "-o", "libadd.so")
    assert done.returncode == 0, done.stderr


LAUNCHES = """\
#include "acl/acl.h"
#include "basic_api/kernel_basic_intf.h"
struct Held { static const int32_t LIMIT = 5; unsigned bits : 3; };
template <class T> int32_t known() { return std::is_same_v<T, half> + AscendC::IsSameType<T, int32_t>::value; }
__global__ __vector__ void takes(__gm__ int32_t* out, const char* text, int32_t limit, uint32_t bits, int32_t* list)
{
  ASSERT(list != nullptr && "an array is a pointer to the kernel");
  *out = AscendC::Std::min(limit, 7) + AscendC::Std::max(bits, 2) + text[0] + known<half>();
}
struct Tiling { int32_t first; int32_t rest[2]; };
template <int I> __global__ __vector__ void braced(GM_ADDR out, Tiling tiling, GM_ADDR none)
{
  *(__gm__ int32_t*)out += tiling.first + tiling.rest[I - 1] + (none != nullptr);
}
int main() {
  aclrtSetDevice(0);
  int32_t* out = nullptr;
  aclrtMalloc((void**)&out, 32, ACL_MEM_MALLOC_HUGE_FIRST);
  int32_t list[4] = {};
  Held held{3};
  takes<<<1>>>(out, "a", Held::LIMIT, held.bits, list);
  braced<2><<<1, 0, nullptr>>>((GM_ADDR)out, {40, {1, 2}}, 0);
  return aclrtSynchronizeDevice() == 0 && *out == 5 + 3 + 'a' + 1 + 42 ? 0 : 2;
}
"""


def test_launch_takes_arrays_lists_bit_fields_and_constants_without_a_definition(tmp_path: Path, bisheng) -> None:
    (tmp_path / "host.asc").write_text(LAUNCHES)
    done = bisheng(ARCH, "host.asc", "-o", "host", "-O0", "-g")
    assert done.returncode == 0, done.stderr
    assert subprocess.run([tmp_path / "host"], check=False).returncode == 0
