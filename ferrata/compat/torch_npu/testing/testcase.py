"""torch_npu.testing.testcase: re-exports."""

from ferrata.npu.testing.testcase import TestCase, run_tests  # noqa: F401
