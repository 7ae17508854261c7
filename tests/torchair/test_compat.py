"""The vendor's import names: everything that existing programs import is there and is the same object."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ferrata

pytestmark = pytest.mark.slow

COMPAT = Path(ferrata.__file__).parent / "compat"

PROGRAM = """
import warnings
import torchair
from torchair import CompilerConfig, get_compiler, get_npu_backend, dynamo_export, logger
from torchair import patch_for_hcom, register_replacement
from torchair import use_internal_format_weight, npu_format_cast_via_cpu, register_fx_node_ge_converter as register
from torchair.ge import Cast, Clone, Const, DataType, Format, Tensor, TensorSpec, attr, custom_op
from torchair.ge._ge_graph import Tensor as same_tensor
from torchair.configs.compiler_config import CompilerConfig as same_config
from torchair.core.utils import logger as same_logger
from torchair._ge_concrete_graph import ge_apis
from torchair._ge_concrete_graph.fx2ge_converter import declare_supported, register_fx_node_ge_converter
from torchair._ge_concrete_graph.supported_declaration import F32, I64, Support
from torchair.inference import cache_compile, readable_cache, set_dim_gears
import torchair.scope, torchair.ops, torchair.tools, torchair.llm_datadist
import torchair.tools.gegraph_check.deadlock_check
from torchair.tools.gegraph_check.align_trace import align_trace_json
from torchair.tools.gegraph_check import filter_operators
import npugraph_ex
from npugraph_ex import compile_fx

assert same_tensor is Tensor and same_config is CompilerConfig and same_logger is logger
assert register is register_fx_node_ge_converter and torchair.ge.Tensor is Tensor
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    from torchair.ge_concrete_graph import ge_apis as old
assert old is ge_apis and len(told) == 1
assert npugraph_ex.CompilerConfig().mode == "npugraph_ex"

from ferrata.ge import GraphBuilder, Desc
with GraphBuilder() as g:
    x = Tensor(g, g.data("x", Desc(0, (2,))))
    half = ge_apis.Cast(x, dst_type=1, dependencies=[x], node_name="half")
    assert half.node.name == "half" and half.dtype == 1 and half.node.controls == ("x",)
    try:
        ge_apis.Cast(x, dst_typ=1)
    except AssertionError as error:
        assert "Did you mean 'dst_type'" in str(error)
    else:
        raise SystemExit("no error")
print("fine")
"""


def test_names_of_the_vendor_import_and_agree() -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(COMPAT), "PATH": ""},
        check=False,
    )
    assert result.stdout.endswith("fine\n"), result.stderr


def test_the_names_are_absent_unless_asked_for() -> None:
    result = subprocess.run(
        [sys.executable, "-c", "import ferrata.torchair, importlib.util as u; print(u.find_spec('torchair'))"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.stdout == "None\n", result.stderr
