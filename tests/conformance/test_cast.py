"""Conformance of category cast."""

from tests.conformance.suite import suite_of

test_conforms = suite_of("cast")
