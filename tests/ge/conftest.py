"""What tests of the engine share."""

from __future__ import annotations

from typing import Any

import pytest

from ferrata.torchair import backend


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the backend compiles during the test."""
    found: list[Any] = []
    compile_graph = backend.compile_graph

    def kept(*args: Any, **kwargs: Any) -> Any:
        found.append(compile_graph(*args, **kwargs))
        return found[-1]

    monkeypatch.setattr(backend, "compile_graph", kept)
    return found
