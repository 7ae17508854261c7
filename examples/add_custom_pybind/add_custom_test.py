"""The pybind11 module against torch.add."""

import sys

import torch
import torch_npu  # noqa: F401
from torch_npu.testing.testcase import TestCase, run_tests

sys.path.insert(0, ".")
import add_custom


class TestAddCustom(TestCase):
    def test_module_equals_torch_add(self):
        for shape in [(8, 2048), (1,), (0,), (333, 7)]:
            x, y = torch.rand(shape), torch.rand(shape)
            z = add_custom.run_add_custom(x.npu(), y.npu())
            torch.testing.assert_close(z.cpu(), x + y, rtol=0, atol=0)


if __name__ == "__main__":
    run_tests()
