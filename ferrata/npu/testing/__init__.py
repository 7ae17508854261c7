"""Helpers for tests of operators, with the names of torch_npu.testing. Importing them patches nothing."""
