"""AddCustom through torch.compile: the converter, and a test of the compiled model against torch.add."""

import os

import torch
import torch_npu  # noqa: F401  (registers the npu device)
import torchair
from torch_npu.testing.testcase import TestCase, run_tests
from torchair.ge import Tensor

LIB_PATH = os.environ.get("ASCENDC_OPS_LIB", "./libascendc_ops.so")
torch.ops.load_library(LIB_PATH)


@torchair.register_fx_node_ge_converter(torch.ops.ascendc_ops.ascendc_add.default)
def convert_ascendc_add(x: Tensor, y: Tensor, z: Tensor = None, meta_outputs=None):
    return torchair.ge.custom_op("AddCustom", inputs={"x": x, "y": y}, outputs=["z"])


class AddCustomModel(torch.nn.Module):
    def forward(self, x, y):
        return torch.ops.ascendc_ops.ascendc_add(x, y)


class TestAddCustom(TestCase):
    def test_graph_equals_torch_add(self):
        torch.manual_seed(0)
        x, y = torch.rand(8, 2048), torch.rand(8, 2048)
        backend = torchair.get_npu_backend(compiler_config=torchair.CompilerConfig())
        model = torch.compile(AddCustomModel().npu(), fullgraph=True, backend=backend, dynamic=False)
        output = model(x.npu(), y.npu())
        torch.testing.assert_close(output.cpu(), torch.add(x, y), rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    run_tests()
