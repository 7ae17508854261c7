"""Running variants: draw cases, run them on the emulated core, compare the whole memories with the reference."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from tests.conformance import build
from tests.conformance.plan import Case, Plan
from tests.conformance.reference.memory import Image, differences
from tests.conformance.variant import Variant
from tests.conformance.variants import ALL

# Examples of each variant and cases of each example; FERRATA_CONFORMANCE multiplies the examples.
EXAMPLES = 8
CASES = 4


def scale() -> int:
    """How many times more examples than usual: FERRATA_CONFORMANCE=20 for a long run."""
    return int(os.environ.get("FERRATA_CONFORMANCE", "1"))


def profile(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The same cases on every run, unless a long run is asked for."""
    return hypothesis.settings(
        max_examples=examples * scale(),
        deadline=None,
        database=None,
        derandomize=scale() == 1,
        suppress_health_check=list(hypothesis.HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
    )


def check(variant: Variant, cases: Sequence[Case], library: build.Library) -> None:
    """Run the cases; AssertionError says where the first wrong byte is."""
    compare(variant, cases, build.run(library, variant, cases))


def compare(variant: Variant, cases: Sequence[Case], memories: Sequence[tuple[Any, Any]]) -> None:
    """Hold memories (UB, GM) after a run against the reference; AssertionError says where the first wrong byte is."""
    for case, (ub, gm) in zip(cases, memories, strict=True):
        expected_ub, expected_gm = case.expected()
        for name, expected, actual in (("UB", expected_ub, ub), ("GM", expected_gm, gm)):
            wrong = differences(expected, actual)
            if wrong.size:
                raise AssertionError(describe(variant, case, name, expected, actual, wrong))


def describe(variant: Variant, case: Case, name: str, expected: Image, actual: Any, wrong: Any) -> str:
    """The first wrong bytes, as elements of the type that was written there."""
    at = int(wrong[0])
    lines = [
        f"{variant.id}: {wrong.size} bytes of {name} are wrong, the first at {at}",
        f"  call: {variant.call}",
        f"  case: {case.note}",
    ]
    for write in reversed(expected.writes):
        if write.dtype == "int4b_t":
            continue
        size = max(1, expected.read(write.dtype, write.index[:1]).dtype.itemsize) if write.index.size else 1
        if (write.index.reshape(-1) == at // size).any():
            index = at // size
            want = expected.data.view(expected.read(write.dtype, write.index[:1]).dtype)[index]
            got = actual[: actual.size // size * size].view(want.dtype)[index]
            lines.append(f"  {write.dtype} element {index}: expected {want!r}, got {got!r}")
            break
    else:
        lines.append(f"  byte {at} was not to be written: expected {expected.data[at]}, got {actual[at]}")
    return "\n".join(lines)


def suite_of(category: str) -> Callable[[Variant], None]:
    """The test function of a category, parametrised over its variants."""
    variants = ALL[category]
    seen: set[str] = set()
    params = []
    for variant in variants:
        # `-m "not slow"` keeps one variant of each API
        marks = [pytest.mark.slow] if variant.api in seen else []
        seen.add(variant.api)
        params.append(pytest.param(variant, id=variant.id, marks=marks))

    @pytest.mark.parametrize("variant", params)
    def test(variant: Variant) -> None:
        library = build.library(category, variants)
        if variant.id in library.missing:
            pytest.fail(f"missing: {variant.call}\n{library.missing[variant.id]}", pytrace=False)
        run_variant(variant, library)

    return test


def run_variant(variant: Variant, library: build.Library, examples: int = EXAMPLES) -> None:
    """The hypothesis test of one variant. Raises AssertionError or build.Fault."""
    build.loaded(library.path)  # what goes wrong here is not a failing example
    draw_cases(variant, examples, lambda cases: check(variant, cases, library))


def draw_cases(variant: Variant, examples: int, use: Callable[[list[Case]], None]) -> None:
    """Give `examples` lists of cases of a variant to `use`, one after another; hypothesis shrinks one that raises."""

    @st.composite
    def some(draw: Callable[[st.SearchStrategy[Any]], Any]) -> list[Case]:
        return [variant.draw(Plan(draw)) for _ in range(CASES)]

    @profile(examples)
    @hypothesis.given(some())
    def body(cases: list[Case]) -> None:
        use(cases)

    body()
