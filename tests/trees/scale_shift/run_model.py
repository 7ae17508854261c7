import os
import unittest
from typing import Any

import numpy as np
import torch
import torchair
from torchair import register_fx_node_ge_converter
from torchair.configs.compiler_config import CompilerConfig
from torchair.ge import Tensor, attr

torch.ops.load_library(os.path.join(os.path.dirname(os.path.abspath(__file__)), "out", "libascendc_ops.so"))


@register_fx_node_ge_converter(torch.ops.ascendc_ops.scale_shift.default)
def conveter_scale_shift(
    x: Tensor, alpha: float = 1.0, beta: float = 0.0, mode: str = "plain", *, meta_outputs: Any = None
):
    """NB: scale_shift(Tensor x, float alpha, float beta, str mode) -> Tensor"""
    return torchair.ge.custom_op(
        "ScaleShift",
        inputs={"x": x},
        outputs=["y"],
        attrs={
            "alpha": attr.Float(alpha),
            "beta": attr.Float(beta),
            "mode": attr.Str(mode),
            "pads": attr.ListInt([1, -1]),
            "inplace": attr.Bool(False),
        },
    )


def ref(x, alpha, beta, mode):
    y = x.float() * alpha + beta
    y = {"plain": lambda v: v, "relu": torch.relu, "abs": torch.abs}[mode](y)
    return y.round().to(x.dtype) if not x.is_floating_point() else y.to(x.dtype)


class Net(torch.nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.mode = mode
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        z = torch.ops.ascendc_ops.scale_shift(x, 2.0, beta=-0.5, mode=self.mode)
        return z, torch.ops.ascendc_ops.scale_shift(z * 2)


class T(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.npu.set_device(0)
        config = CompilerConfig()
        config.debug.graph_dump.type = "pbtxt"
        config.debug.graph_dump.path = os.environ.get("TMPDIR", "/tmp")
        cls.backend = torchair.get_npu_backend(compiler_config=config)

    def check(self, x, mode, model):
        got = model(x.npu())
        self.assertEqual(got[0].device.type, "npu")
        want = ref(x, 2.0, -0.5, mode)
        np.testing.assert_allclose(got[0].cpu().float().numpy(), want.float().numpy(), rtol=1e-2, atol=1e-2)
        torch.testing.assert_close(got[1].cpu(), ref(want * 2, 1.0, 0.0, "plain"), rtol=1e-2, atol=1e-2)

    def test_dynamic(self):
        for mode in ("plain", "relu", "abs"):
            torch._dynamo.reset()
            model = torch.compile(Net(mode).npu(), backend=self.backend, dynamic=True, fullgraph=True)
            for n in (5, 64, 8191, 100003, 1):
                self.check(torch.randn(n, 3), mode, model)

    def test_dtypes(self):
        for dtype in (torch.float16, torch.bfloat16, torch.int32, torch.float32):
            torch._dynamo.reset()
            model = torch.compile(Net("relu").npu(), backend=self.backend, dynamic=False)
            x = (torch.randn(33, 65) * 10).to(dtype)
            self.check(x, "relu", model)

    def test_empty(self):
        model = torch.compile(Net("relu").npu(), backend="npu")
        assert model(torch.zeros(0, 4).npu())[0].shape == (0, 4)

    def test_unsupported(self):
        model = torch.compile(Net("relu").npu(), backend=self.backend)
        with self.assertRaisesRegex(Exception, "DT_INT64"):
            model(torch.zeros(4, dtype=torch.int64).npu())


if __name__ == "__main__":
    unittest.main(verbosity=2)
