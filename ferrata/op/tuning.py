"""`fe.tuned` in a plan, and `fe.autotune`, which measures its choices: CPU time of the emulation, not the NPU's.

A plan says what there is to choose from:

    return add.launch(x, y, z, n, tile=fe.tuned("tile", [2048, 1024, 4096], by=n), cores=fe.at_most(n // 2048))

Until somebody measures, that is the first value. `fe.autotune(add_op, cases=[...])` runs the cases with every
combination and keeps, under the content of the plan and its kernels, what was fastest: for each range of sizes when the
plan says `by`, else one value. Plans and their C++ then read that record. Holds state: the records in use, and during a
measurement the combination that is tried.
"""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from ferrata import errors
from ferrata.lang.tuning import ROUNDS, Record, Tuning, combinations, measure, pick, shown
from ferrata.op.define.eager import split


@dataclass(frozen=True)
class Site:
    """One `fe.tuned`: its name, its values, and the content of the plan around it."""

    name: str
    choices: tuple[int, ...]
    content: str

    @property
    def record(self) -> Record:
        return Record((self.content, self.name, repr(self.choices)))


@dataclass
class _Trying:
    """A measurement under way: the values to give, and the sites that asked, with their sizes."""

    consts: Mapping[str, int] = field(default_factory=dict)
    sites: dict[str, tuple[Site, int | None]] = field(default_factory=dict)


_local = threading.local()
# state of this process, from the records
_rows: dict[Site, tuple[tuple[int | None, int], ...]] = {}


def tuned(name: str, choices: Sequence[int], *, by: Any = None) -> int:
    """A value for a Const that was measured to be fast, the first of `choices` until somebody measures; for plans.

    name: for the table and the record. by: a size on which the choice depends; each power of two has its own.
    Measured by `fe.autotune`, by CPU time of the emulation, not the NPU's. To decide by a rule of your own, write it:
    `tile = 1024 if n < 65536 else 4096`.
    """
    frame = sys._getframe(1)
    values = tuple(choices)
    combinations(name, {name: values})
    site = Site(name, values, _content(frame.f_code, lambda n: frame.f_locals.get(n, frame.f_globals.get(n))))
    size = None if by is None or not isinstance(by, int) else by
    trying: _Trying | None = getattr(_local, "trying", None)
    if trying is not None:
        trying.sites[name] = (site, size)
        if name in trying.consts:
            return trying.consts[name]
    return chosen(rows(site), size)


def rows(site: Site) -> tuple[tuple[int | None, int], ...]:
    """The choice as (largest size, value) in rising order; the last has None and is for everything larger."""
    known = _rows.get(site)
    if known is None:
        read = site.record.read()
        known = _rows[site] = _table(dict(read)) if read else ((None, site.choices[0]),)
    return known


def chosen(rows_: Sequence[tuple[int | None, int]], size: int | None) -> int:
    """The value for a size."""
    return next(value for limit, value in rows_ if limit is None or (size is not None and size <= limit))


def in_use() -> tuple[Any, ...]:
    """All choices that this process has read: what is made from them is stale when this changes."""
    return tuple(_rows.items())


def site_of(function: Callable[..., Any], names: Mapping[str, Any], name: str, choices: Sequence[int]) -> Site:
    """The site of a `fe.tuned` in a plan that does not run: function is the plan, names what its free names mean."""
    return Site(name, tuple(choices), _content(function.__code__, names.get))


def autotune(
    op: Any, cases: Sequence[Any], *, rounds: int = ROUNDS, force: bool = False, show: bool = True
) -> list[Tuning]:
    """Measure the `fe.tuned` choices of an operator's plan on these cases, and use the best from now on.

    cases: dictionaries of arguments with tensors on npu (`[{"x": x, "y": y}]`). Each is measured with every combination
    of the choices, in turn; a value must beat those listed before it by more than the noise. What was measured before
    for the same plan, kernels and machine is kept; force measures again. show: print a table for each case.
    The seconds are CPU time of the emulation, not the NPU's, and say so wherever they are shown.
    Raises BadTuning.
    """
    definition = op.definition
    found: list[Tuning] = []
    best: dict[str, list[tuple[Site, int | None, int]]] = {}
    for case in cases:
        result, sites = _case(op, definition, case, rounds, force)
        found.append(result)
        for name, (site, size) in sites.items():
            best.setdefault(name, []).append((site, size, result.best[name]))
    for chosen_ in best.values():
        site = chosen_[0][0]
        measured = {_limit(size): value for _, size, value in chosen_}
        before = {limit: value for limit, value in site.record.read() or () if limit not in measured}
        site.record.write([*before.items(), *measured.items()])
        _rows.pop(site, None)
    op.executor.update(definition)  # calls that were prepared with other choices
    if show:
        from rich.console import Console

        for result in found:
            Console().print(result)
    return found


def _case(
    op: Any, definition: Any, case: Mapping[str, Any], rounds: int, force: bool
) -> tuple[Tuning, dict[str, tuple[Site, int | None]]]:
    with _tried({}) as trying:
        _prepared(op, case)
    if not trying.sites:
        reason = 'its plan has no choice: write tile=fe.tuned("tile", [1024, 2048]) in a launch'
        raise errors.BadTuning(what=definition.name, reason=reason)
    sites = dict(trying.sites)
    configurations = combinations(definition.name, {n: site.choices for n, (site, _) in sites.items()})
    inputs = ", ".join(f"{k}: {shown(v)}" for k, v in case.items())
    record = Record((*(f"{s.content} {s.name} {s.choices}" for s, _ in sites.values()), inputs))
    kept = None if force else record.tuning(definition.name, inputs)
    if kept is not None:
        return kept, sites

    def runner(consts: Mapping[str, int]) -> Callable[[], Any]:
        ready: list[Callable[[], Any]] = []

        def run() -> None:
            if not ready:
                with _tried(consts):
                    ready.append(_prepared(op, case))
            ready[0]()

        return run

    trials = measure([(c, runner(c)) for c in configurations], rounds)
    result = Tuning(definition.name, inputs, trials, pick(definition.name, trials).consts)
    record.keep(result)
    return result, sites


def _prepared(op: Any, case: Mapping[str, Any]) -> Callable[[], Any]:
    """The launches of a call, without what comes before them in a call."""
    inputs, values = split(op.definition, (), case)
    ready = op.executor.prepare(inputs, values)
    tensors = tuple(t for i in inputs for t in (i if isinstance(i, (list, tuple)) else (i,)))
    device = next(t.device for t in tensors if t is not None)
    return lambda: ready.run(device, *tensors)


def _limit(size: int | None) -> int | None:
    """The end of the range in which a size is measured for: the next power of two."""
    return None if size is None else 1 << max(size - 1, 0).bit_length()


def _table(measured: Mapping[int | None, int]) -> tuple[tuple[int | None, int], ...]:
    """Rows (largest size, value) from values by range. What is larger than all takes the value of the largest range."""
    limits = sorted(limit for limit in measured if limit is not None)
    if not limits:
        return ((None, measured[None]),)
    changes = [(a, measured[a]) for a, b in itertools.pairwise(limits) if measured[a] != measured[b]]
    return (*changes, (None, measured[limits[-1]]))


@contextmanager
def _tried(consts: Mapping[str, int]) -> Iterator[_Trying]:
    before = getattr(_local, "trying", None)
    _local.trying = _Trying(consts)
    try:
        yield _local.trying
    finally:
        _local.trying = before


_contents: dict[tuple[CodeType, tuple[int, ...]], tuple[str, list[Any]]] = {}  # kernels too, so that no id is reused


def _content(code: CodeType, look_up: Callable[[str], Any]) -> str:
    """The plan's code, and the text of the kernels that it names."""
    kernels = []
    for name in (*code.co_names, *code.co_freevars):
        found = look_up(name)
        if found is not None and all(hasattr(found, part) for part in ("launch", "source", "params")):
            kernels.append(found)
    key = (code, tuple(map(id, kernels)))
    if key not in _contents:
        _contents[key] = "\n".join([_code(code), *(kernel.source() for kernel in kernels)]), kernels
    return _contents[key][0]


def _code(code: CodeType) -> str:
    consts = [_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {consts} {code.co_names}"
