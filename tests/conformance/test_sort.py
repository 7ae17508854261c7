"""Conformance of category sort."""

from tests.conformance.suite import suite_of

test_conforms = suite_of("sort")
