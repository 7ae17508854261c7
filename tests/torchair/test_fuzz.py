"""Random programs: a few hundred as graphs, and whether a planted fault is found and made small."""

from __future__ import annotations

import dataclasses

import pytest
import torch

import ferrata.ge.library.rules as rules
from ferrata.torchair.testing import fuzz
from ferrata.torchair.testing.fuzz.__main__ import failure_of, paste
from ferrata.torchair.testing.fuzz.program import Input, Program, Size, Step, Var


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_random_programs_as_graphs_are_what_they_are_in_eager() -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        tally = fuzz.run(120, seed=1)
    finally:
        torch.set_num_threads(threads)
    shown = "\n\n".join(f"# program {p.seed}: {f}\n{paste(p)}" for p, f in tally.failures)
    assert not tally.failures, shown
    assert tally.verdicts[fuzz.Verdict.SAME] > 80 and tally.runs > 200
    assert len(tally.overloads) > 150


def test_the_program_of_a_seed_stays_the_same() -> None:
    assert repr(fuzz.generate(7)) == repr(fuzz.generate(7))
    assert fuzz.generate(7).source() != fuzz.generate(8).source()


def _program(*steps: Step, outputs: tuple[str, ...]) -> Program:
    inputs = (Input("x0", torch.float32, ("a", "b")), Input("x1", torch.float32, ("a", "b")))
    return Program({"a": 3, "b": 4, "c": 5, "d": 2}, inputs, steps, outputs)


def test_the_source_is_what_runs() -> None:
    program = _program(
        Step("aten.view.default", (Var("x0"), [Size("a * b")]), {}, ("v0",)),
        Step("aten.sum.default", (Var("v0"),), {"dtype": torch.float64}, ("v1",)),
        outputs=("v1",),
    )
    assert "a = x0.size(0)" in program.source() and "view.default(x0, [a * b])" in program.source()
    x = torch.ones(2, 5)
    assert program.function()(x, x) == (torch.tensor(10.0, dtype=torch.float64),)


def test_a_planted_fault_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    right = rules.find("Cumsum")
    assert right is not None
    wrong = dataclasses.replace(right, function=lambda x, axis: torch.cumsum(x, axis) * 1.01)
    monkeypatch.setitem(rules._RULES, "Cumsum", wrong)
    program = _program(
        Step("aten.add.Tensor", (Var("x0"), Var("x1")), {}, ("v0",)),
        Step("aten.cumsum.default", (Var("v0"), 1), {}, ("v1",)),
        Step("aten.mul.Tensor", (Var("v1"), 2.0), {}, ("v2",)),
        Step("aten.sum.dim_IntList", (Var("v2"), [1]), {}, ("v3",)),
        Step("aten.exp.default", (Var("x1"),), {}, ("v4",)),
        Step("aten.view.default", (Var("v4"), [Size("a * b")]), {}, ("v5",)),
        outputs=("v3", "v5"),
    )
    failure = failure_of(program)
    assert isinstance(failure, fuzz.Difference)
    small = fuzz.shrink(program, failure_of)
    assert [s.op for s in small.steps] == ["aten.cumsum.default"] and len(small.inputs) == 1
    text = paste(small)
    with pytest.raises(fuzz.Difference):
        exec(text, {})
    monkeypatch.setitem(rules._RULES, "Cumsum", right)
    exec(text, {})


def test_wrong_strides_and_types_are_differences() -> None:
    from ferrata.torchair.testing.fuzz.check import difference

    x = torch.zeros(3, 4)
    assert difference(x, x.clone()) is None
    assert "strides" in str(difference(x.t().contiguous().t(), x))
    assert "dtype" in str(difference(x.double(), x))
    assert "shape" in str(difference(x[:2], x))
    assert "values" in str(difference(x + 1, x))


def test_sizes_that_the_guards_exclude_are_not_run() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x.view(2, -1) if x.size(0) % 2 == 0 else x

    report = fuzz.check(f, [torch.ones(4)], [torch.ones(6)], [torch.ones(5)])
    assert report.verdict is fuzz.Verdict.SAME and report.runs == 2


def test_a_data_type_that_pytorch_itself_describes_wrongly_is_told_as_that() -> None:
    def halves(x: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
        _, _, _, mean, _ = torch.ops.aten._native_batch_norm_legit_functional(
            x, None, None, x.new_zeros(4), x.new_ones(4), True, 0.1, 1e-5
        )
        found: torch.Tensor = torch.ops.aten.glu_backward(grad, mean, 0)
        return found

    x, grad = torch.randn(5, 4), torch.randn(2)
    assert fuzz.check(halves, [x, grad], symbolic=False).verdict is fuzz.Verdict.SAME
    assert fuzz.check(halves, [x.half(), grad.half()], symbolic=False).verdict is fuzz.Verdict.META
