"""Conformance of category fill."""

from tests.conformance.suite import suite_of

test_conforms = suite_of("fill")
