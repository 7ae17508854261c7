"""Conformance of the C interface."""

import pytest

from tests.conformance.suite import suite_of

pytestmark = pytest.mark.slow

test_conforms = suite_of("c_more")
