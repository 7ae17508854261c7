"""The order in which files are handed to the workers of a parallel run."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

HERE = Path(__file__).parent


def conftest() -> Any:
    spec = importlib.util.spec_from_file_location("order_of_tests", HERE / "conftest.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_names_files_that_exist() -> None:
    assert [name for name in conftest().SECONDS if not (HERE / name).is_file()] == []


def test_the_longest_file_comes_first_and_files_stay_together() -> None:
    paths = [HERE / "a/test_quick.py"] * 3 + [HERE / "op/test_export.py"] * 2 + [HERE / "b/test_many.py"] * 9
    items = [SimpleNamespace(path=p, number=i) for i, p in enumerate(paths)]
    alone = list(items)
    conftest().pytest_collection_modifyitems(SimpleNamespace(), alone)
    assert alone == items, "without workers the order is that of the files"
    conftest().pytest_collection_modifyitems(SimpleNamespace(workerinput={}), items)
    assert [i.number for i in items] == [3, 4, *range(5, 14), 0, 1, 2]
