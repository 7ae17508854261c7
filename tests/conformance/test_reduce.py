"""Conformance of category reduce."""

from tests.conformance.suite import suite_of

test_conforms = suite_of("reduce")
