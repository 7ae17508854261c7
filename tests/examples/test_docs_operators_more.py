"""The code in docs/howto/operators_more.md is that of the examples, line by line."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_excerpt_stands_in_an_example() -> None:
    page = (ROOT / "docs/howto/operators_more.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    files = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples/ops").glob("*.py"))]
    assert len(blocks) > 15
    for block in blocks[1:]:  # the first is a call
        assert any(_holds(text, block) for text in files), block


def _holds(text: str, block: str) -> bool:
    """Whether the lines stand together in the text, however deep they are indented."""
    return any(textwrap.indent(block, " " * depth) in text for depth in range(0, 24, 4))
