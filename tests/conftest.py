"""Which files `pytest -n 2 --dist loadfile` hands out first: those that take longest.

Without this the files with the most tests come first, and those of few tests that each build a project last: one worker
then works on while the other has nothing left.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

# seconds on two cores, of what takes longer than its number of tests tells; `pytest --durations=80` says it anew
SECONDS = {
    "op/test_export.py": 240, "trees/test_trees.py": 140, "zoo/test_forward.py": 140, "zoo/test_train.py": 90,
    "examples/test_ops_b.py": 90, "torchair/test_collectives.py": 80, "examples/test_docs.py": 70,
    "aarch64/test_conformance.py": 55, "cli/test_projects.py": 50, "zoo/test_shapes.py": 50, "asc/test_cmake.py": 45,
    "ge/test_clusters.py": 45, "npu/test_op_db.py": 40, "torchair/test_fuzz.py": 35, "testing/test_unchanged.py": 35,
    "lang/test_typing.py": 30, "lang/test_functions.py": 30, "npu/test_compat.py": 30, "op/test_define_more.py": 25,
    "zoo/test_custom.py": 30, "aarch64/test_program.py": 20, "op/test_export_opdef.py": 20, "torchair/test_cache.py": 20,
    "examples/test_ops_a.py": 20, "lang/test_debugging.py": 15, "torchair/test_errors.py": 15,
    "examples/test_tiny_llama.py": 15, "ge/test_view.py": 12, "testing/test_broken.py": 12, "core/test_interface.py": 12,
}  # fmt: skip
A_TEST = 0.1


def pytest_configure(config: Any) -> None:
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False  # the order below stands


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Only where files are handed to workers; the tests of a file keep their order and stay together."""
    if not hasattr(config, "workerinput"):
        return
    counts: dict[Path, int] = {}
    for item in items:
        counts[item.path] = counts.get(item.path, 0) + 1
    items.sort(key=lambda item: (-seconds(item.path, counts[item.path]), str(item.path)))


def seconds(path: Path, tests: int) -> float:
    """About how long a file takes."""
    name = path.relative_to(HERE).as_posix() if path.is_relative_to(HERE) else ""
    return SECONDS.get(name, A_TEST * tests)
