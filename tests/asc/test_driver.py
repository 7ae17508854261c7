"""`bisheng`: its options, its outputs and its exit codes."""

import re
import subprocess
from pathlib import Path

import pytest

from ferrata.asc import options
from ferrata.asc.objects import flags_for
from ferrata.errors import DriverUsage

pytestmark = pytest.mark.slow

ARCH = "--npu-arch=dav-2201"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no input files"),
        (["-c", "add.asc"], "needs the option --npu-arch"),
        (["--npu-arch=dav-1234", "-c", "add.asc"], "known: dav-2201, dav-3510"),
        (["--npu-soc=Other1", "-c", "add.asc"], "--npu-arch="),
        ([ARCH, "-c", "missing.asc"], "no such file: 'missing.asc'"),
        ([ARCH, "--npu-arhc=x", "-c", "add.asc"], "did you mean '--npu-arch=x'?"),
        ([ARCH, "--shraed", "add.asc"], "did you mean '--shared'?"),
        ([ARCH, "--enable-simt", "-c", "add.asc"], "no SIMT"),
        ([ARCH, "-x", "rust", "add.asc"], "unknown language"),
        ([ARCH, "-c", "add.asc", "-o"], "needs a value"),
        ([ARCH, "-c", "add.asc", "add.asc", "-o", "x.o"], "several sources"),
    ],
)
def test_wrong_command_line_is_one_clear_message(bisheng, add_file: Path, arguments: list[str], message: str) -> None:
    done = bisheng(*arguments)
    assert done.returncode == 1
    assert done.stderr.startswith("bisheng: error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("option", options.IGNORED)
def test_options_without_effect_are_accepted(option: str) -> None:
    call = options.parse([ARCH, option + ("value" if option.endswith("=") else ""), "-c", "k.asc"])
    assert call.flags == []
    assert [source.path for source in call.sources] == ["k.asc"]


@pytest.mark.parametrize(
    ("words", "flags", "items"),
    [
        (["-I", "a", "-Ib", "-isystem", "c"], ["-Ia", "-Ib", "-isystem", "c"], []),
        (["-D", "X=1", "-DY", "-UZ"], ["-DX=1", "-DY", "-UZ"], []),
        (["-O2", "-g", "-std=c++20", "-Wall", "-fPIC"], ["-O2", "-g", "-std=c++20", "-Wall", "-fPIC"], []),
        (["-L", "a", "-lb", "-Wl,-rpath,c"], [], ["-La", "-lb", "-Wl,-rpath,c"]),
        (["d.o", "e.a", "f.so.1"], [], ["d.o", "e.a", "f.so.1"]),
        (["-Xlinker", "--no-as-needed"], [], ["-Xlinker", "--no-as-needed"]),
        (["-pthread"], ["-pthread"], ["-pthread"]),
    ],
)  # fmt: skip
def test_options_of_gcc_are_passed_on(words: list[str], flags: list[str], items: list[str]) -> None:
    call = options.parse(words)
    assert (call.flags, call.items) == (flags, items)


@pytest.mark.parametrize(("given", "used"), [("c++11", "c++17"), ("gnu++14", "gnu++17"), ("c++20", "c++20")])
def test_device_code_is_at_least_cpp_17(given: str, used: str) -> None:
    call = options.parse([ARCH, f"-std={given}", "-c", "k.asc", "h.cpp"])
    device, host = (flags_for(source, call, "g++") for source in call.sources)
    assert (f"-std={used}" in device, f"-std={given}" in host, len(call.notes)) == (True, True, int(given != used))


def test_lineinfo_and_lib_are_no_libraries() -> None:
    call = options.parse([ARCH, "-lineinfo", "-lib", "-lm", "k.asc"])
    assert call.archive
    assert call.items == ["-lm", options.Source("k.asc", "asc")]


def test_repeated_arch_is_harmless_and_arch_wins_over_soc() -> None:
    assert options.parse([ARCH, ARCH, "--npu-soc=Ascend950PR"]).arch == "dav-2201"
    assert options.parse(["--npu-soc=Ascend910B3"]).arch == "dav-2201"
    assert options.parse(["--npu-soc", "Ascend950PR_9599"]).arch == "dav-3510"


def test_language_option_lasts_until_none() -> None:
    call = options.parse(["-x", "asc", "a.cpp", "b.txt", "-x", "none", "c.cpp", "d.asc", "-xasc", "e.cc", "o.o"])
    assert [source.language for source in call.sources] == ["asc", "asc", "c++", "asc", "asc"]
    assert call.items[-1] == "o.o"


def test_response_file(tmp_path: Path) -> None:
    path = tmp_path / "words.rsp"
    path.write_text('-DA="x y" -c\nk.asc')
    call = options.parse([ARCH, f"@{path}"])
    assert (call.flags, call.mode) == (["-DA=x y"], "-c")


def test_unknown_option_raises_from_python_too() -> None:
    with pytest.raises(DriverUsage):
        options.parse(["--nonsense"])


def test_dependency_file_names_the_users_files(tmp_path: Path, bisheng) -> None:
    (tmp_path / "sub dir").mkdir()
    (tmp_path / "sub dir/k.h").write_text("__global__ __vector__ void h(GM_ADDR x) {}\n")
    (tmp_path / "k.asc").write_text('#include "sub dir/k.h"\nvoid f() { h<<<1>>>(0); }\n')
    for _ in ("miss", "hit"):
        done = bisheng(ARCH, "-c", "k.asc", "-o", "k.o", "-MD", "-MT", "out/k.o", "-MF", "k.dep", "-MP")
        assert done.returncode == 0, done.stderr
        text = (tmp_path / "k.dep").read_text()
        (tmp_path / "k.dep").unlink()
        assert text.startswith("out/k.o: k.asc ")
        assert "sub\\ dir/k.h" in text
        assert "asc/work" not in text
        assert re.search(r"^sub\\ dir/k\.h:$", text, re.MULTILINE)


def test_preprocess_and_assemble(tmp_path: Path, bisheng, add_file: Path) -> None:
    done = bisheng(ARCH, "-E", "add.asc")
    assert done.returncode == 0
    assert "launch(" in done.stdout
    done = bisheng(ARCH, "-S", "add.asc", "-o", "add.s")
    assert done.returncode == 0, done.stderr
    assert ".text" in (tmp_path / "add.s").read_text()


def test_cpp_is_host_only_unless_told(tmp_path: Path, bisheng) -> None:
    (tmp_path / "host.cpp").write_text("#ifdef __NPU_ARCH__\n#error device\n#endif\nint host() { return 1; }\n")
    assert bisheng("-c", "host.cpp").returncode == 0
    (tmp_path / "k.cpp").write_text(
        "__global__ __vector__ void k(GM_ADDR x) {}\nstatic_assert(__NPU_ARCH__ == 3510);\n"
    )
    assert bisheng("-c", "k.cpp").returncode == 1
    done = bisheng("--npu-arch=dav-3510", "-x", "asc", "-c", "k.cpp")
    assert done.returncode == 0, done.stderr


def test_host_only_asc_has_no_architecture_macro(tmp_path: Path, bisheng) -> None:
    (tmp_path / "k.asc").write_text(
        "__global__ __vector__ void k(GM_ADDR x);\n#ifdef __NPU_ARCH__\n#error device\n#endif\n"
        "void f() { k<<<1>>>(nullptr); }\n"
    )
    done = bisheng(ARCH, "-c", "k.asc")
    assert done.returncode == 0, done.stderr


def test_c_source(tmp_path: Path, bisheng) -> None:
    (tmp_path / "c.c").write_text("int class = 1;\n")
    done = bisheng("-std=c++17", "-c", "c.c")
    assert done.returncode == 0, done.stderr


def test_static_library_holds_the_objects(tmp_path: Path, bisheng, add_file: Path) -> None:
    (tmp_path / "more.cpp").write_text("int more() { return 1; }\n")
    done = bisheng(ARCH, "-lib", "add.asc", "more.cpp", "-o", "libk.a")
    assert done.returncode == 0, done.stderr
    names = subprocess.run(["nm", "-C", tmp_path / "libk.a"], capture_output=True, text=True, check=True).stdout
    assert " T add_custom(" in names
    assert " T more()" in names


def test_dry_run_shows_the_command_and_makes_nothing(tmp_path: Path, bisheng, add_file: Path) -> None:
    done = bisheng(ARCH, "-###", "-c", "add.asc")
    assert done.returncode == 0
    assert "-ffp-contract=off" in done.stderr
    assert not (tmp_path / "add.o").exists()


def test_no_compiler_is_its_own_error(tmp_path: Path, bisheng, add_file: Path, own_cache: Path) -> None:
    done = bisheng(ARCH, "-c", "add.asc", env={"PATH": str(tmp_path), "CXX": ""})
    assert done.returncode == 1
    assert "No C++ compiler found" in done.stderr


def test_gcc_toolchain_chooses_its_compiler(tmp_path: Path, bisheng, add_file: Path, own_cache: Path) -> None:
    fake = tmp_path / "tools/bin/g++"
    fake.parent.mkdir(parents=True)
    fake.write_text("#!/bin/sh\necho this one >&2\nexit 7\n")
    fake.chmod(0o755)
    done = bisheng(ARCH, f"--gcc-toolchain={tmp_path}/tools", "-c", "add.asc")
    assert (done.returncode, done.stderr) == (7, "this one\n")
    assert bisheng(ARCH, f"--gcc-toolchain={tmp_path}", "-c", "add.asc").returncode == 0


def test_optimisation_defaults(tmp_path: Path, bisheng, add_file: Path) -> None:
    (tmp_path / "host.asc").write_text("int x;\n")
    for words, level in [("add.asc", "-O3"), ("-g add.asc", "-O0"), ("-O2 -g add.asc", "-O2"), ("host.asc", "-O1")]:
        done = bisheng(ARCH, "-###", "-c", *words.split())
        assert re.findall(r"-O\d", done.stderr) == [level]


def test_help_and_version(bisheng) -> None:
    assert "--npu-arch" in bisheng("--help").stdout
    assert bisheng("--version").stdout.startswith("bisheng (ferrata ")
