"""Conformance of category compound."""

from tests.conformance.suite import suite_of

test_conforms = suite_of("compound")
