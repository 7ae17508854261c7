"""Cases drawn from the signature: hypothesis strategies for shapes, and the fixed draw of a check without cases.

A name has one size wherever it stands, `...` the same dimensions; fixed sizes stay. Sizes favour what breaks kernels:
0, 1, one less and one more than a block or a tile, primes; one large size at a time keeps a case within a second.
"""

from __future__ import annotations

import math
from typing import Any

from ferrata import errors
from ferrata.testing.cases import Case
from ferrata.testing.dims import Sizes, dim_names, is_group, shaped
from ferrata.testing.subject import MISSING, AttrParam, Subject, TensorParam, subject

# below, at and above: nothing, one element, a block of 32 bytes, a repeat of 256 bytes, common tiles
SIZES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257)
LARGE = (1009, 2047, 2048, 2049, 4095, 4097, 8191, 12289, 65537)
ELEMENTS = 1 << 20  # of a tensor whose dimensions are all different names, at most
VALUES: dict[str, tuple[Any, ...]] = {"float": (1.0, 0.5, -2.0, 0.0), "bool": (True, False)}


def shapes(op: Any) -> Any:
    """A hypothesis strategy of cases of an operator, for tests of one's own.

    Raises CasesNeeded for an operator whose signature does not say how shapes hang together (a plain torch operator),
    or with an attribute that has no default and whose meaning only its author knows.

    >>> @given(fe.testing.shapes(add_op))
    ... def test_add(case):
    ...     fe.testing.check(add_op, [case], reference=torch.add, only=["values"])
    """
    strategies = _hypothesis(op)
    subject_ = subject(op)
    _drawable(subject_)

    @strategies.composite  # type: ignore[untyped-decorator]
    def cases(draw: Any) -> Case:
        sizes = _sizes(draw, strategies, subject_)
        values: dict[str, Any] = {}
        for param in subject_.params:
            if isinstance(param, AttrParam):
                if param.type in VALUES:
                    mine = VALUES[param.type]
                    values[param.name] = draw(strategies.sampled_from(_first(mine, param.default)))
                continue
            if param.kind == "optional" and not draw(strategies.booleans()):
                continue
            values[param.name] = _shape(draw, strategies, param, sizes)
        return Case(values)

    return cases()


def drawn(subject_: Subject, examples: int) -> list[Case]:
    """The same cases each time, all different, for a check without cases; the smallest first."""
    _hypothesis(subject_)
    from hypothesis import HealthCheck, Phase, given, settings

    found: dict[str, Case] = {}

    @settings(
        max_examples=4 * examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(shapes(subject_))
    def collect(case: Case) -> None:
        if len(found) < examples:
            found.setdefault(repr(case), case)

    collect()
    return sorted(found.values(), key=elements)


def _hypothesis(op: Any) -> Any:
    try:
        from hypothesis import strategies
    except ImportError:
        name = getattr(op, "name", op)
        raise errors.CasesNeeded(op=name, reason="hypothesis is not installed (pip install hypothesis)") from None
    return strategies


def _drawable(subject_: Subject) -> None:
    for param in subject_.params:
        if isinstance(param, TensorParam) and param.dims is None:
            reason = f"nothing is known of the dimensions of {param.name}; fe.op signatures name them"
            raise errors.CasesNeeded(op=subject_.name, reason=reason)
        if isinstance(param, AttrParam) and param.default is MISSING and param.type not in VALUES:
            reason = f"the attribute {param.name} ({param.type}) has no default, and its meaning is not known"
            raise errors.CasesNeeded(op=subject_.name, reason=reason)


def _sizes(draw: Any, strategies: Any, subject_: Subject) -> Sizes:
    """A size for every name, dimensions for every group; one of them large now and then."""
    names = dim_names(subject_)
    small = strategies.sampled_from(SIZES)
    large = draw(strategies.sampled_from([None, *names]))
    drawn_: dict[str, list[int]] = {}
    for name in names:
        count = draw(strategies.integers(0, 3)) if is_group(name) else 1
        drawn_[name] = [draw(small) for _ in range(count)]
    if large is not None:
        size = draw(strategies.sampled_from(LARGE))
        drawn_ = {name: [min(n, 16) for n in dims] for name, dims in drawn_.items()}
        drawn_[large] = [size] if not is_group(large) else [*drawn_[large][:1], size]
    sizes: Sizes = {}
    room = ELEMENTS
    for name in sorted(names, key=lambda name: name != large):  # the large one first: the others share what is left
        dims = _within(drawn_[name][::-1], room)[::-1]
        room //= math.prod(dims)
        sizes[name] = tuple(dims) if is_group(name) else dims[0]
    if subject_.broadcast:
        _broadcast(draw, strategies, subject_, sizes)
    return sizes


def _broadcast(draw: Any, strategies: Any, subject_: Subject, sizes: Sizes) -> None:
    """Make groups that must broadcast do so: each is the end of one shape, with some sizes 1."""
    whole = max((sizes.get(name, ()) for name in subject_.broadcast), key=len)
    for name in subject_.broadcast:
        start = draw(strategies.integers(0, len(whole)))
        sizes[name] = tuple(1 if draw(strategies.booleans()) else n for n in whole[start:])


def _shape(draw: Any, strategies: Any, param: TensorParam, sizes: Sizes) -> Any:
    free = draw(strategies.sampled_from(SIZES[:12]))
    if param.kind != "list":
        return shaped(param.dims or (), sizes, free)
    own = [d for d in param.dims or () if d == "..."]
    out = []
    for _ in range(draw(strategies.integers(1, 3))):
        mine = {name: tuple(draw(strategies.lists(strategies.sampled_from(SIZES[:12]), max_size=2))) for name in own}
        out.append(shaped(param.dims or (), {**sizes, **mine}, free))
    return out


def _within(dims: list[int], limit: int) -> list[int]:
    """Sizes cut so that their product stays within the limit."""
    product = 1
    out = []
    for n in dims:
        size = min(n, max(1, limit // product))
        product *= size
        out.append(size)
    return out


def _first(values: tuple[Any, ...], default: Any) -> list[Any]:
    return list(values) if default is MISSING else list(dict.fromkeys([default, *values]))


def elements(case: Case) -> int:
    """How large a case is."""
    total = 0
    for value in case.values.values():
        for shape in value if isinstance(value, list) else [value]:
            if isinstance(shape, tuple):
                count = 1
                for n in shape:
                    count *= n
                total += count
    return total
