"""What tests of level O3 share: a function compiled with clusters, and Inductor in one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

import ferrata


def clustered(function: Any, **options: Any) -> Any:
    """The function compiled with clusters, as a whole."""
    config = ferrata.CompilerConfig()
    config.ge_config.oo_level = "O3"
    return torch.compile(function, backend=ferrata.get_npu_backend(compiler_config=config), fullgraph=True, **options)


@contextmanager
def one_process() -> Iterator[None]:
    """Inductor starts no processes to compile in; nothing that Dynamo compiled is left before or after."""
    import torch._inductor.config as inductor

    torch._dynamo.reset()
    with inductor.patch(compile_threads=1):
        yield
    torch._dynamo.reset()
