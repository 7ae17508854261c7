"""Conformance of category copies."""

from tests.conformance.suite import suite_of

test_conforms = suite_of("copies")
