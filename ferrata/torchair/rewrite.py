"""What happens to an FX graph before it is converted: the user's passes, and ours between them.

The order: the user's pre-pass; Meta values; scopes; needless operators; the user's patterns; in-place operators
restored; the user's post-pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ferrata.torchair import needless, patterns, scoped, userpass
from ferrata.torchair.config import CompilerConfig
from ferrata.torchair.functional import has_wrappers, restore_in_place
from ferrata.torchair.meta import fill_meta


def rewrite(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], config: CompilerConfig) -> None:
    """Change `gm` in place, as the options say. Raises PassFailed for what the user's passes raise."""
    _for_user("post_grad_custom_pre_pass", gm, example_inputs, config)
    fill_meta(gm, example_inputs)
    scoped.apply(gm, captured=config.raw("mode") != "max-autotune")
    if config.raw("experimental_config.remove_noop_ops"):
        needless.remove_noop_ops(gm)
    if config.raw("debug.aclgraph.remove_cat_ops"):
        needless.remove_cat_ops(gm)
    if config.raw("experimental_config.pattern_fusion_pass") and patterns.apply(gm):
        fill_meta(gm, example_inputs)
    if has_wrappers(gm):
        off = ("disable_reinplace_inplaceable_ops_pass", "disable_reinplace_input_mutated_ops_pass")
        restore_in_place(gm, reuse=not any(config.raw(f"debug.aclgraph.{o}") for o in off))
    _for_user("post_grad_custom_post_pass", gm, example_inputs, config)


def _for_user(option: str, gm: torch.fx.GraphModule, example_inputs: Sequence[Any], config: CompilerConfig) -> None:
    function = config.raw(option)
    if function is not None:
        fill_meta(gm, example_inputs)
        userpass.run(function, option, gm, example_inputs, config)
