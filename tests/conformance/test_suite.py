"""The suite itself: it notices wrong values, stray writes, faults and missing calls; every registry row has a case."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ferrata.lang.registry import apis, c_functions
from tests.conformance import build
from tests.conformance.plan import Case, Plan
from tests.conformance.reference.memory import Image, differences
from tests.conformance.suite import run_variant
from tests.conformance.variant import Variant
from tests.conformance.variants import ALL
from tests.core.emulated import runtime as emulated

ADD = next(v for v in ALL["arith"] if v.id == "Add/count/float")
STRAY = Variant("Add", "count", ("float",), ADD.call + " c.t<float>(0).SetValue(c.count(), 1.0f);", ADD.draw, "stray")
FAULTY = Variant(
    "Add", "count", ("float",), "Add(c.t<float>(0), c.t<float>(1), c.t<float>(2), 1 << 20);", ADD.draw, "faulty"
)
ABSENT = Variant("Add", "count", ("float",), "NoSuchCall(c.t<float>(0));", ADD.draw, "absent")
OWN = (ADD, STRAY, FAULTY, ABSENT)


@pytest.fixture(scope="module")
def library() -> build.Library:
    return build.library("own", OWN)


def test_a_right_call_passes(library: build.Library) -> None:
    run_variant(ADD, library)


def test_a_wrong_value_is_noticed(library: build.Library) -> None:
    def draw(plan: Plan) -> Case:
        case = ADD.draw(plan)

        def off_by_one_bit(ub: Image, gm: Image) -> None:
            case.reference(ub, gm)
            written = [write for write in ub.writes if write.index.size]
            if written:
                at = int(written[-1].index.reshape(-1)[-1]) * 4
                ub.data[at] ^= 1

        return replace(case, reference=off_by_one_bit)

    with pytest.raises(AssertionError, match="Add/count/float"):
        run_variant(replace(ADD, draw=draw), library)


def test_a_write_behind_the_last_lane_is_noticed(library: build.Library) -> None:
    with pytest.raises((AssertionError, build.Fault)):
        run_variant(STRAY, library)


def test_a_fault_is_reported_with_its_message(library: build.Library) -> None:
    with pytest.raises(build.Fault, match="Add"):
        run_variant(FAULTY, library)


def test_faults_are_thrown_only_inside(library: build.Library) -> None:
    """Other tests of the process call kernels through ctypes, where an exception would end the process."""
    before = emulated().ferrata_set_fault_mode(0)
    try:
        run_variant(ADD, library, examples=1)
        with pytest.raises(build.Fault):
            run_variant(FAULTY, library, examples=1)
        assert emulated().ferrata_set_fault_mode(0) == 0
    finally:
        emulated().ferrata_set_fault_mode(before)


def test_a_call_that_the_headers_lack_is_named(library: build.Library) -> None:
    assert list(library.missing) == [ABSENT.id]
    assert "NoSuchCall" in library.missing[ABSENT.id]


def test_every_row_that_computes_has_a_case() -> None:
    covered = {variant.api for variants in ALL.values() for variant in variants}
    assert [api.id for api in apis() if api.computes and api.id not in covered] == []


def test_every_form_and_type_of_a_row_has_a_case() -> None:
    covered = {(v.api, v.form, v.types) for variants in ALL.values() for v in variants}
    open_ = []
    for api in apis():
        if not api.computes:
            continue
        forms = {form.kind for form in api.forms}
        for types in api.dtypes["dav-2201"]:
            open_ += [(api.id, form, types) for form in forms if (api.id, form, types) not in covered]
    assert open_ == []


# Functions that need more cores than the suite's kernels have, and where they are tested.
ELSEWHERE = {
    f"asc_sync_{scope}_{step}": "tests/core/test_c_cross.py"
    for scope in ("inter", "subblock", "block")
    for step in ("arrive", "wait")
}


def test_every_function_of_the_c_interface_has_a_case() -> None:
    covered = {(v.api, v.form) for variants in ALL.values() for v in variants}
    names = {name for name, _ in covered}
    missing = []
    for function in c_functions():
        if function.category in ("types", "debug"):  # no functions; what they print is in tests/core
            continue
        for name in function.names:
            if name not in names and name not in ELSEWHERE:
                missing.append(name)
            # functions with a form by count and one by repeats have a case of each
            declared = [form.declaration for form in function.forms]
            if any("repeat" in d for d in declared) and any(d.endswith("count)") for d in declared):
                forms = {form for api, form in covered if api == name}
                missing += [f"{name}, count"] * ("count" not in forms)
                missing += [f"{name}, repeat"] * (not forms & {"mask", "repeat"})
    assert missing == []
    for name, place in ELSEWHERE.items():
        stem = name.rsplit("_", 1)[0]
        assert stem in (Path(__file__).parents[2] / place).read_text(), name


def test_ids_are_unique() -> None:
    ids = [v.id for variants in ALL.values() for v in variants]
    assert len(ids) == len(set(ids))


def test_a_nan_of_other_bits_is_equal_only_where_it_was_computed() -> None:
    for ulp, wrong in ((0, []), (None, [0])):
        image = Image(np.zeros(8, np.uint8))
        image.write("half", np.array([0]), np.array([0x7E00], np.uint16).view(np.float16), ulp)
        other = image.data.copy()
        other[0] = 1
        assert differences(image, other).tolist() == wrong
