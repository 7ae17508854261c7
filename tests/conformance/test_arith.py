"""Conformance of arithmetic, logic and shifts."""

from tests.conformance.suite import suite_of

test_conforms = suite_of("arith")
