"""`ferrata run-graph`: run an exported graph on arrays from files, without the model's code."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ferrata import errors


def run_graph(
    file: Path,
    inputs: Sequence[str],
    output: Path | None,
    libraries: Sequence[Path],
    modules: Sequence[str],
    device: str | None,
    info: bool,
) -> None:
    """Load the operators, then the graph; describe it, or run it and write `<output>/<name>.npy` for each result."""
    load_operators(libraries, modules)
    from ferrata import ge

    if info:
        from ferrata.ge.store import read_graph
        from ferrata.ge.store.loaded import describe

        graph, meta, made_for = read_graph(file)
        for line in describe(graph, meta, made_for):
            print(line)
        return
    run = ge.load(file, device=device)
    given: dict[str, Path] = {}
    for name, path in _named(inputs, list(run.inputs)):
        if name in given:
            raise errors.FeedMismatch(
                graph=file, expected="one file for each input", got=f"{given[name]} and {path} for {name}"
            )
        given[name] = path
    if output is not None:
        _make_folder(output)
    values = {name: read_tensor(path, name, run.inputs.get(name)) for name, path in given.items()}
    results = run(**values)
    named = dict(zip(run.outputs, results, strict=True))
    if output is not None:
        _write(output, named)
    for name, value in named.items():
        print(f"{name}: {_shown(value)}")


def load_operators(libraries: Sequence[Path], modules: Sequence[str]) -> None:
    """Make custom operators known: the installed packages of ASCEND_CUSTOM_OPP_PATH, libraries, Python modules.

    Raises OperatorsNotLoaded.
    """
    found = [*_installed(), *libraries]
    if found:
        import torch

        import ferrata.npu  # noqa: F401  (libraries of kernels need the device)
    for library in found:
        try:
            torch.ops.load_library(str(library))  # type: ignore[no-untyped-call]
        except OSError as problem:
            raise errors.OperatorsNotLoaded(what=f"library {library}", reason=str(problem)) from problem
    if modules:
        sys.path.insert(0, os.getcwd())
    for module in modules:
        try:
            _import(module)
        except ImportError as problem:
            raise errors.OperatorsNotLoaded(what=f"module {module}", reason=str(problem)) from problem


def _installed() -> Iterator[Path]:
    """The libraries below the folders of ASCEND_CUSTOM_OPP_PATH."""
    for folder in filter(None, os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(":")):
        if not Path(folder).is_dir():
            raise errors.OperatorsNotLoaded(what=f"ASCEND_CUSTOM_OPP_PATH={folder}", reason="there is no such folder")
        yield from sorted(Path(folder).rglob("*.so"))


def _import(module: str) -> None:
    if module.endswith(".py"):
        path = Path(module)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise ImportError(f"there is no file {path}")
        made = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = made
        spec.loader.exec_module(made)
        return
    importlib.import_module(module)


def _named(inputs: Sequence[str], names: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Pairs of input and file: "x=a.npy" says which; "a.npy" is the input of that name, else the next one."""
    free = [n for n in names if n not in {i.partition("=")[0] for i in inputs if "=" in i}]
    for text in inputs:
        name, is_named, path = text.partition("=")
        if not is_named:
            name, path = Path(text).stem, text
            if name not in free:
                name = free[0] if free else name
            if name in free:
                free.remove(name)
        yield name, Path(path)


def read_tensor(path: Path, name: str, desc: Any) -> Any:
    """The tensor (or number) of a .npy or .pt file. Raises BadArrayFile."""
    import numpy as np
    import torch

    from ferrata.ge.types import UNDEFINED, torch_dtype

    try:
        if path.suffix == ".pt":
            value = torch.load(path, weights_only=True)
        else:
            value = torch.from_numpy(np.load(path, allow_pickle=False).copy())
    except Exception as problem:
        raise errors.BadArrayFile(name=name, path=path, reason=str(problem).splitlines()[0]) from problem
    if desc is not None and desc.host and isinstance(value, torch.Tensor) and value.numel() == 1:
        return value.item()
    if desc is not None and desc.dtype != UNDEFINED and isinstance(value, torch.Tensor):
        wanted = torch_dtype(desc.dtype)
        if wanted != value.dtype and _lacks(wanted) and value.is_floating_point():
            return value.to(wanted)
    return value


def _lacks(dtype: Any) -> bool:
    """Whether NumPy has no such type, so that files hold float32 instead."""
    import torch

    return dtype.is_floating_point and dtype not in (torch.float16, torch.float32, torch.float64)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise errors.NotWritable(path=folder, reason=problem.strerror) from problem


def _write(folder: Path, results: Mapping[str, Any]) -> None:
    """All results, or none: they move to their places once all are written. Raises NotWritable."""
    import numpy as np

    try:
        with tempfile.TemporaryDirectory(prefix=".results.", dir=folder) as work:
            for name, value in results.items():
                if value is not None:
                    np.save(Path(work) / f"{name}.npy", _array(value))
            for file in sorted(Path(work).iterdir()):
                os.replace(file, folder / file.name)
    except OSError as problem:
        raise errors.NotWritable(path=folder, reason=problem.strerror) from problem


def _array(value: Any) -> Any:
    import numpy as np
    import torch

    if isinstance(value, torch.Tensor):
        data = value.detach().cpu().resolve_conj().resolve_neg()
        value = (data.float() if _lacks(data.dtype) else data).numpy()
    return np.asarray(value)


def _shown(value: Any) -> str:
    import torch

    if not isinstance(value, torch.Tensor):
        return repr(value)
    return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
