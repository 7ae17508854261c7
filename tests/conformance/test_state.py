"""Conformance of category state."""

from tests.conformance.suite import suite_of

test_conforms = suite_of("state")
