"""Decorators that make one test method into several: Dtypes, Formats and instantiate_tests."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)


class _Values:
    """Keeps the values on the method; instantiate_tests reads them."""

    attribute: str

    def __init__(self, *values: Any) -> None:
        self.values = values

    def __call__(self, method: Callable[..., Any]) -> Callable[..., Any]:
        setattr(method, self.attribute, self.values)
        return method


class Dtypes(_Values):
    """The test runs once per dtype and gets it as the argument `dtype`."""

    attribute = "_npu_dtypes"


class Formats(_Values):
    """The test runs once per format number and gets it as the argument `npu_format`."""

    attribute = "_npu_formats"


def _suffix(value: Any) -> str:
    return str(value).split(".")[-1]


def instantiate_tests(cls: Class) -> Class:
    """Replace each marked method by one per combination, named with the values: test_add_float32_2."""
    for name, method in list(vars(cls).items()):
        axes = [
            ("dtype", getattr(method, Dtypes.attribute, None)),
            ("npu_format", getattr(method, Formats.attribute, None)),
        ]
        used = [(key, values) for key, values in axes if values is not None]
        if not used:
            continue
        delattr(cls, name)
        for combination in itertools.product(*(values for _, values in used)):
            arguments = dict(zip((key for key, _ in used), combination, strict=True))
            new = "_".join([name, *map(_suffix, combination)])
            setattr(cls, new, _bound(method, arguments, new))
    return cls


def _bound(method: Callable[..., Any], arguments: dict[str, Any], name: str) -> Callable[..., Any]:
    @functools.wraps(method)
    def test(self: Any) -> Any:
        return method(self, **arguments)

    test.__name__ = name
    return test
