"""Conformance of category layout."""

from tests.conformance.suite import suite_of

test_conforms = suite_of("layout")
