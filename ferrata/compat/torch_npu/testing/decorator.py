"""torch_npu.testing.decorator: re-exports."""

from ferrata.npu.testing.decorator import Dtypes, Formats, instantiate_tests  # noqa: F401
