"""Torch operators for these tests, written in Python: each test makes one that is right or broken in one way."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import ferrata.npu  # noqa: F401

_numbers = itertools.count()


class Library:
    """Defines operators in a namespace of its own; `run` is the implementation on every device."""

    def __init__(self) -> None:
        self.namespace = f"checked{next(_numbers)}"
        self.library = torch.library.Library(self.namespace, "DEF")

    def define(self, schema: str, run: Callable[..., Any], fake: Callable[..., Any], backward: Any = None) -> str:
        """The operator's name."""
        self.library.define(schema)
        name = schema.split("(")[0]
        for key in ("PrivateUse1", "CPU"):
            self.library.impl(name, run, key)
        full = f"{self.namespace}::{name}"
        torch.library.register_fake(full, fake, lib=self.library)
        if backward is not None:
            setup, formula = backward
            torch.library.register_autograd(full, formula, setup_context=setup, lib=self.library)
        return full


@pytest.fixture
def library() -> Iterator[Library]:
    made = Library()
    yield made
    made.library._destroy()


@pytest.fixture(autouse=True)
def own_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts that other runs left do not count here."""
    from ferrata.testing import unchanged

    monkeypatch.setattr(unchanged.Verdicts, "folder", lambda self: tmp_path / "verdicts")
