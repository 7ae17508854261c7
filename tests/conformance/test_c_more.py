"""Conformance of the C interface."""

from tests.conformance.suite import suite_of

test_conforms = suite_of("c_more")
