"""Units with code for cube cores, and objects in on-chip memory: what is found and what is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from ferrata.asc import api, cube, kernels, onchip, parameters, toolchain
from ferrata.asc.lexer import tokens
from ferrata.asc.rewrite import Scan, apply, rewrite
from ferrata.errors import CompileError, NoBinutils


def kinds(text: str) -> frozenset[str]:
    found = kernels.find(tokens(text), {})
    return cube.kinds(found, False, lambda: {token.text for token in tokens(text)})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("__global__ __vector__ void k() { Mmad(); }", set()),
        ("__global__ __mix__(0, 1) void k() { }", set()),
        ("__global__ __mix__(1, 2) void k() { }", {"cube", "mix"}),
        ("__global__ __mix__(1, 2) void k();", set()),
        ("__global__ __cube__ void k() { }", {"cube", "mix"}),
        ("__global__ __aicore__ void k() { if ASCEND_IS_AIV { } }", set()),
        ("__global__ __aicore__ void k() { Mmad(a); }", {"any"}),
        ("__global__ __aicore__ void k() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1); }", {"any"}),
        ("__global__ __aicore__ void k() { Mmad(); } __global__ __cube__ void c() { }", {"any", "cube", "mix"}),
    ],
)
def test_kinds_of_kernels_that_are_compiled_for_cube_cores(text: str, expected: set[str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("head", "self", "arguments"),
    [
        ("void k()", "static_cast<void (*)()>(&k)", "()"),
        ("void k(void)", "static_cast<void (*)()>(&k)", "()"),
        ("void k(__gm__ half x[], int n)", "static_cast<void (*)(decltype(x), decltype(n))>(&k)", "(x, n)"),
        ("void k(const T<A, B> t = {1, 2})", "static_cast<void (*)(decltype(t))>(&k)", "(t)"),
        ("void k(GM_ADDR, unsigned int)", "static_cast<void (*)(decltype(ferrata_p0), decltype(ferrata_p1))>(&k)",
         "(ferrata_p0, ferrata_p1)"),
        ("void k(ns::Tiling, __gm__ uint8_t *)",
         "static_cast<void (*)(decltype(ferrata_p0), decltype(ferrata_p1))>(&k)", "(ferrata_p0, ferrata_p1)"),
    ],
)  # fmt: skip
def test_entry_passes_the_parameters_on(head: str, self: str, arguments: str) -> None:
    items = tokens(f"__global__ __cube__ {head} {{ }}")
    (kernel,) = kernels.find(items, {})
    found = parameters.parameters(items, kernel)
    assert found is not None
    entry = cube.entry(items, kernel, found)
    assert (entry.self, entry.arguments) == (self, arguments)


def test_entry_of_a_template() -> None:
    items = tokens("template <typename T, int N = (1 > 0), class... R> __global__ __cube__ void k(T x, R... r) { }")
    (kernel,) = kernels.find(items, {})
    found = parameters.parameters(items, kernel)
    assert found is not None
    entry = cube.entry(items, kernel, found)
    assert entry.self == "static_cast<void (*)(decltype(x), decltype(r)...)>(&k<T, N, R...>)"
    assert entry.arguments == "(x, r...)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("__ubuf__ half t[256];", "__ubuf__ half (&t)[256] = FERRATA_ON_CHIP(ub);"),
        ("static __cbuf__ half a[2][3], b[4];",
         "       __cbuf__ half (&a)[2][3] = FERRATA_ON_CHIP(l1), (&b)[4] = FERRATA_ON_CHIP(l1);"),
        ("__ubuf__ half a[4 * N], b[f(N & 3)];",
         "__ubuf__ half (&a)[4 * N] = FERRATA_ON_CHIP(ub), (&b)[f(N & 3)] = FERRATA_ON_CHIP(ub);"),
        ("__ubuf__ Block<4> block;", "__ubuf__ Block<4> &block = FERRATA_ON_CHIP(ub);"),
        ("extern __ubuf__ char rest[];", "       __ubuf__ char (&rest)[] = FERRATA_DYNAMIC_UB;"),
        ("__ca__ float x[8]; __cb__ float y[8]; __cc__ float z[8];",
         "__ca__ float (&x)[8] = FERRATA_ON_CHIP(l0a); __cb__ float (&y)[8] = FERRATA_ON_CHIP(l0b); "
         "__cc__ float (&z)[8] = FERRATA_ON_CHIP(l0c);"),
        ("__ubuf__ half *p = q;", "__ubuf__ half *p = q;"),
        ("auto p = (__ubuf__ half *)q;", "auto p = (__ubuf__ half *)q;"),
        ("f(reinterpret_cast<__ubuf__ half *>(x));", "f(reinterpret_cast<__ubuf__ half *>(x));"),
    ],
)  # fmt: skip
def test_on_chip_objects(before: str, after: str) -> None:
    for function in ("__aicore__ inline void f(__ubuf__ half *x)", "__global__ __vector__ void f(int n)"):
        text = f"{function} {{ {before} }}"
        assert apply(text, sorted(onchip.edits(tokens(text), {}))) == f"{function} {{ {after} }}"


def test_on_chip_words_outside_device_functions_stay() -> None:
    text = "struct S { __ubuf__ half t[4]; }; void host() { __ubuf__ half t[4]; }"
    assert onchip.edits(tokens(text), {}) == []


def test_workspace_parameter_is_registered() -> None:
    text = "__global__ __vector__ void k(int n, __kfc_workspace__ __gm__ uint8_t *space) { }"
    assert "FERRATA_WORKSPACE(space);" in apply(text, rewrite(Scan.of(text), "k.asc", {}))


CUBE = "__global__ __cube__ void k(__gm__ int *x) { *x = 1; }\nvoid go(int *x) { k<<<1, 0, nullptr>>>(x); }\n"


def test_without_binutils_there_is_a_message(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "k.asc"
    source.write_text('#include "kernel_operator.h"\n' + CUBE)
    real = toolchain.which
    monkeypatch.setattr(toolchain, "which", lambda name: None if name == "objcopy" else real(name))
    with pytest.raises(NoBinutils, match="objcopy"):
        cube.merge(lambda command: (0, ""), "a.o", "b.o", "c.o")


def test_error_in_code_for_cube_cores_only(tmp_path: Path) -> None:
    source = tmp_path / "k.asc"
    wrong = 'template <int C = g_coreType> struct S { static_assert(C == AscendC::AIV, "only vectors"); };\nS<> s;\n'
    source.write_text('#include "kernel_operator.h"\n' + wrong + CUBE)
    with pytest.raises(CompileError, match=r"compilation for cube cores(.|\n)*k\.asc:2(.|\n)*only vectors"):
        api.compile(source)
