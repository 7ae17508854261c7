"""The options of `torch.compile(backend="npugraph_ex", options={...})`, as changes to a copy of a CompilerConfig."""

from __future__ import annotations

import copy
import difflib
from collections.abc import Mapping
from typing import Any

from ferrata import errors
from ferrata.torchair.config import CompilerConfig, Row, validate

_CAPTURE = "a captured graph here is a list of calls on fixed memory, without pools and kernels of its own"

# option, its default, kind, the CompilerConfig option that honours it (or None), and why it has no effect
_OPTIONS: tuple[tuple[str, Any, Any, str | None, str], ...] = (
    ("force_eager", False, "bool", "debug.run_eagerly", ""),
    ("clone_output", False, "bool", "debug.aclgraph.enable_output_clone", ""),
    ("frozen_parameter", False, "bool", "experimental_config.frozen_parameter", ""),
    ("remove_noop_ops", True, "bool", "experimental_config.remove_noop_ops", ""),
    ("remove_cat_ops", True, "bool", "debug.aclgraph.remove_cat_ops", ""),
    ("inplace_pass", True, "bool", "!debug.aclgraph.disable_reinplace_inplaceable_ops_pass", ""),
    ("input_inplace_pass", True, "bool", "!debug.aclgraph.disable_reinplace_input_mutated_ops_pass", ""),
    ("pattern_fusion_pass", True, "bool", "experimental_config.pattern_fusion_pass", ""),
    ("post_grad_custom_pre_pass", None, "call", "post_grad_custom_pre_pass", ""),
    ("post_grad_custom_post_pass", None, "call", "post_grad_custom_post_pass", ""),
    ("dump_tensor_data", False, "bool", "dump_config.enable_dump", ""),
    ("data_dump_stage", "optimized", ["original", "optimized"], "dump_config.data_dump_stage", ""),
    ("data_dump_dir", "./", "path", "dump_config.dump_path", ""),
    ("use_graph_pool", None, "any", None, _CAPTURE),
    ("reuse_graph_pool_in_same_fx", True, "bool", None, _CAPTURE),
    ("capture_limit", 64, (1, 2**63 - 1), "debug.aclgraph.static_capture_size_limit", ""),
    ("clone_input", True, "bool", "debug.aclgraph.clone_input", ""),
    ("static_kernel_compile", False, "bool", None, _CAPTURE),
    ("disable_static_kernel_compile_cache", False, "bool", None, _CAPTURE),
    ("super_kernel_optimize", False, "bool", None, _CAPTURE),
    ("super_kernel_optimize_options", None, "dict", None, _CAPTURE),
    ("super_kernel_debug_options", None, "dict", None, _CAPTURE),
    ("super_kernel_optimize_debug_options", None, "dict", None, _CAPTURE),
    ("deadlock_check", False, "bool", None, "there is one stream"),
    ("capture_error_mode", "global", ["global", "thread_local", "relaxed"], None, _CAPTURE),
    ("force_recapture", False, "bool", None, _CAPTURE),
    ("_vllm_aclnn_static_kernel_sym_index", 0, "int", None, _CAPTURE),
    ("_vllm_aclnn_static_kernel_sym_range", None, "any", None, _CAPTURE),
)
_BY_NAME = {row[0]: row for row in _OPTIONS}


def apply_options(config: CompilerConfig, options: Mapping[str, Any]) -> CompilerConfig:
    """A copy of `config` with these options; the original is left as it is.

    Raises UnknownOption with the nearest name; BadOptionValue and BadOptionKind as CompilerConfig does.
    """
    if not isinstance(options, Mapping):
        raise errors.BadOptionKind(option="options", allowed="a dictionary", value=options, kind=type(options).__name__)
    out = copy.deepcopy(config)
    for name, value in options.items():
        row = _BY_NAME.get(name)
        if row is None:
            hit = difflib.get_close_matches(name, list(_BY_NAME), n=1)
            near = f" Did you mean {hit[0]!r}?" if hit else ""
            raise errors.UnknownOption(owner="npugraph_ex", option=name, near=near, known=", ".join(_BY_NAME))
        _, default, allowed, target, reason = row
        checked = validate(Row(f"options[{name!r}]", default, allowed, "H" if target else "N", reason), value)
        if target is None:
            continue
        # also a default: the configuration of the backend may say otherwise
        _set(out, target.removeprefix("!"), not checked if target.startswith("!") else checked)
    return out


def _set(config: CompilerConfig, path: str, value: Any) -> None:
    *groups, name = path.split(".")
    place: Any = config
    for group in groups:
        place = getattr(place, group)
    setattr(place, name, value)
