"""Where the variables of a function live: how often each is assigned, and before which statement it must be declared.

Python's variables belong to the function, C++'s to a block. A variable whose first assignment stands in the block that
holds all its uses is declared right there. So is one that is used in several blocks and starts anew in each. Any other is
declared before the branch, or before the outermost loop since a pass may see what the last one left.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

# Blocks from the function's body inwards: (the block's id, the index of the statement in it, a loop's body?)
Path = tuple[tuple[int, int, bool], ...]


@dataclass
class Usage:
    """stores: assignments by name. before: names to declare before a statement, by its id. declares: the targets that are
    declarations, by the id of their node, and whether it is their only assignment. first_value: what the first assignment
    to a name assigns. loop_targets: variables of loops. changed_fields: structures of which a field is assigned."""

    stores: Counter[str] = field(default_factory=Counter)
    before: dict[int, list[str]] = field(default_factory=dict)
    declares: dict[int, bool] = field(default_factory=dict)
    first_value: dict[str, ast.expr] = field(default_factory=dict)
    loop_targets: set[str] = field(default_factory=set)
    changed_fields: set[str] = field(default_factory=set)


@dataclass
class _Occurrence:
    path: Path
    node: ast.AST
    store: bool
    plain: bool  # the assignment is the statement itself, so it can be the declaration


def analyse(tree: ast.FunctionDef) -> Usage:
    """Find where each variable of a function lives."""
    usage = Usage()
    found: dict[str, list[_Occurrence]] = {}
    blocks: dict[int, list[ast.stmt]] = {}
    _block(tree.body, (), False, frozenset(), found, blocks, usage)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            usage.changed_fields.add(node.value.id)
    params = {arg.arg for arg in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)}
    for name, places in found.items():
        if name in params or not any(place.store for place in places):
            continue
        declares = _declarations(places)
        if declares is not None:
            usage.declares.update(declares)
            continue
        common = _common([place.path for place in places])
        depth = next((at for at, (_, _, loop) in enumerate(common) if loop), len(common)) - 1
        block, _, _ = common[depth]
        index = min(place.path[depth][1] for place in places)
        usage.before.setdefault(id(blocks[block][index]), []).append(name)
    return usage


def _declarations(places: list[_Occurrence]) -> dict[int, bool] | None:
    """The assignments that can be declarations if each part of the function starts anew; None if one needs another's."""
    common = _common([place.path for place in places])
    first = places[0]
    if first.plain and len(first.path) == len(common):
        return {id(first.node): sum(place.store for place in places) == 1}
    parts: dict[tuple[int, int], list[_Occurrence]] = {}
    for place in places:
        if len(place.path) == len(common):
            return None  # a use in the common block itself, before any assignment there
        part = (place.path[len(common) - 1][1], place.path[len(common)][0])
        parts.setdefault(part, []).append(place)
    found: dict[int, bool] = {}
    for part_places in parts.values():
        if len(part_places) == len(places):
            return None
        inner = _declarations(part_places)
        if inner is None:
            return None
        found |= inner
    return found


def _common(paths: list[Path]) -> Path:
    depth = min(len(path) for path in paths)
    for at in range(depth):
        if len({path[at][0] for path in paths}) > 1:
            return paths[0][:at]
    return paths[0][:depth]


def _block(
    body: list[ast.stmt],
    path: Path,
    loop: bool,
    hidden: frozenset[str],
    found: dict[str, list[_Occurrence]],
    blocks: dict[int, list[ast.stmt]],
    usage: Usage,
) -> None:
    blocks[id(body)] = body
    for index, statement in enumerate(body):
        here: Path = (*path, (id(body), index, loop))

        def note(node: ast.AST, plain: bool = False, hidden: frozenset[str] = hidden, here: Path = here) -> None:
            for name in _names(node):
                store = isinstance(name.ctx, ast.Store)
                usage.stores[name.id] += store
                if name.id not in hidden:
                    found.setdefault(name.id, []).append(_Occurrence(here, name, store, plain and store))

        match statement:
            case ast.For(target=target, iter=iterable, body=inner, orelse=other):
                note(iterable)
                targets = frozenset(name.id for name in _names(target))
                usage.loop_targets |= targets
                _block(inner, here, True, hidden | targets, found, blocks, usage)
                _block(other, here, False, hidden, found, blocks, usage)
            case ast.While(test=test, body=inner, orelse=other):
                note(test)
                _block(inner, here, True, hidden, found, blocks, usage)
                _block(other, here, False, hidden, found, blocks, usage)
            case ast.If(test=test, body=inner, orelse=other):
                note(test)
                _block(inner, here, False, hidden, found, blocks, usage)
                _block(other, here, False, hidden, found, blocks, usage)
            case ast.With(items=items, body=inner):
                bound: frozenset[str] = frozenset()
                for item in items:
                    note(item.context_expr)
                    if item.optional_vars is not None:
                        bound |= {name.id for name in _names(item.optional_vars)}
                _block(inner, here, False, hidden | bound, found, blocks, usage)
            case ast.Assign(targets=targets_, value=value):
                note(value)
                for target in targets_:
                    if isinstance(target, ast.Name):
                        usage.first_value.setdefault(target.id, value)
                    note(target, plain=isinstance(target, ast.Name | ast.Tuple | ast.List))
            case ast.AnnAssign(target=target, value=assigned):
                if assigned is not None:
                    note(assigned)
                note(target, plain=isinstance(target, ast.Name))
            case ast.AugAssign(target=target, value=value):
                note(value)
                note(target)
            case _:
                note(statement)


def _names(node: ast.AST) -> Iterator[ast.Name]:
    """The names in a statement or expression, but for those that a comprehension has for itself."""
    own: set[int] = set()
    for child in ast.walk(node):
        if isinstance(child, ast.ListComp | ast.GeneratorExp):
            targets = {n.id for g in child.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
            own |= {id(n) for n in ast.walk(child) if isinstance(n, ast.Name) and n.id in targets}
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and id(child) not in own:
            yield child
