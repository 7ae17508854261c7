import torch
import torchair as tng
import torchair.ge as ge
from torch_npu.testing.common_utils import SupportedDevices, create_common_tensor
from torch_npu.testing.testcase import TestCase, run_tests
from torchair.ge import attr

torch.classes.load_library("build/libascendc_ops.so")
ops = torch.ops.ascendc_ops


@tng.register_fx_node_ge_converter(ops.row_norm.default)
def convert_row_norm(x: ge.Tensor, gamma=None, *, eps=1e-6, meta_outputs=None):
    y, rstd = ge.custom_op(
        "RowNorm", inputs={"x": x, "gamma": gamma}, outputs=["y", "rstd"], attrs={"eps": attr.Float(eps)}
    )
    return y, rstd


@tng.register_fx_node_ge_converter(ops.accumulate_.default)
def convert_accumulate(x: ge.Tensor, delta: ge.Tensor, meta_outputs=None):
    ge.custom_op("AccumulateCustom", inputs={"x": x, "delta": delta}, outputs=["x"], attrs={"log": attr.Bool(True)})


class Model(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gamma = torch.nn.Parameter(torch.linspace(0.5, 1.5, n))
        self.register_buffer("acc", torch.zeros(n))

    def forward(self, x):
        a, ra = ops.row_norm(x, self.gamma, eps=1e-5)
        b, rb = ops.row_norm(x)
        ops.accumulate_(self.acc, a[0])
        return a + b, ra, rb, self.acc.clone()


def reference(x, gamma, eps):
    r = torch.rsqrt((x * x).mean(-1) + eps)
    y = x * r.unsqueeze(-1)
    return (y if gamma is None else y * gamma), r


class TestOps(TestCase):
    @torch.inference_mode()
    def run_model(self, dynamic):
        torch._dynamo.reset()
        config = tng.CompilerConfig()
        config.experimental_config.keep_inference_input_mutations = True
        npu_backend = tng.get_npu_backend(compiler_config=config)
        model = Model(77).npu()
        compiled = torch.compile(model, backend=npu_backend, dynamic=dynamic, fullgraph=True)
        acc = torch.zeros(77)
        for rows in (3, 3, 129):
            x = torch.randn(rows, 77)
            got = [t.cpu() for t in compiled(x.npu())]
            a, ra = reference(x, model.gamma.cpu(), 1e-5)
            b, rb = reference(x, None, 1e-6)
            acc += a[0]
            for g, w in zip(got, (a + b, ra, rb, acc), strict=False):
                self.assertRtolEqual(g, w.detach())
        torch.npu.synchronize()
        self.assertRtolEqual(model.acc.cpu().numpy(), acc.detach().numpy())

    def test_static(self):
        self.run_model(False)

    def test_dynamic(self):
        self.run_model(True)

    @SupportedDevices(["Ascend910B", "Ascend950"])
    def test_common(self):
        cpu, npu = create_common_tensor(["float32", 2, (4, 77)], -1, 1)
        f = torch.compile(lambda x: ops.row_norm(x)[0], backend="npu")
        self.assertRtolEqual(f(npu).cpu(), reference(cpu, None, 1e-6)[0])


if __name__ == "__main__":
    run_tests()
