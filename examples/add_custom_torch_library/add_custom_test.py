"""The eager operator against torch.add: several lengths, a tail, an empty tensor."""

import os

import torch
import torch_npu  # noqa: F401
from torch_npu.testing.testcase import TestCase, run_tests

torch.ops.load_library(os.environ.get("ASCENDC_OPS_LIB", "./libascendc_ops.so"))


class TestAddCustom(TestCase):
    def test_eager_equals_torch_add(self):
        for shape in [(8, 2048), (1,), (0,), (3, 5, 7), (40000,)]:
            x, y = torch.rand(shape), torch.rand(shape)
            z = torch.ops.ascendc_eager.ascendc_add(x.npu(), y.npu())
            torch.testing.assert_close(z.cpu(), x + y, rtol=0, atol=0)


if __name__ == "__main__":
    run_tests()
