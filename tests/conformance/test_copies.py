"""Conformance of category copies."""

import pytest

from tests.conformance.suite import suite_of

pytestmark = pytest.mark.slow

test_conforms = suite_of("copies")
