"""CompilerConfig: the options of a compilation, validated when they are set.

`_TABLE` is the one list of options: path, default, what is allowed, and what happens here: "H" honoured, "N" accepted
without effect (the reason is told once, as a UserWarning, when a value other than the default is set).
"""

from __future__ import annotations

import difflib
import os
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ferrata import errors

_MAX = 2**63 - 1
_FORMS = {
    "step": r"(\d+(-\d+)?(\|\d+(-\d+)?)*)?",
    "cores": r"\d+\|\d+",
    "switches": r"[^:;]+:(on|off)(;[^:;]+:(on|off))*",
}
_EXAMPLES = {
    "step": "'0|2-5': steps and ranges of them, the smaller first",
    "cores": "'24|48' (cube|vector)",
    "switches": "'DeadNodes:off' or 'A:on;B:off'",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One option. allowed: a list of values, or a kind of `_KINDS` or `_FORMS`."""

    path: str
    default: Any
    allowed: Any
    policy: str = "H"
    reason: str = ""
    key: str = ""  # its GE key in as_dict
    glob: bool = False  # that key belongs to the global options


_HW = "it tunes the hardware's scheduling; results do not depend on it"
_CAPTURE = "a captured graph here is a list of calls on fixed memory, without pools and kernels of its own"
_OFFLINE = "it belongs to the offline compiler of the hardware toolkit"

_TABLE: tuple[Row, ...] = (
    Row("mode", "max-autotune", ["max-autotune", "reduce-overhead", "npugraph_ex"]),
    Row("post_grad_custom_pre_pass", None, "call"),
    Row("post_grad_custom_post_pass", None, "call"),
    Row("debug.graph_dump.type", None, ["txt", "pbtxt", "py", "diff", "html"]),
    Row("debug.graph_dump.path", ".", "path"),
    Row("debug.data_dump.type", None, ["npy"]),
    Row("debug.data_dump.path", ".", "path"),
    Row("debug.data_dump.filter", None, "call"),
    Row("debug.fx_summary.type", None, ["csv"]),
    Row("debug.fx_summary.skip_compile", True, "bool"),
    Row("debug.run_eagerly", False, "bool"),
    Row("debug.deadlock_check", False, "bool", "N", "there is one stream, so streams cannot wait for each other"),
    Row("debug.aclgraph.disable_reinplace_inplaceable_ops_pass", False, "bool"),
    Row("debug.aclgraph.disable_reinplace_input_mutated_ops_pass", False, "bool"),
    Row("debug.aclgraph.disable_mempool_reuse_in_same_fx", False, "bool", "N", _CAPTURE),
    Row("debug.aclgraph.enable_output_clone", False, "bool"),
    Row("debug.aclgraph.static_capture_size_limit", 64, (1, _MAX)),
    Row("debug.aclgraph.clone_input", True, "bool"),
    Row("debug.aclgraph.remove_cat_ops", True, "bool"),
    Row("aoe_config.aoe_mode", None, ["2"], "N", "there is nothing to tune on an emulated device"),
    Row("aoe_config.work_path", "./", "dir", "N", "there is nothing to tune on an emulated device"),
    Row("aoe_config.aoe_config_file", None, "file", "N", "there is nothing to tune on an emulated device"),
    Row("export.export_mode", False, "bool", "N", "it is set by export itself"),
    Row("export.export_path_dir", "./", "path", "N", "it is set by export itself"),
    Row("export.export_name", "export", "str", "N", "it is set by export itself"),
    Row("export.weight_name", None, "any", "N", "it is set by export itself"),
    Row("export.inputs_name", None, "any", "N", "it is set by export itself"),
    Row("export.experimental.enable_record_nn_module_stack", False, "bool", "N", "the module path is always recorded"),
    Row("export.experimental.auto_atc_config_generated", False, "bool", "N", _OFFLINE),
    Row("export.experimental.enable_lite_export", False, "bool", "N", _OFFLINE),
    Row("dump_config.enable_dump", False, "bool"),
    Row("dump_config.dump_path", "./", "dir"),
    Row("dump_config.dump_mode", "all", ["input", "output", "all"]),
    Row("dump_config.quant_dumpable", False, "bool", "N", "nothing quantises inputs on its own"),
    Row("dump_config.dump_step", "", "step"),
    Row("dump_config.dump_layer", "", "str"),
    Row("dump_config.dump_data", "tensor", ["tensor", "stats"]),
    Row("dump_config.dump_config_path", None, "json", "N", "the other options of dump_config say what is dumped"),
    Row("dump_config.data_dump_stage", "optimized", ["original", "optimized"]),
    Row("fusion_config.fusion_switch_file", None, "file", "N", "there are no hardware fusions", "ge.fusionSwitchFile"),
    Row("experimental_config.cc_parallel_enable", False, "bool", "N", _HW, "ge.exec.enableEngineParallel"),
    Row("experimental_config.keep_inference_input_mutations", True, "bool"),
    Row("experimental_config.memory_efficiency", False, "bool", "N", _HW, "ge.featureBaseRefreshable"),
    Row("experimental_config.frozen_parameter", False, "bool"),
    Row(
        "experimental_config.static_model_ops_lower_limit",
        None,
        (-1, _MAX),
        "N",
        _HW,
        "ge.exec.static_model_ops_lower_limit",
    ),
    Row("experimental_config.jit_compile", "auto", ["auto"], "N", _HW, "ge.jit_compile"),
    Row("experimental_config.npu_fx_pass", False, "bool", "N", "it is a legacy switch without meaning"),
    Row("experimental_config.aot_config_enable_joint_graph", False, "bool"),
    Row("experimental_config.aot_config_output_loss_index", 0, (0, _MAX)),
    Row(
        "experimental_config.topology_sorting_strategy",
        "DFS",
        ["BFS", "DFS", "RDFS", "StableRDFS"],
        key="ge.topoSortingMode",
    ),
    Row("experimental_config.enable_ref_data", False, "bool"),
    Row("experimental_config.enable_view_optimize", True, "bool", "N", "views are always views"),
    Row("experimental_config.remove_noop_ops", True, "bool"),
    Row("experimental_config.tiling_schedule_optimize", False, "bool", "N", _HW, "ge.tiling_schedule_optimize"),
    Row("experimental_config.pattern_fusion_pass", True, "bool"),
    Row("experimental_config.aclgraph._aclnn_static_shape_kernel", False, "bool", "N", _CAPTURE),
    Row("experimental_config.aclgraph._aclnn_static_shape_kernel_build_dir", None, "path", "N", _CAPTURE),
    Row("experimental_config.aclgraph._aclnn_static_shape_kernel_sym_value_range", None, "any", "N", _CAPTURE),
    Row("experimental_config.aclgraph._aclnn_static_shape_kernel_sym_index", 0, "int", "N", _CAPTURE),
    Row("experimental_config.aclgraph._super_kernel_optimize", False, "bool", "N", _CAPTURE),
    Row("experimental_config.aclgraph._super_kernel_optimize_options", None, "dict", "N", _CAPTURE),
    Row("experimental_config.aclgraph._super_kernel_debug_options", None, "dict", "N", _CAPTURE),
    Row("experimental_config.aclgraph._super_kernel_optimize_debug_options", None, "dict", "N", _CAPTURE),
    Row("inference_config.dynamic_gears_merge_policy", "zip", ["zip", "product"]),
    Row("ge_config.enable_single_stream", False, "bool", "N", "there is one stream", "ge.enableSingleStream"),
    Row("ge_config.oo_level", "O3", ["O1", "O3"], key="ge.oo.level"),
    Row("ge_config.oo_constant_folding", None, "bool", key="ge.oo.constantFolding"),
    Row("ge_config.oo_dead_code_elimination", None, "bool", key="ge.oo.deadCodeElimination"),
    Row(
        "ge_config.export_compile_stat",
        "2",
        ["0", "1", "2"],
        "N",
        "use TORCH_LOGS for times",
        "ge.exportCompileStat",
        True,
    ),
    Row("ge_config.aicore_num", None, "cores", "N", "the launch decides on its cores", "ge.aicoreNum"),
    Row("ge_config.optimization_switch", None, "switches", key="ge.optimizationSwitch"),
    Row(
        "ge_config.multistream_parallel_mode", None, "str", "N", "there is one stream", "ge.autoMultistreamParallelMode"
    ),
    Row("aclgraph_config.use_custom_pool", None, "any", "N", _CAPTURE),
)


def reference_rows() -> list[tuple[str, str, str, str]]:
    """Option, default, allowed values, what ferrata does with it: the rows of the reference page."""
    does = {"H": "honoured", "N": "accepted without effect"}
    return [
        (
            f"`{row.path}`",
            f"`{row.default!r}`",
            ", ".join(map(str, row.allowed)) if isinstance(row.allowed, list) else str(row.allowed),
            does[row.policy] + (f": {row.reason}" if row.reason else ""),
        )
        for row in _TABLE
    ]


_DUMP_KEYS = {
    "enable_dump": "ge.exec.enableDump",
    "dump_path": "ge.exec.dumpPath",
    "dump_mode": "ge.exec.dumpMode",
    "dump_step": "ge.exec.dumpStep",
    "dump_layer": "ge.exec.dumpLayer",
    "dump_data": "ge.exec.dumpData",
    "quant_dumpable": "ge.quant_dumpable",
}
_TOPOLOGY = {"BFS": "0", "DFS": "1", "RDFS": "2", "StableRDFS": "3"}
_told: set[str] = set()


class OptionValue:
    """What reading an option gives. `.value` is text for flags and scalars ("1", "0"), the object itself otherwise."""

    __slots__ = ("default", "optional", "raw")

    def __init__(self, raw: Any, default: Any, optional: Any) -> None:
        self.raw, self.default, self.optional = raw, default, optional

    @property
    def value(self) -> Any:
        if isinstance(self.raw, bool):
            return "1" if self.raw else "0"
        if self.raw is None or isinstance(self.raw, (list, dict)) or callable(self.raw):
            return self.raw
        return str(self.raw)

    def __bool__(self) -> bool:
        return bool(self.raw)

    def __eq__(self, other: object) -> bool:
        return bool(self.raw == (other.raw if isinstance(other, OptionValue) else other))

    def __hash__(self) -> int:
        return hash(str(self.raw))

    def __repr__(self) -> str:
        return f"{self.raw!r} (default {self.default!r}, allowed {self.optional})"


class Group:
    """A group of options: reading gives an OptionValue or another group, setting validates."""

    def __init__(self, path: str) -> None:
        self.__dict__["_path"] = path
        self.__dict__["_rows"] = {}
        self.__dict__["_values"] = {}
        self.__dict__["_groups"] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._groups:
            return self._groups[name]
        if name in self._rows:
            row = self._rows[name]
            return OptionValue(self._values.get(name, row.default), row.default, allowed_text(row))
        raise self._unknown(name)

    def __setattr__(self, name: str, value: Any) -> None:
        row = self._rows.get(name)
        if row is None:
            if name in self._groups:
                raise errors.BadOptionKind(
                    option=self._full(name), allowed="set through its members", value=value, kind=type(value).__name__
                )
            raise self._unknown(name)
        self._values[name] = validate(row, value)

    def __dir__(self) -> list[str]:
        return sorted({*self._rows, *self._groups, *super().__dir__()})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and dict(leaves(self)) == dict(leaves(other))

    __hash__ = object.__hash__

    def _full(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name

    def _unknown(self, name: str) -> errors.UnknownOption:
        known = [*self._rows, *self._groups]
        hit = difflib.get_close_matches(name, known, n=1, cutoff=0.55)
        elsewhere = [
            r.path[: f".{r.path}.".index(f".{name}.") + len(name)] for r in _TABLE if f".{name}." in f".{r.path}."
        ]
        near = f" Did you mean {hit[0]!r}?" if hit else f" There is {elsewhere[0]!r}." if elsewhere else ""
        owner = f"CompilerConfig.{self._path}" if self._path else "CompilerConfig"
        return errors.UnknownOption(owner=owner, option=name, near=near, known=", ".join(known))


class CompilerConfig(Group):
    """The options of one compilation.

    >>> config = CompilerConfig()
    >>> config.debug.graph_dump.type = "py"
    >>> config.debug.graph_dump.type.value
    'py'

    Raises UnknownOption (a ValueError) for a misspelt option, BadOptionValue (ValueError), BadOptionKind (TypeError),
    OptionPathMissing (FileNotFoundError).
    """

    def __init__(self) -> None:
        super().__init__("")
        for row in _TABLE:
            *groups, name = row.path.split(".")
            place: Group = self
            for i, group in enumerate(groups):
                place = place._groups.setdefault(group, Group(".".join(groups[: i + 1])))
            place._rows[name] = row

    def raw(self, path: str) -> Any:
        """The plain value of an option by its path."""
        place: Any = self
        for part in path.split("."):
            place = getattr(place, part)
        return place.raw

    def is_set(self, path: str) -> bool:
        """Whether somebody set the option, be it to its default."""
        return path.split(".")[-1] in self._owner(path)._values

    def as_dict(self) -> tuple[dict[str, str], dict[str, str]]:
        """The GE keys that are set: (of the graph, of the process)."""
        local: dict[str, str] = {}
        glob: dict[str, str] = {}
        for row in _TABLE:
            value = getattr(self._owner(row.path), row.path.split(".")[-1])
            key = row.key or (
                _DUMP_KEYS.get(row.path.split(".")[-1], "") if row.path.startswith("dump_config.") else ""
            )
            if (
                not key
                or value.raw is None
                or (row.path.startswith("dump_config.") and not self.raw("dump_config.enable_dump"))
            ):
                continue
            text = str(value.value)
            if key == "ge.topoSortingMode":
                text = "3" if self.raw("ge_config.oo_level") == "O1" else _TOPOLOGY[text]
            elif key == "ge.jit_compile":
                text = "2"
            (glob if row.glob else local)[key] = text
        return local, glob

    def _owner(self, path: str) -> Group:
        place: Group = self
        for part in path.split(".")[:-1]:
            place = place._groups[part]
        return place


def leaves(group: Group) -> Iterator[tuple[str, Any]]:
    """Every option below a group with its plain value."""
    for name, row in group._rows.items():
        yield group._full(name), group._values.get(name, row.default)
    for child in group._groups.values():
        yield from leaves(child)


def validate(row: Row, value: Any) -> Any:
    """The value to store. Raises as CompilerConfig says; tells once that an option has no effect here."""
    if value is None and row.default is None:
        return None
    _check(row, value)
    if value != row.default and row.policy == "N" and row.path not in _told:
        _told.add(row.path)
        warnings.warn(f"Option {row.path} is accepted and has no effect here: {row.reason}.", UserWarning, stacklevel=4)
    return value


def allowed_text(row: Row) -> str:
    """What a row allows, for people."""
    allowed = row.allowed
    if isinstance(allowed, list):
        return " or ".join(map(repr, allowed))
    if isinstance(allowed, tuple):
        return f"an int from {allowed[0]} to {allowed[1]}"
    return _KINDS[allowed][1] if allowed in _KINDS else f"text such as {_EXAMPLES[allowed]}"


_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "bool": (lambda v: isinstance(v, bool), "True or False"),
    "int": (lambda v: isinstance(v, int) and not isinstance(v, bool), "an int"),
    "str": (lambda v: isinstance(v, str), "a string"),
    "path": (lambda v: isinstance(v, (str, os.PathLike)), "the path of a folder, which is made where it is missing"),
    "dir": (lambda v: isinstance(v, (str, os.PathLike)), "an existing directory"),
    "file": (lambda v: isinstance(v, (str, os.PathLike)), "an existing file"),
    "json": (lambda v: isinstance(v, (str, os.PathLike)), "an existing .json file"),
    "call": (callable, "callable"),
    "dict": (lambda v: isinstance(v, dict), "a dict"),
    "any": (lambda v: True, "anything"),
}


def _backwards(steps: str) -> bool:
    """Whether a range of steps such as "3-1" holds none."""
    ranges = [part.split("-") for part in steps.split("|") if "-" in part]
    return any(int(first) > int(last) for first, last in ranges)


def _check(row: Row, value: Any) -> None:
    allowed, text = row.allowed, allowed_text(row)
    if isinstance(allowed, list):
        if not any(value == a and type(value) is type(a) for a in allowed):
            raise errors.BadOptionValue(option=row.path, value=value, allowed=f"allowed: {text}")
        return
    if isinstance(allowed, tuple):
        if not isinstance(value, int) or isinstance(value, bool):
            raise errors.BadOptionKind(option=row.path, allowed=text, value=value, kind=type(value).__name__)
        if not allowed[0] <= value <= allowed[1]:
            raise errors.BadOptionValue(option=row.path, value=value, allowed=f"allowed: {text}")
        return
    if allowed in _FORMS:
        if not isinstance(value, str):
            raise errors.BadOptionKind(option=row.path, allowed=text, value=value, kind=type(value).__name__)
        if not re.fullmatch(_FORMS[allowed], value) or (allowed == "step" and _backwards(value)):
            raise errors.BadOptionValue(option=row.path, value=value, allowed=f"allowed: {text}")
        return
    if not _KINDS[allowed][0](value):
        # a flag set to something else is a bad value in the original, a wrong kind for the others
        error = errors.BadOptionValue if allowed == "bool" else None
        if error is not None:
            raise error(option=row.path, value=value, allowed=f"allowed: {text}")
        raise errors.BadOptionKind(option=row.path, allowed=text, value=value, kind=type(value).__name__)
    if allowed == "path" and (not os.fspath(value) or os.path.isfile(value)):
        raise errors.BadOptionValue(option=row.path, value=value, allowed=f"allowed: {text}")
    exists = {"dir": os.path.isdir, "file": os.path.isfile, "json": os.path.isfile}.get(allowed)
    if exists is not None and not exists(value):
        raise errors.OptionPathMissing(option=row.path, value=value, allowed=text)
    if allowed == "json" and not str(value).endswith(".json"):
        raise errors.BadOptionValue(option=row.path, value=value, allowed=f"allowed: {text}")
