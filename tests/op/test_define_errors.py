"""What a definition with `@fe.op` is refused for: the class, the line, the caret, what to write instead."""

from __future__ import annotations

import itertools
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from ferrata import errors

_HEAD = """\
import torch
import ferrata as fe
from ferrata.lang import elements as ac
from tests.op.pretend import kernel

T = ac.dtype_var("T", ac.f16, ac.f32)
U = ac.dtype_var("U", ac.f16, ac.f32)

@kernel("x: T, z: T!", T)
def copy_kernel(x, z):
    z.copy_(x)

@kernel("x: T!", T)
def fill_kernel(x):
    x.fill_(1)

"""
_numbers = itertools.count()


@pytest.fixture
def define(tmp_path: Path) -> Iterator[Any]:
    """Run a module with a definition; OP stands for a fresh name. Gives the module's names."""
    made: list[str] = []

    def run(text: str, future: bool = False) -> dict[str, Any]:
        number = next(_numbers)
        name = f"module_{number}"
        file = tmp_path / f"{name}.py"
        head = "from __future__ import annotations\n" if future else ""
        body = textwrap.dedent(text).replace("OP", f'"refused::op{number}", ge="Refused{number}"')
        file.write_text(head + _HEAD + body)
        names: dict[str, Any] = {"__name__": name, "__file__": str(file)}
        sys.modules[name] = type(sys)(name)
        made.append(name)
        exec(compile(file.read_text(), str(file), "exec"), names)
        return names

    yield run
    for name in made:
        sys.modules.pop(name, None)


def _caret(error: BaseException) -> str:
    """What the caret of an error points at."""
    lines = str(error).splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip() and not line.strip().strip("^~"))
    start = lines[at].index("^")
    return lines[at - 1][start : len(lines[at])]


SIGNATURES = [
    ("def f(x) -> fe.Tensor[T, ...]: ...", errors.AnnotationMissing, "parameter 'x'", "x"),
    (
        "def f(x: fe.Tensor[T, ...]): ...",
        errors.AnnotationMissing,
        "the result of operator",
        "def f(x: fe.Tensor[T, ...]): ...",
    ),
    (
        "def f(x: torch.Tensor) -> fe.Tensor[T, ...]: ...",
        errors.UnknownAnnotation,
        "it does not say the element type and the dimensions",
        "torch.Tensor",
    ),
    (
        "def f(x: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]: return x * 2",
        errors.BodyIsIgnored,
        "Leave a docstring only",
        "return x * 2",
    ),
    (
        "def f(x: fe.Tensor[T, ...], y: complex) -> fe.Tensor[T, ...]: ...",
        errors.UnknownAnnotation,
        "complex is no annotation of parameter 'y'",
        "complex",
    ),
    (
        "def f(x: fe.Tensor[T, ...], y: list[str]) -> fe.Tensor[T, ...]: ...",
        errors.UnknownAnnotation,
        "list[str]",
        "list[str]",
    ),
    (
        "def f(x: fe.Tensor[torch.float32, ...]) -> fe.Tensor[T, ...]: ...",
        errors.UnknownAnnotation,
        "an element type, not torch.float32",
        "fe.Tensor[torch.float32, ...]",
    ),
    (
        "def f(x: fe.Tensor[T, ...] | int) -> fe.Tensor[T, ...]: ...",
        errors.UnknownAnnotation,
        "only None may stand",
        "fe.Tensor[T, ...] | int",
    ),
    ("def f(x: fe.Mut[int]) -> None: ...", errors.UnknownAnnotation, "fe.Mut[...] takes", "fe.Mut[int]"),
    (
        "def f(x: list[fe.Tensor[T, ...]] | None) -> None: ...",
        errors.UnknownAnnotation,
        "",
        "list[fe.Tensor[T, ...]] | None",
    ),
    ('def f(x: fe.Tensor[T, "n/2"]) -> fe.Tensor[T, ...]: ...', errors.BadDimension, "write // or ceil_div", '"n/2"'),
    (
        'def f(x: fe.Tensor[T, "n"]) -> fe.Tensor[T, "n**2"]: ...',
        errors.BadDimension,
        "'n ** 2' is not part of a size",
        '"n**2"',
    ),
    (
        'def f(x: fe.Tensor[T, "n <= 3"]) -> fe.Tensor[T, "n"]: ...',
        errors.BadDimension,
        "only an output can have this",
        '"n <= 3"',
    ),
    (
        "def f(x: fe.Tensor[T, -1]) -> fe.Tensor[T, ...]: ...",
        errors.BadDimension,
        "it is no number, no name",
        "fe.Tensor[T, -1]",
    ),
    (
        'def f(x: fe.Tensor[T, ..., "*a"]) -> fe.Tensor[T, ...]: ...',
        errors.BadDimension,
        "only one group",
        'fe.Tensor[T, ..., "*a"]',
    ),
    (
        "def f(x: fe.Tensor[T, ...], a: int = True) -> fe.Tensor[T, ...]: ...",
        errors.BadAttributeDefault,
        "attribute 'a' is declared int and its default True is not one",
        "True",
    ),
    (
        "def f(x: fe.Tensor[T, ...], a: list[int] = (1, 2.5)) -> fe.Tensor[T, ...]: ...",
        errors.BadAttributeDefault,
        "",
        "(1, 2.5)",
    ),
    (
        "def f(x: fe.Tensor[T, ...], a: float = None) -> fe.Tensor[T, ...]: ...",
        errors.BadAttributeDefault,
        "always has a value",
        "None",
    ),
    (
        "def f(a: int, x: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]: ...",
        errors.ParameterOrder,
        "tensors come first",
        "x: fe.Tensor[T, ...]",
    ),
    ("def f(*xs: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]: ...", errors.ParameterOrder, "fixed signature", ""),
    (
        "def f(*, x: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]: ...",
        errors.ParameterOrder,
        "must be positional",
        "x: fe.Tensor[T, ...]",
    ),
    (
        "def f(x: fe.Tensor[T, ...] = None) -> fe.Tensor[T, ...]: ...",
        errors.ParameterOrder,
        "| None = None",
        "x: fe.Tensor[T, ...]",
    ),
    (
        "def f(a: int) -> fe.Tensor[ac.f32, 4]: ...",
        errors.ParameterOrder,
        "has no tensor",
        "def f(a: int) -> fe.Tensor[ac.f32, 4]: ...",
    ),
    ("def f(x: fe.Mut[fe.Tensor[T, ...]], mode: str) -> None: ...", errors.ParameterOrder, "rename it", "mode: str"),
    (
        "def f(x: fe.Tensor[T, ...]) -> fe.Tensor[U, ...]: ...",
        errors.UnboundDtype,
        "has the element type U",
        "fe.Tensor[U, ...]",
    ),
    (
        "def f(x: fe.Tensor[T, ...], y: fe.Tensor[U, ...] | None) -> fe.Tensor[U, ...]: ...",
        errors.UnboundDtype,
        "",
        "fe.Tensor[U, ...]",
    ),
    (
        "def f(x: fe.Tensor[T, ...]) -> fe.Mut[fe.Tensor[T, ...]]: ...",
        errors.OutputAliasesInput,
        "An output is always new memory",
        "fe.Mut[fe.Tensor[T, ...]]",
    ),
    ("def f(x: fe.Tensor[T, ...]) -> None: ...", errors.UnknownAnnotation, "the operator would do nothing", "None"),
    (
        "def f(x: fe.Tensor[T, ...]) -> list[fe.Tensor[T, ...]]: ...",
        errors.UnknownAnnotation,
        "does not say how many",
        "list[fe.Tensor[T, ...]]",
    ),
    ("def f(x: fe.Tensor[T, ...]) -> int: ...", errors.UnknownAnnotation, "a result is a tensor", "int"),
]


@pytest.mark.parametrize("future", [False, True])
@pytest.mark.parametrize(("text", "error", "says", "under"), SIGNATURES)
def test_a_signature_that_cannot_be(
    define: Any, text: str, error: type[errors.OperatorError], says: str, under: str, future: bool
) -> None:
    with pytest.raises(error) as caught:
        define(f"@fe.op(OP)\n{text}\n", future)
    assert type(caught.value) is error
    assert says in str(caught.value)
    line = _HEAD.count("\n") + 2 + future
    assert f".py:{line}:" in str(caught.value).splitlines()[0]
    if under:
        assert _caret(caught.value) == under


def test_an_annotation_in_a_string_that_does_not_evaluate(define: Any) -> None:
    with pytest.raises(errors.UnknownAnnotation, match="NameError: name 'Nothing' is not defined") as caught:
        define("@fe.op(OP)\ndef f(x: fe.Tensor[T, ...], y: Nothing) -> fe.Tensor[T, ...]: ...", future=True)
    assert _caret(caught.value) == "Nothing"


def test_the_caret_on_a_later_line_and_behind_wide_letters(define: Any) -> None:
    with pytest.raises(errors.BadDimension) as caught:
        define(
            """
            if True:
                @fe.op(OP)
                def f(
                    x: fe.Tensor[T, "n"],
                    größe: fe.Tensor[T, "n", "n//"],
                ) -> fe.Tensor[T, "n"]: ...
            """
        )
    assert _caret(caught.value) == '"n//"'


@pytest.mark.parametrize("name", ["add", "a::b::c", "my-lib::add", "", "::add", 3])
def test_a_name_that_is_none(define: Any, name: Any) -> None:
    with pytest.raises(errors.BadOperatorName, match='Write a namespace and a name: "mylib::add"'):
        define(f"@fe.op({name!r})\ndef f(x: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]: ...")


def test_two_operators_of_one_name(define: Any) -> None:
    one = "@fe.op('refused::twice')\ndef f(x: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]: ...\n"
    with pytest.raises(
        errors.OperatorExists, match=r"there is an operator refused::twice already, defined at .*\.py:\d+"
    ):
        define(one + one.replace("def f", "def g"))
    with pytest.raises(errors.OperatorExists, match="defined at another library"):
        define("@fe.op('aten::add')\ndef f(x: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]: ...")


def test_a_ge_type_that_exists(define: Any) -> None:
    with pytest.raises(errors.GeTypeTaken, match=r'Choose another: @fe.op\(.*, ge="TensorMoveCustom"\)'):
        define(
            """
            @fe.op("refused::tensor_move")
            def f(x: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]: ...
            @f.plan
            def _(x, z): return copy_kernel.launch(x, z, cores=1)
            """
        )


def test_the_same_definition_again_replaces_the_first(tmp_path: Path) -> None:
    from tests.op import pretend

    file = tmp_path / "again.py"
    text = _HEAD + textwrap.dedent(
        """
        @fe.op("refused::again")
        def f(x: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]: ...
        @f.plan
        def _(x, z): return scale_kernel.launch(x, z, cores=1)
        """
    )
    results = []
    for factor in (2, 3):
        scale = pretend.kernel("x: f32, z: f32!", f32=__import__("ferrata.lang.elements", fromlist=["f32"]).f32)(
            lambda x, z, factor=factor: z.copy_(x * factor)
        )
        file.write_text(text)
        names: dict[str, Any] = {"__name__": "again", "scale_kernel": scale}
        exec(compile(text, str(file), "exec"), names)
        results.append(names["f"](torch.ones(2)).tolist())
    assert results == [[2.0, 2.0], [3.0, 3.0]]


# --- plans ---


PLANS = [
    ("return None", errors.PlanReturnsNothing, "returns nothing.", "def _(x, z): return None"),
    (
        "copy_kernel.launch(x, z, cores=1)",
        errors.PlanReturnsNothing,
        "though it launches in line",
        "def _(x, z): copy_kernel.launch(x, z, cores=1)",
    ),
    ("return z", errors.PlanReturnsOther, "returns the tensor z", "z"),
    ("return [copy_kernel]", errors.PlanReturnsOther, "it must return what kernel.launch(...) gives", "[copy_kernel]"),
    (
        "return []",
        errors.PlanLaunchesNothing,
        "launches no kernel that gets z, so that nothing writes it (its shape is [3])",
        None,
    ),
    ("return copy_kernel.launch(x, z, cores=0)", errors.PlanLaunchesNothing, "launches no kernel that gets z", None),
    ("return copy_kernel.launch(x, fe.workspace(64), cores=1)", errors.PlanLaunchesNothing, "gets z", None),
    (
        "return copy_kernel.launch(z, fe.workspace(64), cores=1)",
        errors.OutputNotWritten,
        "output z of refused::op",
        None,
    ),
    (
        "return [copy_kernel.launch(x, z, cores=1), fill_kernel.launch(x, cores=1)]",
        errors.InputWritten,
        "gives input x, not declared as written, to fill_kernel, which writes its x",
        "fe.Tensor[T, 'n']",
    ),
    (
        "return copy_kernel.launch(3, z, cores=1)",
        errors.LaunchArgument,
        "launches copy_kernel with x = 3",
        "copy_kernel.launch(3, z, cores=1)",
    ),
    (
        "return copy_kernel.launch(x, z, cores=x.sum())",
        errors.PlanFailed,
        "raised AttributeError: 'Operand' object has no attribute 'sum'",
        None,
    ),
    (
        "return copy_kernel.launch(x if x else z, z, cores=1)",
        errors.PlanFailed,
        "whose values a plan does not see",
        None,
    ),
]


@pytest.mark.parametrize(("body", "error", "says", "under"), PLANS)
def test_a_plan_that_cannot_be(define: Any, body: str, error: type[Exception], says: str, under: str | None) -> None:
    names = define(
        f"""
        @fe.op(OP)
        def f(x: fe.Tensor[T, 'n']) -> fe.Tensor[T, 'n']: ...
        @f.plan
        def _(x, z): {body}
        """
    )
    with pytest.raises(error) as caught:
        names["f"](torch.ones(3, device="npu"))
    assert type(caught.value) is error
    assert says in str(caught.value)
    assert f".py:{_HEAD.count(chr(10)) + 5}" in str(caught.value)
    if under is not None:
        assert _caret(caught.value) == under


def test_a_launch_with_another_type_than_the_kernel_takes(define: Any) -> None:
    names = define(
        """
        @fe.op(OP)
        def f(x: fe.Tensor[T, 'n']) -> fe.Tensor[ac.i32, 'n']: ...
        @f.plan
        def _(x, z):
            return copy_kernel.launch(x, z, cores=1)
        """
    )
    with pytest.raises(errors.LaunchArgument, match=r"with z = z: int32\[3\]; the kernel takes T: float16, float32"):
        names["f"](torch.ones(3, device="npu"))


def test_no_plan(define: Any) -> None:
    names = define("@fe.op(OP)\ndef f(x: fe.Tensor[T, ...], alpha: float) -> fe.Tensor[T, ...]: ...")
    with pytest.raises(errors.PlanMissing) as caught:
        names["f"](torch.ones(3), 1.0)
    assert "@f.plan\ndef _(x, alpha, out):\n    return kernel.launch(x, alpha, out, ..., cores=1)" in str(caught.value)


@pytest.mark.parametrize("parameters", ["x, z", "y, alpha, z", "x, alpha, z, w", "x, alpha, *z", "x, alpha"])
def test_a_plan_with_another_signature(define: Any, parameters: str) -> None:
    with pytest.raises(
        errors.PlanSignature, match=r"it must take \(x, alpha, out\): inputs, attributes, 1 output under"
    ):
        define(
            f"""
            @fe.op(OP)
            def f(x: fe.Tensor[T, ...], alpha: float) -> fe.Tensor[T, ...]: ...
            @f.plan
            def _({parameters}): ...
            """
        )


def test_a_plan_without_the_count(define: Any) -> None:
    with pytest.raises(errors.PlanSignature, match="one int32 in which the kernel counts m"):
        define(
            """
            @fe.op(OP)
            def f(x: fe.Tensor[T, 'n']) -> fe.Tensor[T, 'm <= n']: ...
            @f.plan
            def _(x, z): ...
            """
        )


def test_a_count_beyond_what_the_signature_allows(define: Any) -> None:
    names = define(
        """
        @kernel("x: T, z: T!, count: i32!", T, i32=ac.i32)
        def wild(x, z, count): count.fill_(99)
        @fe.op(OP)
        def f(x: fe.Tensor[T, 'n']) -> fe.Tensor[T, 'm <= n']: ...
        @f.plan
        def _(x, z, m): return wild.launch(x, z, m, cores=1)
        """
    )
    with pytest.raises(
        errors.CountOutOfRange, match=r"the kernel counted m = 99, the signature allows 0 to 3 \(m <= n\)"
    ):
        names["f"](torch.ones(3, device="npu"))


def test_scratch_outside_of_a_plan() -> None:
    import ferrata as fe

    with pytest.raises(errors.NotInPlan, match=r"fe\.workspace is only available while a plan runs"):
        fe.workspace(64)


# --- shapes ---


@pytest.mark.parametrize(("output", "name"), [("'m'", "m"), ("'n', 'm*2'", "m"), ("'_'", "_"), ("'*a'", "*a")])
def test_a_dimension_that_nothing_binds(define: Any, output: str, name: str) -> None:
    names = define(
        f"""
        @fe.op(OP)
        def f(x: fe.Tensor[T, 'n'], y: fe.Tensor[T, 'm'] | None = None) -> fe.Tensor[T, {output}]: ...
        @f.plan
        def _(x, y, z): return copy_kernel.launch(x, z, cores=1)
        """
    )
    with pytest.raises(errors.UnboundDimension) as caught:
        names["f"](torch.ones(3, device="npu"))
    assert f"has the dimension {name}, which no input binds" in str(caught.value)
    assert "@f.shape" in str(caught.value)


SHAPES = [
    ("return (3,) if x.shape[0] == 4 else (5,)", "asks whether x.shape[0] == 4"),
    ("return (4 if x.shape[0] > x.shape[1] else 5,)", "asks whether x.shape"),
    ("return (int(x.shape[1]),)", "asks for the value of x.shape[1]"),
    ("return (max(x.shape[0], 7),)", "asks whether"),
    ("return (len(range(x.shape[0])),)", "asks for the value of x.shape[0]"),
]


@pytest.mark.parametrize(("body", "says"), SHAPES)
def test_a_shape_function_that_fixes_a_size(define: Any, body: str, says: str) -> None:
    names = define(
        f"""
        @fe.op(OP)
        def f(x: fe.Tensor[T, 'n', 'm']) -> fe.Tensor[T, 'k']: ...
        @f.plan
        def _(x, z): return copy_kernel.launch(x, z, cores=1)
        @f.shape
        def _(x):
            {body}
        """
    )
    compiled = torch.compile(lambda x: names["f"](x), backend="eager", fullgraph=True, dynamic=True)
    with pytest.raises(Exception) as caught:  # torch wraps what a fake raises
        compiled(torch.ones(4, 6, device="npu"))
    text = str(caught.value)
    assert "the shape function of refused::op" in text
    assert says in text
    assert f".py:{_HEAD.count(chr(10)) + 8}" in text


def test_a_shape_function_may_state_conditions_and_use_attributes(define: Any) -> None:
    names = define(
        """
        @kernel("z: T!", T)
        def ones(z): z.fill_(1)
        @fe.op(OP)
        def f(x: fe.Tensor[T, 'n'], wide: bool = True) -> fe.Tensor[T, 'k']: ...
        @f.plan
        def _(x, wide, z): return ones.launch(z, cores=1)
        @f.shape
        def _(x, wide):
            torch._check(x.shape[0] % 2 == 0)
            return (torch.sym_max(x.shape[0] // 2, 1) * (2 if wide else 1) if x.dim() == 1 else 0,)
        """
    )
    compiled = torch.compile(lambda x: names["f"](x), backend="eager", fullgraph=True, dynamic=True)
    for n in (4, 10):
        assert compiled(torch.ones(n, device="npu")).shape == names["f"](torch.ones(n, device="npu")).shape == (n,)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("4", r"returned 4; expected the shape of z: a tuple of sizes"),
        ("(2.5,)", r"returned \(2.5,\); expected the shape of z"),
        ("(4, 4)", r"returned \[4, 4\]; expected as many sizes as the annotation of z has"),
        ("None", "returned None"),
    ],
)
def test_a_shape_that_is_none(define: Any, result: str, expected: str) -> None:
    names = define(
        f"""
        @fe.op(OP)
        def f(x: fe.Tensor[T, 'n']) -> fe.Tensor[T, 'k']: ...
        @f.plan
        def _(x, z): return copy_kernel.launch(x, z, cores=1)
        @f.shape
        def _(x): return {result}
        """
    )
    with pytest.raises(errors.BadShapeResult, match=expected):
        names["f"](torch.ones(3, device="npu"))


def test_a_shape_that_contradicts_the_annotation(define: Any) -> None:
    names = define(
        """
        @fe.op(OP)
        def f(x: fe.Tensor[T, 'n']) -> fe.Tensor[T, 'n', 'k']: ...
        @f.plan
        def _(x, z): return copy_kernel.launch(x, z, cores=1)
        @f.shape
        def _(x): return (x.shape[0] + 1, 2)
        """
    )
    with pytest.raises(errors.BadShapeResult, match=r"returned \[4, 2\]; expected n = 3 for z, as the annotation says"):
        names["f"](torch.ones(3, device="npu"))


# --- at a call ---


def test_a_wrong_launch_argument_points_at_the_line_of_the_plan(tmp_path: Path) -> None:
    file = tmp_path / "launches.py"
    file.write_text(
        textwrap.dedent("""\
        import ferrata as fe
        from ferrata import lang as ac

        @ac.kernel
        def one(x: ac.Gm[ac.f32], y: ac.Gm[ac.f32], n: int, by: float):
            y[0] = x[0]

        @fe.op("refused::launches")
        def launches(x: fe.Tensor[ac.f32, ...], what: int) -> fe.Tensor[ac.f32, ...]:
            '''x'''

        @launches.plan
        def _(x, what, y):
            if what == 0:
                return one.launch(x, y, x.numel(), cores=1)
            if what == 1:
                return one.launch(
                    x, y, "n", 1.0, cores=1
                )
            return [one.launch(x, y, 1.5, 1.0, cores=1)]
        """)
    )
    names: dict[str, Any] = {"__name__": "launches_module", "__file__": str(file)}
    sys.modules["launches_module"] = type(sys)("launches_module")
    exec(compile(file.read_text(), str(file), "exec"), names)
    for what, line, words in (
        (0, 15, "'by': is missing"),
        (1, 17, "'n': takes int, not str"),
        (2, 20, "'n': takes int"),
    ):
        with pytest.raises(errors.BadKernelArgument) as caught:
            names["launches"](torch.ones(3, device="npu"), what)
        text = str(caught.value)
        assert text.startswith(f"{file}:{line}: kernel 'one', argument {words}"), text
        assert "one.launch(" in text and f"defined at {file}:" in text
    names["launches"].close()


def test_an_error_inside_torch_compile_can_be_read(define: Any) -> None:
    op = define("""
        @fe.op(OP)
        def halved(x: fe.Tensor[T, "n"]) -> fe.Tensor[T, "_"]:
            "."

        @halved.plan
        def _(x, z):
            return copy_kernel.launch(x, z, cores=1)

        @halved.shape
        def _(x):
            return (x.shape[0] if x.shape[0] < 9 else 9,)
    """)["halved"]
    import ferrata as fe

    torch._dynamo.reset()
    with pytest.raises(Exception, match="ShapeSpecializes") as caught:  # torch's own class around it
        torch.compile(lambda x: op(x), backend=fe.get_npu_backend(), dynamic=True)(torch.ones(5, device="npu"))
    lines = str(caught.value).splitlines()
    assert any(line.strip() == "return (x.shape[0] if x.shape[0] < 9 else 9,)" for line in lines)
    assert any(line.strip().startswith("^") for line in lines)
    op.close()


def test_a_closed_operator_says_so_and_its_name_is_free(define: Any) -> None:
    text = """
        @fe.op("refused::closed", ge="RefusedClosed")
        def first(x: fe.Tensor[T, ...]) -> fe.Tensor[T, ...]:
            "."

        @first.plan
        def _(x, z):
            return copy_kernel.launch(x, z, cores=1)
    """
    import ferrata as fe

    first = define(text)["first"]
    overload, packet, x = first.op, torch.ops.refused.closed, torch.ones(4, device="npu")
    torch._dynamo.reset()
    torch.compile(lambda x: first(x), backend=fe.get_npu_backend(), fullgraph=True)(x)
    first.close()
    first.close()
    for one in (first, overload, packet):
        with pytest.raises(errors.OperatorClosed, match=r"refused::closed, defined at .*, was closed"):
            one(x)
    second = define(
        text.replace("first", "second")
        .replace("(x: fe.Tensor[T, ...])", "(x: fe.Tensor[T, ...], n: int = 3)")
        .replace("(x, z)", "(x, n, z)", 1)
    )["second"]
    assert second(x, 5).tolist() == [1.0] * 4 and torch.ops.refused.closed(x).tolist() == [1.0] * 4
    again = torch.compile(lambda x: second(x, 2), backend=fe.get_npu_backend(), fullgraph=True)
    assert again(x).tolist() == [1.0] * 4
    with pytest.raises(errors.OperatorClosed):
        first(x)
    second.close()
