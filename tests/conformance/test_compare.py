"""Conformance of category compare."""

from tests.conformance.suite import suite_of

test_conforms = suite_of("compare")
