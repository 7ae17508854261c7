"""Projects that are wrong: each mistake has an error of its own that names the user's file."""

from __future__ import annotations

import ctypes
import shutil
from pathlib import Path

import pytest
import torch

from ferrata import asc, errors
from ferrata.op import Project, load_project

pytestmark = pytest.mark.slow
STEP = Path(__file__).parent / "projects" / "step"


def made(tmp_path: Path, name: str, host: dict[str, str] | None = None, kernel: dict[str, str] | None = None) -> Path:
    """A copy of the smallest project under another operator type, with replacements in its two files."""
    root = tmp_path / name
    shutil.copytree(STEP, root)
    lower = name.lower()
    for folder, changes in (("op_host", host), ("op_kernel", kernel)):
        file = next((root / folder).glob("*.cpp"))
        text = file.read_text()
        for old, new in (changes or {}).items():
            assert old in text, old
            text = text.replace(old, new)
        file.write_text(text.replace("StepOne", name).replace("step_one", lower))
        file.rename(file.with_name(f"{lower}.cpp"))
    return root


def call(root: Path, size: int = 3) -> torch.Tensor:
    project: Project = load_project(root)
    result: torch.Tensor = project(torch.zeros(size))
    return result


def test_a_folder_without_op_host(tmp_path: Path) -> None:
    with pytest.raises(errors.NotAProject, match="no folder op_host"):
        load_project(tmp_path)
    with pytest.raises(errors.NotAProject, match="no such folder"):
        load_project(tmp_path / "nothing")


def test_no_operator_is_registered(tmp_path: Path) -> None:
    root = made(tmp_path, "Unadded", {"OP_ADD(StepOne);": ""})
    with pytest.raises(errors.NoOpDef, match=r"(?s)Class Unadded at .*unadded.cpp:\d+ derives from OpDef"):
        load_project(root)


def test_the_kernel_has_another_name(tmp_path: Path) -> None:
    root = made(tmp_path, "Misnamed", kernel={"void step_one": "void misnamd"})
    with pytest.raises(errors.KernelEntryMissing, match="Did you mean 'misnamd'"):
        load_project(root)


def test_the_kernel_takes_too_few_parameters(tmp_path: Path) -> None:
    root = made(tmp_path, "Fewer", kernel={"GM_ADDR workspace, ": ""})
    with pytest.raises(
        errors.KernelParameters, match=r"fewer.cpp:3.*has 3 parameters.*needs 4: x, z, workspace, tiling"
    ):
        load_project(root)


def test_host_code_that_does_not_compile(tmp_path: Path) -> None:
    root = made(tmp_path, "Broken", {"tiling.set_count": "tiling.set_cuont"})
    with pytest.raises(errors.CompileError, match=r"(?s)broken.cpp.*set_cuont"):
        load_project(root)


def test_a_kernel_that_does_not_compile(tmp_path: Path) -> None:
    root = made(tmp_path, "Brokenkernel", kernel={"t.count": "t.cuont"})
    with pytest.raises(errors.CompileError, match=r"(?s)brokenkernel.cpp:9.*cuont"):
        call(root)


def test_no_shape_inference(tmp_path: Path) -> None:
    with pytest.raises(errors.NoInferShape, match="SetInferShape"):
        call(made(tmp_path, "Noshape", {"this->SetInferShape(InferShape);": ""}))


def test_shape_inference_fails(tmp_path: Path) -> None:
    change = {"  *context->GetOutputShape(0) = *context->GetInputShape(0);\n  return ge::GRAPH_SUCCESS;":
              '  (void)context;\n  printf("shapes differ\\n");\n  return ge::GRAPH_FAILED;'}  # fmt: skip
    with pytest.raises(errors.InferShapeFailed, match=r"(?s)Badshape.*shapes differ"):
        call(made(tmp_path, "Badshape", change))


def test_no_tiling_function(tmp_path: Path) -> None:
    with pytest.raises(errors.NoTilingFunction):
        call(made(tmp_path, "Notiling", {"this->AICore().SetTiling(optiling::StepTilingFunc);": ""}))


@pytest.mark.parametrize("text", ["context->SetBlockDim(0);", ""])
def test_no_blocks(tmp_path: Path, text: str) -> None:
    name = "Zeroblocks" if text else "Unsetblocks"
    with pytest.raises(errors.BlockDimUnset, match=rf"{name.lower()}.cpp:11"):
        call(made(tmp_path, name, {"context->SetBlockDim(1);": text}))


def test_tiling_data_beyond_the_buffer(tmp_path: Path) -> None:
    field = "TILING_DATA_FIELD_DEF(uint32_t, count);"
    change = {field: field + "\nTILING_DATA_FIELD_DEF_ARR(uint32_t, 600, more);"}
    with pytest.raises(errors.TilingDataTooLarge, match="2408 bytes, the buffer 2048"):
        call(made(tmp_path, "Toolarge", change))


def test_a_tiling_key_without_a_branch(tmp_path: Path) -> None:
    with pytest.raises(errors.TilingKeyNotTaken, match="tiling key 7"):
        call(made(tmp_path, "Keyless", {"SetTilingKey(1)": "SetTilingKey(7)"}))


def test_a_tiling_function_that_throws(tmp_path: Path) -> None:
    change = {"  StepTiling tiling;\n": '  StepTiling tiling;\n  if (context != nullptr)\n    throw std::runtime_error("no plan");\n',
              "#include <cstdio>": "#include <stdexcept>"}  # fmt: skip
    with pytest.raises(errors.TilingFailed, match="threw: no plan"):
        call(made(tmp_path, "Throwsplan", change))


def test_a_kernel_fault_names_the_kernels_line(tmp_path: Path) -> None:
    root = made(tmp_path, "Beyond", kernel={"in.GetValue(i)": "in.GetValue(i + 100000000)"})
    with pytest.raises(errors.OutOfBounds, match=r"beyond.cpp:10"):
        call(root)


def test_the_workspace_ends_where_the_tiling_function_said(tmp_path: Path) -> None:
    use = "more.SetGlobalBuffer((__gm__ float *)GetUserWorkspace(workspace));\n  more.SetValue(5000, 1.0f);"
    kernel = {"GlobalTensor<float> in, out;": f"GlobalTensor<float> in, out, more;\n  {use}"}
    with pytest.raises(errors.OutOfBounds):
        call(made(tmp_path, "Nospace", kernel=kernel))
    host = {
        "context->SetBlockDim(1);": "context->SetBlockDim(1);\n  context->GetWorkspaceSizes(1)[0] = (16 << 20) + 20004;"
    }
    assert call(made(tmp_path, "Space", host, kernel)).tolist() == [1.0] * 3


def test_faults_in_a_compiled_graph_keep_their_class(tmp_path: Path) -> None:
    from ferrata import get_npu_backend

    project = load_project(made(tmp_path, "Keylessgraph", {"SetTilingKey(1)": "SetTilingKey(9)"}))
    operator = next(iter(project))
    model = torch.compile(lambda x: operator.op(x) + 1, backend=get_npu_backend(), fullgraph=True)
    with pytest.raises(errors.TilingKeyNotTaken, match="tiling key 9"):
        model(torch.zeros(3).to("npu"))


def test_shapes_that_need_values_work_eagerly_and_say_why_they_cannot_be_traced(tmp_path: Path) -> None:
    host = {
        'this->Output("z")': 'this->Input("n").DataType({ge::DT_INT64}).ValueDepend(REQUIRED);\n    this->Output("z")',
        "  *context->GetOutputShape(0) = *context->GetInputShape(0);": "  context->GetOutputShape(0)->SetDimNum(1);\n"
        "  context->GetOutputShape(0)->SetDim(0, *context->GetInputTensor(1)->GetData<int64_t>());",
        "context->GetInputShape(0)->GetStorageShape()": "context->GetOutputShape(0)->GetStorageShape()",
    }
    operator = next(iter(load_project(made(tmp_path, "Firstn", host, {"GM_ADDR x, ": "GM_ADDR x, GM_ADDR n, "}))))
    x = torch.arange(5.0)
    assert operator(x, torch.tensor([3])).tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(errors.ShapeNotInferred, match="reads the values of n"):
        operator(x.to("meta"), torch.tensor([3], device="meta"))


def test_a_kernel_that_computes_a_shape_needs_the_parameter_for_it(tmp_path: Path) -> None:
    host = {'this->Output("z")': 'this->Output("z").OutputShapeDependOnCompute()'}
    with pytest.raises(errors.KernelParameters, match=r"needs 5: x, z, shape_out, workspace, tiling"):
        load_project(made(tmp_path, "Nonzerolike", host))


def test_a_type_that_a_class_of_another_library_implements_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "taken.asc"
    source.write_text(
        '#include "graph/custom_op.h"\n#include "graph/operator_reg.h"\nnamespace ge {\n'
        "class Takentype : public EagerExecuteOp {\npublic:\n"
        "  graphStatus Execute(gert::EagerOpExecutionContext*) override { return GRAPH_FAILED; }\n};\n"
        "REG_OP(Takentype).INPUT(x, TensorType({DT_FLOAT})).OUTPUT(y, TensorType({DT_FLOAT})).OP_END_FACTORY_REG(Takentype);\n"
        "REG_AUTO_MAPPING_OP(Takentype);\n} // namespace ge\n"
    )
    ctypes.CDLL(str(asc.compile(source, options=["-lgert"])))
    with pytest.raises(errors.DuplicateOperator, match=r"(?s)Takentype.*class and project"):
        load_project(made(tmp_path, "Takentype"))
    assert call(made(tmp_path, "Nottaken")).shape == (3,)


def test_a_name_that_no_call_can_stand_for_is_compiled_plainly(tmp_path: Path) -> None:
    """`using ge::GRAPH_FAILED;` is no expression: such a source does without the places of failures."""
    first = next((STEP / "op_host").glob("*.cpp")).read_text()
    include = next(line for line in first.splitlines() if line.startswith("#include"))
    root = made(tmp_path, "Stepusing", {include: include + "\nusing ge::GRAPH_FAILED;"})
    assert call(root).shape == (3,)
