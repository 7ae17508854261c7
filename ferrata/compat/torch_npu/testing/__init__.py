"""torch_npu.testing: re-exports of ferrata.npu.testing."""
