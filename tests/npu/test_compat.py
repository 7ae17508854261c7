"""The vendor's import names: torch_npu, its testing helpers, profiler and transfer_to_npu, as a script sees them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import ferrata
from ferrata.npu.testing import common_utils
from ferrata.npu.testing.decorator import Dtypes, Formats, instantiate_tests
from ferrata.npu.testing.testcase import TestCase

pytestmark = pytest.mark.slow

COMPAT = Path(ferrata.__file__).parent / "compat"


def script(code: str, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(COMPAT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": path, **environ},
        capture_output=True,
        text=True,
    )


def output(code: str, **environ: str) -> str:
    done = script(code, **environ)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_torch_npu_registers_the_device_and_its_submodules() -> None:
    code = """
import torch, torch_npu
import torch_npu.npu, torch_npu.profiler, torch_npu.contrib, torch_npu.optim, torch_npu.utils, torch_npu.distributed
from torch_npu.testing.testcase import TestCase, run_tests
from torch_npu.testing.common_utils import create_common_tensor
from torch_npu.npu.amp import GradScaler
assert torch_npu.npu is torch.npu
import npugraph_ex
assert torch.npu.npugraph_ex is npugraph_ex and not hasattr(torch.npu, "no_such_thing")
tagged = torch_npu.npu_format_cast(torch.ones(1, device="npu"), 29)
assert torch_npu.get_npu_format(tagged) == torch_npu.Format.FRACTAL_NZ
torch.library.define("npu::made_here", "(Tensor x) -> Tensor")
torch.library.impl("npu::made_here", "PrivateUse1", lambda x: x + 1)
assert torch_npu.made_here(torch.ones(1, device="npu")).item() == 2
try:
    torch_npu.no_such_operator
except AttributeError as problem:
    assert "no_such_operator" in str(problem)
assert torch_npu.optim.NpuFusedAdam is torch.optim.Adam and torch_npu.hifloat8 == 290
print(torch_npu.__version__)
"""
    assert output(code).endswith("+ferrata")


@pytest.mark.slow
def test_autoload_is_off_unless_asked_for() -> None:
    code = "import torch; print(hasattr(torch, 'npu'))"
    assert output(code, FERRATA_AUTOLOAD="0") == "False" and output(code, FERRATA_AUTOLOAD="1") == "True"
    assert output(code, FERRATA_AUTOLOAD="1", TORCH_DEVICE_BACKEND_AUTOLOAD="0") == "False"


@pytest.mark.slow
def test_autoload_that_fails_warns_and_lets_torch_work() -> None:
    done = script("import torch; print(torch.ones(1).item())", FERRATA_AUTOLOAD="1", FERRATA_NPU_DEVICES="none")
    assert done.returncode == 0 and done.stdout.strip() == "1.0" and "could not load the npu device" in done.stderr


@pytest.mark.slow
def test_another_backend_in_the_place_is_a_clear_error() -> None:
    done = script("import torch; torch.utils.rename_privateuse1_backend('other'); import ferrata.npu")
    assert "DeviceNameTaken" in done.stderr and "'other'" in done.stderr


TRANSFER = """
import torch, torch_npu
from torch_npu.contrib import transfer_to_npu
import importlib; importlib.reload(transfer_to_npu)
x = torch.ones(2, device="cuda", dtype=torch.float64)
assert x.is_npu and x.is_cuda and x.dtype == torch.float64
assert torch.zeros(2).cuda().is_npu and torch.zeros(2).to("cuda:0").is_npu
assert x.new_ones(3, device=torch.device("cuda")).is_npu
layer = torch.nn.Linear(2, 2).cuda()
assert layer.weight.is_npu and torch.nn.Linear(2, 2).to("cuda").weight.is_npu
assert torch.cuda.is_available() and torch.cuda.device_count() == 1 and torch.cuda.current_device() == 0
assert torch.cuda.memory_allocated() > 0 and torch.cuda.current_stream() == torch.npu.current_stream()
torch.cuda.synchronize(); torch.cuda.manual_seed(1); torch.cuda.empty_cache()
g = torch.Generator(device="cuda")
assert g.device.type == "npu" and isinstance(g, torch.Generator) and torch.rand(2, device="cuda", generator=g).is_npu
with torch.autocast("cuda", dtype=torch.bfloat16):
    assert layer(torch.ones(1, 2).cuda()).dtype == torch.bfloat16
with torch.cuda.amp.autocast():
    assert (torch.ones(2, 2).cuda() @ torch.ones(2, 2).cuda()).dtype == torch.float16
s = torch.cuda.Stream()
with torch.cuda.stream(s): torch.ones(1, device="cuda")
e = torch.cuda.Event(enable_timing=True); e.record()
print("ok")
"""


def test_transfer_to_npu() -> None:
    assert output(TRANSFER) == "ok"


@pytest.mark.slow
def test_transfer_by_environment() -> None:
    code = "import torch, torch_npu; print(torch.ones(1).cuda().device)"
    assert output(code, TORCH_TRANSFER_TO_NPU="1") == "npu:0"
    assert "TORCH_TRANSFER_TO_NPU" in script(code, TORCH_TRANSFER_TO_NPU="yes").stderr


RUN = """
import sys, torch
from torch_npu.testing.testcase import TestCase, run_tests
class Test(TestCase):
    def test_add(self):
        x = torch.ones(3, device="npu")
        self.assertRtolEqual((x + 1).cpu().numpy(), (x.cpu() + 1).numpy())
    {extra}
if __name__ == "__main__":
    run_tests()
"""


@pytest.mark.slow
def test_run_tests_reports_and_sets_the_exit_code() -> None:
    good = script(RUN.format(extra=""))
    assert good.returncode == 0 and "Ran 1 test" in good.stderr and "OK" in good.stderr
    bad = script(RUN.format(extra="def test_bad(self): self.assertRtolEqual(1.0, 2.0)"))
    assert bad.returncode == 1 and "FAILED (failures=1)" in bad.stderr


class Case(TestCase):
    def runTest(self) -> None: ...


@pytest.mark.parametrize(
    "x, y, fits",
    [
        (np.float32([1, 2]), np.float32([1, 2]), True),
        (torch.ones(3), torch.ones(3) + 5e-5, True),
        (torch.ones(3), torch.ones(3) + 5e-3, False),
        (torch.ones(3).half(), torch.ones(3).half() + 9e-4, True),
        (torch.ones(3).bfloat16(), torch.ones(3).bfloat16() * 1.2, False),
        (torch.ones(3), torch.ones(4), False),
        (torch.ones(3), torch.ones(3).double(), False),
        (torch.tensor([1, 2]), torch.tensor([1, 3]), False),
        (1.0, 1.0, True),
        ([torch.ones(1), 2], [torch.ones(1), 2], True),
        (torch.tensor([float("nan"), float("inf")]), torch.tensor([float("nan"), float("inf")]), True),
        (torch.tensor([float("nan")]), torch.tensor([1.0]), False),
        (torch.empty(0), torch.empty(0), True),
    ],
)
def test_assert_rtol_equal(x: object, y: object, fits: bool) -> None:
    if fits:
        Case().assertRtolEqual(x, y)
    else:
        with pytest.raises(AssertionError):
            Case().assertRtolEqual(x, y)


def test_a_failed_comparison_names_the_elements() -> None:
    with pytest.raises(AssertionError, match=r"1 of 4 elements differ:\n  at \(1, 0\): 2.0 and 3.0"):
        Case().assertRtolEqual(torch.tensor([[1.0, 1.0], [2.0, 1.0]]), torch.tensor([[1.0, 1.0], [3.0, 1.0]]))


def test_assert_rtol_equal_tolerates_a_share_of_the_elements() -> None:
    x = torch.ones(100_000)
    y = x.clone()
    y[:10] = 2  # 1e-4 of the elements
    Case().assertRtolEqual(x, y)
    y[:11] = 2
    with pytest.raises(AssertionError):
        Case().assertRtolEqual(x, y)


def test_assert_equal_works_across_devices() -> None:
    case = Case()
    case.assertEqual(torch.ones(2, device="npu"), torch.ones(2))
    case.assertEqual({"a": [1.0, torch.ones(1)]}, {"a": [1.0, torch.ones(1).npu()]})
    case.assertEqual(1.0, 1.000001)
    case.assertNotEqual(torch.ones(2), torch.zeros(2))
    case.assertAlmostEqual(1.0, 1.00000001)
    with pytest.raises(AssertionError):
        case.assertEqual(torch.ones(2), torch.ones(2) + 1e-3)


def test_inputs_for_tests() -> None:
    cpu, npu = common_utils.create_common_tensor([np.float16, 29, (2, 3)], -1, 1)
    assert cpu.dtype == torch.float16 and npu.device.type == "npu" and torch.equal(npu.cpu(), cpu)
    cpu, npu = common_utils.create_dtype_tensor((4, 5), torch.int32, min_value=0, max_value=1, no_zero=True)
    assert bool((cpu == 1).all()) and torch.equal(npu.cpu(), cpu)
    common_utils.test_2args_broadcast(torch.add)
    with common_utils.freeze_rng_state():
        first = torch.rand(2, device="npu")
    assert torch.equal(torch.rand(2, device="npu"), first)


def test_decorators_expand_and_skip() -> None:
    @instantiate_tests
    class Expanded:
        @Dtypes(torch.float16, torch.int32)
        @Formats(2, 29)
        def test_x(self, dtype: torch.dtype, npu_format: int) -> tuple[torch.dtype, int]:
            return dtype, npu_format

    names = sorted(name for name in vars(Expanded) if name.startswith("test"))
    assert names == ["test_x_float16_2", "test_x_float16_29", "test_x_int32_2", "test_x_int32_29"]
    assert Expanded().test_x_int32_29() == (torch.int32, 29)  # type: ignore[attr-defined]
    import unittest

    with pytest.raises(unittest.SkipTest):
        common_utils.SupportedDevices(["Ascend310P3"])(lambda: None)()
    assert common_utils.SupportedDevices(["Ascend910B"])(lambda: 1)() == 1
    with pytest.raises(unittest.SkipTest):
        common_utils.SkipIfNotGteCANNVersion("99.1")(lambda: None)()


def test_profiler_records_on_the_host(tmp_path: Path) -> None:
    from ferrata.npu import profiler

    schedule = profiler.schedule(wait=0, warmup=1, active=1, repeat=1)
    with profiler.profile(
        activities=[profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.NPU],
        schedule=schedule,
        on_trace_ready=profiler.tensorboard_trace_handler(str(tmp_path)),
        experimental_config=profiler._ExperimentalConfig(profiler_level=profiler.ProfilerLevel.Level1),
    ) as prof:
        for _ in range(2):
            torch.ones(4, device="npu") + 1
            prof.step()
    assert list(tmp_path.glob("*.json*")) and any("aten::add" in event.key for event in prof.key_averages())
    with pytest.raises(ValueError, match="ProfilerActivity"):
        profiler.profile(activities=["npu"])


def test_a_fused_operator_that_other_packages_import_says_what_to_use() -> None:
    done = script("from torch_npu import npu_fusion_attention; npu_fusion_attention(None, None, None, 1, 'BSND')")
    assert done.returncode != 0
    assert "NotOnEmulator" in done.stderr and "scaled_dot_product_attention" in done.stderr


def test_a_fused_operator_that_nothing_brings_is_not_implemented() -> None:
    code = (
        "import torch, torch_npu; assert not hasattr(torch_npu, 'npu_rms_norm')\n"
        "try: torch_npu.npu_rms_norm(torch.ones(2), torch.ones(2))\n"
        "except NotImplementedError as error: print(type(error).__name__, error)\n"
        "lib = torch.library.Library('npu', 'FRAGMENT'); lib.define('npu_rms_norm(Tensor x, Tensor y) -> Tensor')\n"
        "lib.impl('npu_rms_norm', lambda x, y: x + y, 'CPU')\n"
        "print(torch_npu.npu_rms_norm(torch.ones(2), torch.ones(2)).tolist())"
    )
    lines = output(code).splitlines()
    assert lines[0].startswith("OperatorAbsent torch_npu.npu_rms_norm is not available") and lines[-1] == "[2.0, 2.0]"


def test_transformers_runs_beside_torch_npu() -> None:
    code = (
        "import torch_npu, transformers as t;"
        "m = t.LlamaModel(t.LlamaConfig(hidden_size=32, intermediate_size=32, num_hidden_layers=1,"
        " num_attention_heads=2, vocab_size=16)).npu();"
        "import torch; print(m(torch.tensor([[1, 2, 3]]).npu()).last_hidden_state.shape)"
    )
    done = script(code, HF_HUB_OFFLINE="1")
    assert done.stdout.strip() == "torch.Size([1, 3, 32])", done.stderr


def test_npugraph_ex_imports_under_the_device() -> None:
    code = (
        "import torch, torch_npu, npugraph_ex, torch.npu.npugraph_ex, torch_npu.npu.npugraph_ex as other;"
        "from torch.npu.npugraph_ex.inference import readable_cache;"
        "assert other is npugraph_ex is torch.npu.npugraph_ex; print('fine')"
    )
    done = script(code)
    assert done.stdout == "fine\n", done.stderr


def test_markers_are_called_on_the_class_and_ranges_have_numbers_of_their_own() -> None:
    code = (
        "import torch, torch_npu; m = torch_npu.npu.mstx; a, b = m.range_start('a'), m.range_start('b');"
        "m.range_end(a); c = m.range_start('c', None); assert len({a, b, c}) == 3;"
        "m.range_end(b); m.range_end(c); m.mark('d'); torch.npu.mstx().mark('e'); print('fine')"
    )
    done = script(code)
    assert done.stdout == "fine\n", done.stderr
