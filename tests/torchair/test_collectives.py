"""Collectives in a graph, in processes of their own (the scenarios are in ranks.py): equal to eager mode, and to one
process; ranks that do not come are named.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from ferrata.ge import Desc, GraphBuilder
from ferrata.ge.attrs import AttrValue
from ferrata.ge.passes import run_passes

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not torch.distributed.is_available(), reason="PyTorch without torch.distributed")


def run(
    tmp_path: Path, scenarios: str, world: int, device: str = "cpu", dying: Sequence[int] = (), **env: str
) -> list[str]:
    """What the ranks print; asserts that each ends well but those that are dying."""
    ranks = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.torchair.ranks", scenarios, str(rank), str(world), str(tmp_path / "store"), device],
            cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1", **env}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for rank in range(world)
    ]  # fmt: skip
    try:
        results = [p.communicate(timeout=240) for p in ranks]
    finally:
        for p in ranks:
            p.kill()
    for rank, (p, (_, err)) in enumerate(zip(ranks, results, strict=True)):
        assert p.returncode == (-9 if rank in dying else 0), f"rank {rank}: {err[-3000:]}"
    return [out for out, _ in results]


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", "npu"])
def test_two_ranks(tmp_path: Path, device: str) -> None:
    run(tmp_path, "every,parallel_mlp", 2, device)


@pytest.mark.slow
def test_four_ranks(tmp_path: Path) -> None:
    run(tmp_path, "parallel_mlp,tensor_parallel", 4)


@pytest.mark.slow
@pytest.mark.parametrize(("device", "scenarios"), [("cpu", "data_parallel"), ("npu", "data_parallel,sharded")])
def test_data_parallel_training_is_that_of_one_process(tmp_path: Path, device: str, scenarios: str) -> None:
    run(tmp_path, scenarios, 2, device)


@pytest.mark.slow
def test_ranks_that_do_not_come_are_named(tmp_path: Path) -> None:
    first, second, _ = run(tmp_path, "missing", 3, HCCL_CONNECT_TIMEOUT="2")
    for rank, out in enumerate((first, second)):
        assert "HcomAllReduce: of the 3 ranks of group 0, 2 did not come within 2 s; here: 0, 1" in out
        assert f"(this is {rank})" in out


@pytest.mark.slow
def test_a_rank_that_ends_is_an_error_of_the_collective(tmp_path: Path) -> None:
    out, _ = run(tmp_path, "leaving", 2)
    assert "HcomAllReduce of group 0 (ranks 0, 1) failed:" in out


@pytest.mark.slow
def test_a_rank_that_is_killed_keeps_no_other_waiting(tmp_path: Path) -> None:
    first, second, _ = run(tmp_path, "killed", 3, dying=(2,))
    assert all("HcomAllReduce of group 0 (ranks 0, 1, 2) failed:" in out for out in (first, second))


MISMATCHES = {
    "another size": ("HcomAllReduce sum of float32[4]", "HcomAllReduce sum of float32[2]"),
    "another type": ("HcomAllGather of float32[4]", "HcomAllGather of float16[4]"),
    "another reduction": ("HcomAllReduce sum of float32[4]", "HcomAllReduce max of float32[4]"),
    "another root": ("HcomBroadcast from rank 0 of float32[4]", "HcomBroadcast from rank 1 of float32[4]"),
    "another order": ("HcomAllReduce sum of float32[4]", "HcomAllGather of float32[4]"),
}


@pytest.mark.slow
def test_what_does_not_fit_together_is_told_to_every_rank(tmp_path: Path) -> None:
    for rank, out in enumerate(run(tmp_path, "mismatched", 2, "npu")):
        told = dict(re.findall(r"^(another \w+): (.*?)\n\nEvery rank must", out, re.DOTALL | re.MULTILINE))
        for name, lines in MISMATCHES.items():
            assert f"the ranks of group 0 do not run the same collective (this is {rank})" in told[name]
            assert [f"rank {r}: {line}" in told[name] for r, line in enumerate(lines)] == [True, True], told[name]
        assert told["another share"].endswith("  rank 1 sends 2 elements to rank 0, which wants 3"), told


def test_passes_leave_collectives_alone() -> None:
    with GraphBuilder() as g:
        x = g.data("x", Desc(0, (4,)))
        attrs = {"reduction": AttrValue("Str", "sum"), "group": AttrValue("Str", "0")}
        made = [g.add("HcomAllReduce", {"x": x}, attrs=attrs)[0] for _ in range(3)]
        gathered = g.add(
            "HcomAllGather", {"x": x}, attrs={"rank_size": AttrValue("Int", 4), "group": AttrValue("Str", "0")}
        )[0]
        graph = g.finish([made[0], made[2]])
    assert [n.type for n in run_passes(graph).nodes] == ["Data", *["HcomAllReduce"] * 3, "HcomAllGather"]
    assert graph.node("HcomAllReduce_2").controls == ("HcomAllReduce_1",)
    assert graph.desc(gathered) == Desc(0, (16,))


@pytest.mark.slow
@pytest.mark.parametrize("block", [0, 1], ids=["tensor parallel", "data parallel"])
def test_the_page_runs_as_printed(block: int, tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text(printed("docs/howto/distributed.md")[block], encoding="utf-8")
    run = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "page.py"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-3000:]


def test_the_page_in_chinese_has_the_same_code() -> None:
    assert printed("docs/zh/howto/distributed.md") == printed("docs/howto/distributed.md")


def printed(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
