"""A sample of the conformance suite on aarch64: the references' bytes, and those of this machine.

Every form and every element type of each interface is in the sample. Cases are drawn here, replayed under emulation
(replay.cpp) and compared as tests/conformance compares them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.aarch64 import cross
from tests.conformance import build, suite
from tests.conformance.plan import Case
from tests.conformance.reference.memory import Image, differences
from tests.conformance.variant import Variant
from tests.conformance.variants import ALL

pytestmark = cross.needs_aarch64
Memories = tuple[np.ndarray, np.ndarray]  # UB and GM
CATEGORIES = ("arith", "cast", "reduce", "compare", "copies", "sort", "fill", "layout", "compound", "state")
EXAMPLES = 3


def sample(category: str) -> tuple[Variant, ...]:
    """The first variant of every form, and of every combination of types, of each interface."""
    seen: set[tuple[object, ...]] = set()
    chosen = []
    for variant in ALL[category]:
        keys = {(variant.api, variant.form), (variant.api, variant.types)}
        if not keys <= seen:
            chosen.append(variant)
        seen |= keys
    return tuple(chosen)


def drawn(variant: Variant) -> list[Case]:
    """The cases of a variant, the same on every run."""
    cases: list[Case] = []
    suite.draw_cases(variant, EXAMPLES, cases.extend)
    return cases


def replayed(
    library: build.Library, launches: list[tuple[Variant, build.Block, int]], folder: Path
) -> list[np.ndarray]:
    """The blocks after the launches on aarch64. Fails when a kernel faulted."""
    recording, result = folder / "recording", folder / "result"
    with recording.open("wb") as file:
        for variant, block, cases in launches:
            file.write(np.array([library.index[variant.id], cases, block.data.size], np.uint64).tobytes())
            file.write(block.data.tobytes())
    done = cross.run(cross.replay(), library.path, recording, result)
    assert done.returncode == 0, done.stderr
    blocks = []
    with result.open("rb") as file:
        for variant, block, _ in launches:
            failed = int.from_bytes(file.read(8), "little")
            assert not failed, f"{variant.id}: {file.read(8192).rstrip(bytes(1)).decode()}"
            blocks.append(np.frombuffer(file.read(block.data.size), np.uint8))
    return blocks


def other_bytes(variant: Variant, case: Case, here: Memories, there: Memories) -> list[str]:
    """Where two machines differ in more than the payload of a NaN that was computed."""
    found = []
    for name, expected, mine, other in zip(("UB", "GM"), case.expected(), here, there, strict=True):
        exact = [replace(write, ulp=0 if write.ulp else write.ulp) for write in expected.writes]
        image = Image(mine.copy(), exact)
        wrong = differences(image, other)
        if wrong.size:
            found.append("not as on this machine: " + suite.describe(variant, case, name, image, other, wrong))
    return found


@pytest.mark.parametrize("category", CATEGORIES)
def test_aarch64_leaves_the_bytes_of_the_reference_and_of_this_machine(category: str, tmp_path: Path) -> None:
    here = build.library(category, ALL[category])  # the suite's own, which is in the cache
    there = build.library(category, sample(category), cross.compiler())
    assert set(there.missing) <= set(here.missing)
    drawings = [(variant, drawn(variant)) for variant in sample(category) if variant.id in there.index]
    launches = [(variant, build.pack(cases), len(cases)) for variant, cases in drawings]
    wrong = []
    blocks = replayed(there, launches, tmp_path)
    for (variant, cases), (_, block, _), data in zip(drawings, launches, blocks, strict=True):
        memories = block.memories(data)
        try:
            suite.compare(variant, cases, memories)
        except AssertionError as error:
            wrong.append(str(error))
        for case, mine, other in zip(cases, build.run(here, variant, cases), memories, strict=True):
            wrong += other_bytes(variant, case, mine, other)
    assert not wrong, "\n\n".join([f"{len(wrong)} differences in {len(drawings)} variants", *wrong[:5]])
