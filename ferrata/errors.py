"""Every error that ferrata raises, each a class whose docstring is its message template.

A template says what happened, where, what was expected and what to do. Raise with keyword arguments:
`raise NoPrototype(op="AddCustm", where="model.py:12", near="AddCustom")`. A standard class may be a second
base so that `except ValueError` written for the vendor's packages keeps working.
"""

from __future__ import annotations

import inspect
import json
import string
from typing import Any

from ferrata import faults


class FerrataError(Exception):
    """{message}"""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields
        super().__init__(self.render())

    def render(self) -> str:
        """The docstring of the class with the fields filled in; a field left out is a programming error."""
        template = inspect.cleandoc(type(self).__doc__ or "{message}")
        return string.Formatter().vformat(template, (), self.fields)

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__.get("fields", {})
        if name in fields:
            return fields[name]
        raise AttributeError(name)

    def __repr__(self) -> str:
        # torch quotes errors by their repr: the text as it is can be read there too
        return f"{type(self).__name__}: {self}"

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), self.fields)


def _rebuild(cls: type[FerrataError], fields: dict[str, Any]) -> FerrataError:
    return cls(**fields)


# --- ground -----------------------------------------------------------------------------------------------------


class UnknownChip(FerrataError, ValueError):
    """{arch!r} is not a chip that ferrata knows. Known: {known}. Set FERRATA_NPU_ARCH or --npu-arch to one of them."""


class NoCompiler(FerrataError, RuntimeError):
    """No C++ compiler found: tried {tried}.

    Install one (Debian/Ubuntu: `sudo apt-get install g++`; Fedora: `sudo dnf install gcc-c++`) or set CXX to its path.
    """


class CacheNotWritable(FerrataError, OSError):
    """The cache folder {folder} cannot be written: {reason}.

    Set FERRATA_CACHE_DIR to a folder that can be; compiled libraries are kept there.
    """


class NativeBuildFailed(FerrataError, RuntimeError):
    """Building {what} with {compiler} failed (exit code {code}).

    Command: {command}
    {output}
    """


# --- asc --------------------------------------------------------------------------------------------------------


class DriverUsage(FerrataError, ValueError):
    """{message}"""


class NoBinutils(FerrataError, RuntimeError):
    """Joining the code for vector cores and the code for cube cores needs {missing}, which is not on PATH. Install binutils."""


class CompileError(FerrataError, RuntimeError):
    """{path} does not compile for {arch} (exit code {code}):

    {output}
    """


# --- commands ---------------------------------------------------------------------------------------------------


class NotAScript(FerrataError, FileNotFoundError):
    """{path} is not a Python script that can be run. Usage: ferrata run script.py [arguments], or ferrata run -m module."""


class DemoFailed(FerrataError, RuntimeError):
    """The demo's step {step!r} gave {got}, expected {expected}. This is a fault of ferrata: please report it with `ferrata info`."""


# --- graph ------------------------------------------------------------------------------------------------------


class GraphError(FerrataError, RuntimeError):
    """{message}"""


class NoConverter(GraphError):
    """{count} node(s) of this graph have no way to GE:
    {listing}
    For each: register a converter with @torchair.register_fx_node_ge_converter({example}), or register a GE prototype whose type,
    ports and attributes match the operator's schema (then the converter is derived). `ferrata coverage` also shows graphs that come
    later, behind a graph break.
    """


class ConverterFailed(GraphError):
    """The converter of {target} for node {node} at {where} raised {kind}: {reason}{others}"""


class ConverterSignature(GraphError, TypeError):
    """The converter of {target} cannot be called as node {node} at {where} calls the operator: {problem}.

    Given: {given}. The converter is {converter}.
    It gets the arguments of {schema} as the model passes them, by these names where by keyword; a parameter with a
    default may be left out.
    """


class TensorArithmetic(GraphError, TypeError):
    """The converter of {target} at {where} computes `{written}` on a ge.Tensor, which has no Python arithmetic.

    A converter builds nodes: ge_apis.{api}, with `from torchair._ge_concrete_graph import ge_apis`; numbers become
    tensors by ge.Const.
    """


class DecompositionFailed(GraphError):
    """The decomposition of {target} at {where} {problem}

    It is {function} and gets the arguments of {schema}; it gives what the operator gives.
    """


class PassFailed(GraphError):
    """The pass {name} ({where}) raised {kind}: {reason}

    {advice}
    """


class PassInvalid(PassFailed):
    """The pass {name} ({where}) left a graph that cannot be compiled: {problem}

    {advice}
    """


class NoPrototype(GraphError):
    """GE operator type {op!r} at {where} has no prototype.{near}

    Declare it with REG_OP({op}) in a loaded library (torch.ops.load_library), or in Python with ferrata.ge.register_op.
    Registered by libraries and Python so far: {known}.
    """


class NoImplementation(GraphError):
    """GE operator {op} (node {node} at {where}) has a prototype but nothing implements it.

    Engines asked: {refusals}
    The prototype comes from {origin}. In C++ add REG_AUTO_MAPPING_OP({op}) for a class with Execute, in Python
    @ferrata.ge.register_op_impl({op!r}).
    """


class MetaMissing(GraphError):
    """{op} at {where} has no Meta (fake) implementation, so that its output shapes cannot be known while the graph is captured.

    Add one: torch.library.register_fake({op!r}) in Python, or TORCH_LIBRARY_IMPL({namespace}, Meta, m) in C++.
    """


class NoSuchOperator(GraphError, AttributeError):
    """torch.ops.{op} at {where} does not exist in this process.{near}

    Load the library that defines it (torch.ops.load_library), or import the module that does, before the model is compiled.
    """


class MetaMismatch(GraphError):
    """{op} (node {node}) at {where}: output {port}: PyTorch's Meta says {meta}, GE infers {ge}{assignment}.

    Meta comes from {meta_source}, GE from {ge_source}. One of them is wrong; the values must be equal.
    """


class InferFailed(GraphError):
    """GE inference of {op} (node {node}) at {where} failed: {reason}

    Inputs: {inputs}. The inference function comes from {origin}.
    """


class BranchMismatch(GraphError):
    """{op} (node {node}) at {where}: {branch}: {port}: expected {expected}; got {got}.

    The subgraphs of a node take what the node is fed and give what it has as outputs, in number and data type
    (BRANCH_TYPE_MISMATCH).
    """


class BranchIndex(GraphError, IndexError):
    """{op} (node {node}) at {where}: the index selects branch {index}; there are branches 0 to {last}."""


class CollectiveTimeout(GraphError, TimeoutError):
    """{op}: of the {count} ranks of group {group}, {missing} did not come within {seconds} s; here: {here} (this is {rank}).

    Every rank must run the same collectives. Look at what the missing ranks do; HCCL_CONNECT_TIMEOUT sets the seconds.
    """


class CollectiveFailed(GraphError):
    """{op} of group {group} (ranks {ranks}) failed: {reason}

    A rank that ended, or that runs no collective here, shows as a closed connection or a timeout.
    """


class CollectiveMismatch(GraphError):
    """{op}: the ranks of group {group} do not run the same collective (this is {rank}):
    {listing}

    Every rank must run the same collectives in the same order, on tensors of the same data type and fitting sizes.
    """


class OutputMismatch(GraphError):
    """{op} (node {node}) at {where}: output {port} was planned as {planned}, Execute produced {actual}.

    The plan comes from {plan_source}; make InferShape and InferDataType agree with what Execute allocates.
    """


class OutputNotSet(GraphError):
    """{op} (node {node}) at {where}: Execute returned success but did not allocate output {port}.

    Allocate it with MallocOutputTensor (in Python malloc_output); an output that is the input of the same name is set with
    MakeOutputRefInput (in Python make_output_ref_input).
    """


class ExecuteFailed(GraphError):
    """{op} (node {node}) at {where}: Execute {status}.

    {printed}
    """


class DtypeNotAllowed(GraphError, TypeError):
    """{op} at {where}: {direction} {port!r} is {dtype}, the prototype allows {allowed}{symbol}. The prototype comes from {origin}."""


class WrongInputCount(GraphError, IndexError, AssertionError):
    """{op} at {where}: {got} given, the prototype takes {expected}. Prototype: {signature}"""


class WrongOutputCount(GraphError, AssertionError):
    """{op} at {where}: {got} output(s), {expected} expected.{hint}"""


class UnknownPort(GraphError, AssertionError):
    """{op} at {where}: no {direction} is called {port!r}.{near} The prototype has: {known}."""


class MissingPort(GraphError, AssertionError):
    """{op} at {where}: required {direction} {port!r} is not given. The prototype has: {known}."""


class UnknownAttr(GraphError, AssertionError):
    """{op} at {where}: no attribute is called {attr!r}.{near} The prototype has: {known}."""


class MissingAttr(GraphError, AssertionError):
    """{op} at {where}: required attribute {attr!r} ({kind}) has no value. The prototype has: {known}."""


class BadAttr(GraphError, AssertionError, ValueError):
    """{op} at {where}: attribute {attr!r} must be {expected}, got {got}."""


class BadInput(GraphError, AssertionError, TypeError):
    """{op} at {where}: input {port!r} must be {expected}, got {got}."""


class ClusterOutOfMemory(GraphError):
    """Memory ran out on {device} while {cluster} ran ({count} nodes compiled together, {where}).

    One of its results or of the tensors between its nodes could not be allocated. What was allocated before is free
    again and the compiled function stays usable: call it with smaller inputs.
    """


class BadResult(GraphError, AssertionError):
    """The converter of {target} for node {node} at {where} must return {expected}, got {got}."""


class ForeignTensor(GraphError, AssertionError, ValueError):
    """{op} at {where}: {tensor} belongs to graph {theirs}, not to the graph {ours} that is being built.

    A ge.Tensor lives as long as the call of its converter: keep none in a global, a closure or a cache.
    """


class BadCall(GraphError, AssertionError, TypeError):
    """{op} at {where}: {argument} must be {expected}, got {got}."""


class BadDeclaration(GraphError, ValueError, TypeError):
    """{what} at {where}: {argument} must be {expected}, got {got}."""


class BadNodeName(GraphError, AssertionError):
    """{op} at {where}: node_name {name!r} is {problem}."""


class NotInConverter(GraphError):
    """{what} builds a node of a GE graph, so it may be called only inside a converter (or inside ferrata.ge.GraphBuilder)."""


class DuplicateOperator(GraphError, ValueError):
    """GE operator {op} is registered twice ({what}): first by {first}, now by {second}.

    The first one stays. Rename one of them, or load only one of the two.
    """


class DanglingEdge(GraphError, ValueError):
    """Node {node} at {where} reads {edge}, which does not exist in graph {graph}."""


class FeedMismatch(GraphError, ValueError):
    """Graph {graph} takes {expected}, fed {got}."""


class NotOneGraph(GraphError):
    """{what} needs {function} as one graph, and it cannot be captured as one: {reason}

    Remove what breaks the graph (printing, data-dependent Python branches, calls that PyTorch cannot trace), or use torch.cond
    and operators instead; torch.compile(..., fullgraph=True) shows the same problem step by step.
    """


class ScopeKind(GraphError, TypeError):
    """torchair.{what}: {argument} must be {expected}, got {got}."""


class ScopeValue(GraphError, ValueError):
    """torchair.{what}: {argument} must be {expected}, got {got}."""


class ScopeUnpaired(GraphError):
    """A scope at {where} was {what}.

    Use torchair.scope as `with` blocks that begin and end in one compiled function; a graph break inside one tears it apart.
    """


class OpsKind(GraphError, TypeError):
    """torchair.ops.{what}: {argument} must be {expected}, got {got}."""


class OpsValue(GraphError, ValueError):
    """torchair.ops.{what}: {argument} must be {expected}, got {got}."""


class OnlyInGraphs(GraphError, NotImplementedError):
    """torchair.{what} orders nodes of a compiled graph, and this call is not being compiled. Call it inside torch.compile."""


class NotInGraphMode(GraphError, NotImplementedError):
    """torchair.{what} at {where} has no meaning in a GE graph, whose engine manages the memory. Compile with npugraph_ex."""


class EventNeverRecorded(GraphError):
    """The graph waits for the event {tag!r}, which nothing has recorded: on hardware it would wait for ever.

    Call npu_tagged_event_record(event) before, in this graph or in one that runs earlier.
    """


class PatternFailed(GraphError):
    """register_replacement: cannot {doing}: {reason}

    The pattern is {pattern}.
    """


class CaptureRefused(GraphError):
    """{op} at {where} cannot be captured: {reason}.

    {way}
    """


class JointGradient(GraphError):
    """The joint graph has the gradients of the loss alone, and {result} was given a gradient too.

    {option} says which result is the loss. Do not use the other results in what you differentiate, or switch
    experimental_config.aot_config_enable_joint_graph off.
    """


class BadGears(GraphError, AssertionError):
    """set_dim_gears: {problem}."""


class SizeOutsideGears(GraphError, ValueError):
    """{what} is {size}, and the gears are {gears}.{hint}"""


class CacheUsage(GraphError, ValueError):
    """torchair.inference: {problem}."""


class CacheFolder(GraphError, OSError):
    """The cache folder {folder} cannot be used: {reason}. Set cache_dir or TORCHAIR_CACHE_HOME to one that can."""


class CacheNotOwned(GraphError, PermissionError):
    """{path} belongs to user {owner}, and this process runs as {me}: what others wrote is not run.

    Set cache_dir or TORCHAIR_CACHE_HOME to a folder of your own.
    """


class CacheNeedsNoGrad(GraphError):
    """The cached {function} computes no gradients, and gradients are on with tensors that require them.

    Call it under torch.no_grad() or torch.inference_mode(), or use torch.compile for training.
    """


class BadExport(GraphError, ValueError):
    """dynamo_export: {what} is {value}, and must be {expected}."""


class GraphNotStorable(GraphError, TypeError):
    """Node {node} ({op}) at {where} cannot be written to a file: it holds {what}, which means nothing to another process.

    Operators of torch.ops, GE types, numbers and tensors can be; a Python function or object in the graph cannot.
    """


class GraphFileMissing(GraphError, FileNotFoundError):
    """There is no file {path}. torchair.dynamo_export(..., export_path=folder, export_name=name) writes <folder>/<name>.air."""


class GraphFileDamaged(GraphError, ValueError):
    """{path} is not a graph file that can be read: {why}.

    Export it again; if it was copied, compare the sizes of both files.
    """


class GraphFileVersion(GraphError, ValueError):
    """The graph file has format version {found!r} (written by ferrata {ferrata}); this ferrata reads version {expected}.

    Export it again with this version, or read it with that one.
    """


class MissingOperators(GraphError, LookupError):
    """{count} operator(s) that the graph uses are not registered in this process:
    {listing}
    Load the library or import the module that registers them: `ferrata run-graph --library libops.so` or `--import my_ops`,
    torch.ops.load_library(...) or import in Python, or ASCEND_CUSTOM_OPP_PATH for installed packages.
    """


class MissingTorchOperator(GraphError, LookupError):
    """The graph calls {op}, which this process does not have.

    Import the package that defines it (`ferrata run-graph --import package`), or load its library (--library).
    """


class OperatorsNotLoaded(FerrataError, RuntimeError):
    """The operators of {what} were not loaded: {reason}"""


class BadArrayFile(FerrataError, ValueError):
    """Input {name}: {path} is no array that can be read (.npy, or .pt with one tensor): {reason}"""


class NotWritable(FerrataError, OSError):
    """{path} cannot be written: {reason}. Name another place."""


class OperatorChanged(GraphError, ValueError):
    """Operator {op} is registered as {now}, but the graph was made with {then}.

    Export the graph again, or load the version of the operator that it was made with.
    """


class UnknownOption(FerrataError, ValueError, AttributeError):
    """{owner} has no option {option!r}.{near} Options: {known}."""


class BadOptionValue(FerrataError, ValueError):
    """Option {option} cannot be {value!r}: {allowed}."""


class BadOptionKind(FerrataError, TypeError):
    """Option {option} must be {allowed}, got {value!r} ({kind})."""


class OptionPathMissing(FerrataError, FileNotFoundError):
    """Option {option}: {value!r} does not exist ({allowed} is needed)."""


class NotHere(FerrataError, NotImplementedError):
    """{what} cannot work here: {reason}. {instead}"""


class DtypeUnknown(FerrataError, RuntimeError):
    """{dtype} has no GE counterpart. Known: {known}."""


# --- seeing and comparing ---------------------------------------------------------------------------------------


class NothingCaptured(FerrataError, RuntimeError):
    """{what}: {where} ran without a graph being captured and called.

    The model must run inside: call it in the script, under torch.compile with one of ferrata's backends, or name a function
    that returns (model, inputs), such as `model.py:make`.
    """


class BadTarget(FerrataError, ValueError):
    """{target}: {problem}. Expected FILE.py, or FILE.py:NAME where NAME is a function without parameters that returns
    (model, inputs), or such a pair itself.
    """


class BadDumpFile(FerrataError, ValueError):
    """{path} is not a graph dump that can be read: {problem}.

    Pages are made of a script, a .air file, or a ge.proto text dump: DUMP_GE_GRAPH=1 or debug.graph_dump.type = "txt".
    """


class BadDumpFolder(FerrataError, ValueError):
    """{path} holds no data dump: {problem}. Write one with debug.data_dump or dump_config.enable_dump."""


# --- ge execution -----------------------------------------------------------------------------------------------


class NativeCallFailed(FerrataError, RuntimeError):
    """{op} (node {node}): {text}{printed}"""


class NotExecutable(GraphError):
    """{op} (node {node}) at {where} cannot be executed: {text}.

    Derive the class that REG_AUTO_MAPPING_OP({op}) names from EagerExecuteOp and implement Execute.
    """


class ExecutorInput(GraphError, TypeError):
    """{op} (node {node}) at {where}: {text}"""


# --- operator projects ------------------------------------------------------------------------------------------


class ProjectError(FerrataError, RuntimeError):
    """{message}"""


class NotAProject(ProjectError, FileNotFoundError):
    """{path} is no operator project: {problem}.

    A project is a folder with op_host/*.cpp (the OpDef, its tiling and inference) and op_kernel/*.cpp (the kernel).
    """


class NoOpDef(ProjectError):
    """The host sources of {path} register no operator: {files}.

    Define a class that derives from ops::OpDef and register it: OP_ADD(AddCustom);{hint}
    """


class KernelEntryMissing(ProjectError):
    """{op}: no kernel is called {entry!r} in {folder}.{near}

    The name follows from the operator's type: extern "C" __global__ __aicore__ void {entry}(...).
    Kernels there: {known}.
    """


class KernelParameters(ProjectError):
    """{where}: kernel {entry!r} has {got} parameters, operator {op} needs {expected}: {wanted}."""


class DtypeNotInOpDef(ProjectError, TypeError):
    """{op}: no column of its OpDef has the data types {given}. Its columns, position by position:{columns}"""


class NoInferShape(ProjectError):
    """{op} has no shape inference, so that its outputs have no shape.

    Add this->SetInferShape(...) to its OpDef, or IMPL_OP_INFERSHAPE({op}).InferShape(...).
    """


class InferShapeFailed(ProjectError):
    """{op}: {how}.

    {printed}
    """


class ShapeNotInferred(ProjectError):
    """{op}: InferShape left a dimension of output {port} unknown, {why}."""


class OutputShapeNotComputed(ProjectError):
    """{op}: the kernel gave {what} for output {output}, whose largest shape is {largest}.

    OutputShapeDependOnCompute: the kernel's parameter `shape_out`, before the workspace, takes 9 words of uint64_t for each
    such output: the number of dimensions (1 to 8), then the dimensions.
    """


class NoTilingFunction(ProjectError):
    """{op} has no tiling function.

    Add this->AICore().SetTiling(...) to its OpDef, or IMPL_OP_OPTILING({op}).Tiling(...).
    """


class TilingFailed(ProjectError):
    """{op}: {how}. The tiling function is at {where}.

    {printed}
    """


class TilingDataTooLarge(ProjectError):
    """{op}: the tiling data have {size} bytes, the buffer {capacity}. The tiling function is at {where}.

    Data beyond the buffer are lost. Make the structure smaller, or register with .Tiling(function, {size}).
    """


class BlockDimUnset(ProjectError):
    """{op}: the tiling function at {where} set no number of blocks, or 0. Call context->SetBlockDim(n) with n >= 1."""


class TilingKeyNotTaken(ProjectError):
    """{op}: the tiling function at {where} set the tiling key {key}, and no TILING_KEY_IS of the kernel asks for it.

    Nothing ran. Add a branch for {key} to the kernel, or call context->SetTilingKey with a key that it has.
    """


class TemplateKeyRefused(ProjectError):
    """{op}: the tiling key {key} stands for {parameters}, which no ASCENDC_TPL_SEL combination permits."""


class OutputNotAllocated(ProjectError):
    """{op}: an output could not be made: {reason}."""


class BadOpArgument(ProjectError, TypeError):
    """{op}: {problem}. Signature: {signature}"""


# --- operators in Python ----------------------------------------------------------------------------------------


class OperatorError(FerrataError):
    """{message}"""

    # The base of what a definition with `@fe.op` can be refused for. `excerpt` is the user's line and a caret.


class BadOperatorName(OperatorError, ValueError):
    """{where}: {name!r} is no name of an operator. Write a namespace and a name: "mylib::add"."""


class OperatorExists(OperatorError, ValueError):
    """{where}: there is an operator {name} already, defined at {first}. Give this one another name or namespace."""


class GeTypeTaken(OperatorError, ValueError):
    """{where}: the GE type {ge} of operator {name} exists already: {first}. Choose another: @fe.op({name!r}, ge="{proposal}")."""


class AnnotationMissing(OperatorError, TypeError):
    """{where}: {what} of operator {op} has no annotation.

    {excerpt}
    Write {example}.
    """


class UnknownAnnotation(OperatorError, TypeError):
    """{where}: {text} is no annotation of {what}: {reason}.

    {excerpt}
    {help}
    """


class BadDimension(OperatorError, ValueError):
    """{where}: dimension {text!r} of {what}: {reason}.

    {excerpt}
    """


class BadAttributeDefault(OperatorError, TypeError):
    """{where}: attribute {name} is declared {type} and its default {value} is {got}.

    {excerpt}
    """


class ParameterOrder(OperatorError, TypeError):
    """{where}: {what}.

    {excerpt}
    """


class UnboundDtype(OperatorError, TypeError):
    """{where}: output {output} of operator {op} has the element type {var}, which no input has that is always present.

    {excerpt}
    Give a tensor that is always there this type, or write one type for the output, such as ac.f32.
    """


class UnboundDimension(OperatorError, ValueError):
    """{where}: output {output} of operator {op} has the dimension {name}, which no input binds.

    {excerpt}
    A name must occur in a tensor that is always present, or be an int attribute. For a size that is computed
    otherwise, give the shape with @{function}.shape; for one that only the kernel knows, write "{name} <= most".
    """


class OutputAliasesInput(OperatorError, ValueError):
    """{where}: {what} of operator {op} would be memory of an input.

    {excerpt}
    An output is always new memory. What the operator writes in place is an argument fe.Mut[...]; it is not returned.
    """


class BodyIsIgnored(OperatorError, TypeError):
    """{where}: the body of operator {op} would never run: its signature defines it.

    {excerpt}
    Leave a docstring only. How to launch is the plan, @op.plan; the same in plain torch is @op.reference.
    """


class DimensionsDisagree(OperatorError, ValueError, RuntimeError):
    """{op}: dimension {name} is {first_size} in {first} and {second_size} in {second}.

    {signature}
    (defined at {where})
    """


class WrongRank(OperatorError, ValueError, RuntimeError):
    """{op}: {tensor} has the shape {shape}, its signature says [{dims}].

    {signature}
    (defined at {where})
    """


class WrongDtype(OperatorError, TypeError, RuntimeError):
    """{op}: {tensor} is {dtype}, {expected}.

    {signature}
    (defined at {where})
    """


class WrongLists(OperatorError, ValueError, RuntimeError):
    """{op}: {first} has {first_count} tensors and {second} has {second_count}; lists that share `...` have one length.

    {signature}
    (defined at {where})
    """


class WrongDevice(OperatorError, ValueError, RuntimeError):
    """{op}: {first} is on {first_device} and {second} on {second_device}. Move them to one device."""


class WrittenOverlaps(OperatorError, ValueError, RuntimeError):
    """{op}: {name}, which is written, shares part of its memory with {other}.

    Cores and tiles run in any order, so that {other} would be read before or after it is written. Pass {other}.clone().
    """


class NegativeSize(OperatorError, ValueError, RuntimeError):
    """{op}: output {output} would have the shape {shape}.

    {signature}
    (defined at {where})
    """


class CountOutOfRange(OperatorError, RuntimeError):
    """{op}: the kernel counted {name} = {count}, the signature allows 0 to {limit} ({name} <= {text}). Does each core write it?"""


class PlanMissing(OperatorError, RuntimeError):
    """{op}, defined at {where}, has no plan, so that nothing says how to launch it. Add below it:

    @{function}.plan
    def _({parameters}):
        return kernel.launch({parameters}, ..., cores=1)
    """


class PlanSignature(OperatorError, TypeError):
    """{where}: the plan of {op} takes ({got}); it must take ({expected}): inputs, attributes, {outputs}.

    {excerpt}
    """


class PlanReturnsNothing(OperatorError, TypeError):
    """{where}: the plan of {op} returns nothing{launched}.

    {excerpt}
    Return what kernel.launch(...) gives, or a list of such launches, which run in order.
    """


class PlanReturnsOther(OperatorError, TypeError):
    """{where}: the plan of {op} returns {got}; it must return what kernel.launch(...) gives, or a list of such launches.

    {excerpt}
    """


class PlanLaunchesNothing(OperatorError, RuntimeError):
    """{where}: the plan of {op} launches no kernel that gets {what}, so that nothing writes it ({shape}).

    {excerpt}
    Every output and written argument must be passed to a kernel that the plan returns a launch of.
    """


class PlanFailed(OperatorError, RuntimeError):
    """{where}: the plan of {op} raised {kind}: {reason}

    {excerpt}
    A plan sees shapes, dtypes and attributes, not values: x.shape, x.dim(), x.numel(), x.dtype, x is None.
    """


class PlanRefuses(OperatorError, ValueError):
    """{where}: {op} does not take these arguments: {reason}

    {excerpt}
    """


class LaunchArgument(OperatorError, TypeError):
    """{where}: the plan of {op} launches {kernel} with {name} = {got}; {expected}.

    {excerpt}
    """


class InputWritten(OperatorError, RuntimeError):
    """{where}: the plan of {op} gives input {input}, not declared as written, to {kernel}, which writes its {parameter}.

    {excerpt}
    Declare it as {input}: fe.Mut[...], or give the kernel an output.
    """


class OutputNotWritten(OperatorError, RuntimeError):
    """{where}: output {output} of {op} goes only to parameters that no kernel writes: {parameters}.

    {excerpt}
    """


class NotInPlan(OperatorError, RuntimeError):
    """{what} is only available while a plan runs: inside the function under @op.plan."""


class ShapeSpecializes(OperatorError, RuntimeError):
    """{where}: the shape function of {op} asks {condition}, which is not known while shapes are symbolic.

    {excerpt}
    It would fix the size, and compile anew for each. Compute with sizes only: + - * // %, torch.sym_max and
    torch.sym_min, fe.ceil_div; branch on x.dim() and attributes. State a condition with torch._check(...).
    """


class BadShapeResult(OperatorError, TypeError):
    """{where}: the shape function of {op} returned {got}; expected {expected}.

    {excerpt}
    """


class BackwardSignature(OperatorError, TypeError):
    """{where}: the backward of {op} has a parameter {name!r}.{near}

    {excerpt}
    It may have {grads}; the inputs, outputs and attributes that it needs, by name: {known}; and `needs`.
    """


class BackwardResult(OperatorError, TypeError):
    """{where}: the backward of {op} returned {got}; expected {expected}.

    {excerpt}
    """


class OperatorClosed(OperatorError, RuntimeError):
    """{name}, defined at {where}, was closed: it is no operator any more.

    A model that still holds it takes the new one when it is built anew.
    """


class BackwardOfWritten(OperatorError, TypeError):
    """{where}: the backward of {op} asks for {name}, which the operator overwrites: its old value is gone by then.

    {excerpt}
    Compute the gradients from {grads}, the other inputs, the attributes and the outputs. If that cannot be, define an
    operator that returns a new tensor, and give that one the backward.
    """


class WrittenNeedsGradient(OperatorError, RuntimeError):
    """{op} writes {written} and has no backward, and its argument {input} requires a gradient.

    Give it one (@op.backward), call it under torch.no_grad() or with {input}.detach(), or define an operator that returns a
    new tensor. (defined at {where})
    """


class VmapWrites(OperatorError, RuntimeError):
    """{op} under vmap: it writes {name}, which is not batched, while {batched} is: each sample would write the same memory."""


class VmapRagged(OperatorError, RuntimeError):
    """{op} under vmap: the size {name} is counted by the kernel and may differ from sample to sample, so that results do not stack."""


# --- npu --------------------------------------------------------------------------------------------------------


class DeviceNameTaken(FerrataError, RuntimeError):
    """Another accelerator backend is registered with torch in this process under the name {name!r}.

    torch has room for one. Remove `import {name}` (or set TORCH_DEVICE_BACKEND_AUTOLOAD=0 to keep it from loading by itself),
    or do not import ferrata's device.
    """


class NoSuchDevice(FerrataError, RuntimeError):
    """{variable}={value!r}: {problem}. It is a comma-separated list of device numbers below {count}."""


class NotOnEmulator(FerrataError, NotImplementedError):
    """torch.npu.{name} is not available on the emulated device: {reason}."""


class NotShared(FerrataError, NotImplementedError):
    """A tensor of npu ({size} bytes) cannot be shared with another process: memory of the emulated device belongs to one.

    Share a tensor of the CPU and copy it to the device in each process, or exchange tensors by torch.distributed.
    """


class OperatorAbsent(FerrataError, AttributeError, NotImplementedError):
    """torch_npu.{op} is not available on the emulated device: no loaded library defines torch.ops.npu.{op}.

    Write it with PyTorch's operators, as an operator of your own (`@fe.op`), or load the library that defines it:
    torch_npu.{op} is then that operator.
    """


class BadOption(FerrataError, ValueError):
    """{where}: {problem}. Allowed: {allowed}."""


class BadSetting(FerrataError, RuntimeError):
    """{where}: {problem}. Allowed: {allowed}."""


class UsedAfterFork(FerrataError, RuntimeError):
    """The npu device was used before this process forked, so this child process cannot use it.

    Start the child with multiprocessing.get_context("spawn"), or use the device only after the fork.
    """


class LibraryMissing(FerrataError, OSError):
    """There is no library at {path}. Build it first; inside the sample folders: `cmake --build build`."""


class LibraryForAnotherTorch(FerrataError, RuntimeError):
    """{path} was built against torch {built}, this process runs torch {running}. Build it again with this Python's torch.

    {detail}
    """


class LibraryNotLoadable(FerrataError, RuntimeError):
    """{path} cannot be loaded: {reason}.

    {advice}
    """


# --- kernels ----------------------------------------------------------------------------------------------------


class KernelFault(FerrataError, RuntimeError):
    """{message}"""


class OutOfBounds(KernelFault):
    """{message}

    The access leaves its tensor, buffer or device memory block. {advice}
    """

    def __init__(self, **fields: Any) -> None:
        super().__init__(**{**fields, "advice": _bounds_advice(fields)})

    def render(self) -> str:
        """The message without the blank that an empty advice leaves."""
        return super().render().rstrip()


class HostPointer(KernelFault):
    """{message}

    A kernel can touch device memory only: copy the data with aclrtMemcpy or tensor.npu() and pass that address.
    """


class Misaligned(KernelFault):
    """{message}"""


class UbOverBudget(KernelFault):
    """{message}

    Use smaller tiles or fewer buffers; double buffering counts twice.
    """


class QueueMisuse(KernelFault):
    """{message}

    {advice}
    """

    def __init__(self, **fields: Any) -> None:
        python = str(fields.get("file", "")).endswith(".py")
        advice = "A block goes AllocTensor, EnQue, DeQue, FreeTensor, in this order."
        if python:
            advice = "A block is filled in `with q.put()` and used in `with q.get()`: alloc, enque, deque, free, in this order."
        super().__init__(**{**fields, "advice": advice})


class EventMisuse(KernelFault):
    """{message}

    Each SetFlag needs one WaitFlag of the same HardEvent and id, and the other way round.
    """


class BadArgument(KernelFault):
    """{message}"""


class WrongPosition(KernelFault):
    """{message}"""


class WrongCore(KernelFault):
    """{message}"""


class AssertFailed(KernelFault):
    """{message}"""


class Trapped(KernelFault):
    """{message}"""


class Deadlock(KernelFault):
    """{message}

    On the hardware the task would run into its time limit.
    """


class DivisionByZero(KernelFault, ZeroDivisionError):
    """{message}"""


class WildAddress(KernelFault):
    """{message}"""


class NotInKernel(KernelFault):
    """{message}"""


class BadLaunch(KernelFault):
    """{message}"""


def _bounds_advice(fields: dict[str, Any]) -> str:
    """What to do about an access out of bounds, by what accessed."""
    python = str(fields.get("file", "")).endswith(".py")
    match str(fields.get("api", "")).rpartition("::")[2]:
        case "DataCopy" | "DataCopyPad" if "convert" not in str(fields.get("python")):
            how = "m = min(tile, n - i); ac.copy(a[:m], x[i:])" if python else "DataCopyPad takes any number of bytes"
            return f"The last tile is shorter where tiles do not go into the length: {how}."
        case "GetValue" | "SetValue" | "operator[]" | "operator()":
            return "An index counts elements from 0 and stays below the tensor's length."
    return ""


# --- kernels in Python --------------------------------------------------------------------------------------------


class KernelSourceError(FerrataError):
    """{file}:{line}: {message}

    {excerpt}
    {help}
    """

    # The base of what the kernel language refuses. `excerpt` is the user's line and a caret under the place.

    def render(self) -> str:
        """The message without the blank lines that an empty help leaves."""
        return super().render().rstrip()


class UnsupportedStatement(KernelSourceError):
    """{file}:{line}: a kernel cannot hold {what}.

    {excerpt}
    {help}
    """


class UnsupportedExpression(KernelSourceError):
    """{file}:{line}: {what} has no counterpart in a kernel.

    {excerpt}
    {help}
    """


class UnknownName(KernelSourceError, NameError):
    """{file}:{line}: {name!r} is not known here.{near}

    {excerpt}
    {help}
    """


class NoValue(KernelSourceError, UnboundLocalError):
    """{file}:{line}: {name!r} may have no value here: it has none {path}.

    {excerpt}
    {help}
    """


class UnknownAttribute(KernelSourceError, AttributeError):
    """{file}:{line}: {owner} has no {name!r}.{near}

    {excerpt}
    {help}
    """


class MissingAnnotation(KernelSourceError, TypeError):
    """{file}:{line}: parameter {name!r} of kernel {kernel!r} has no annotation.

    {excerpt}
    {help}
    """


class BadAnnotation(KernelSourceError, TypeError):
    """{file}:{line}: parameter {name!r} of {kernel!r} is annotated {annotation}, which a kernel cannot take.

    {excerpt}
    {help}
    """


class TypeChanges(KernelSourceError, TypeError):
    """{file}:{line}: {name!r} is {before} since line {since} and would become {after}.

    {excerpt}
    {help}
    """


class WrongType(KernelSourceError, TypeError):
    """{file}:{line}: {what} takes {expected}, not {got}.

    {excerpt}
    {help}
    """


class WrongArguments(KernelSourceError, TypeError):
    """{file}:{line}: {name} {problem}.

    {excerpt}
    {help}
    """


class BufferInLoop(KernelSourceError):
    """{file}:{line}: {what} would be allocated again on every pass of the loop.

    {excerpt}
    {help}
    """


class BufferUse(KernelSourceError):
    """{file}:{line}: {problem}.

    {excerpt}
    {help}
    """


class SizeUnknown(KernelSourceError):
    """{file}:{line}: {what} needs a size that is known when the kernel is instantiated.

    {excerpt}
    {help}
    """


class BadSlice(KernelSourceError):
    """{file}:{line}: {problem}.

    {excerpt}
    {help}
    """


class CopyRefused(KernelSourceError):
    """{file}:{line}: ac.copy cannot copy {problem}.

    {excerpt}
    {help}
    """


class LoopVariable(KernelSourceError):
    """{file}:{line}: {problem}.

    {excerpt}
    {help}
    """


class NotConstant(KernelSourceError):
    """{file}:{line}: {what} must be known while translating.

    {excerpt}
    {help}
    """


class RecursiveHelper(KernelSourceError):
    """{file}:{line}: {name!r} calls itself ({path}); device code has no recursion.

    {excerpt}
    {help}
    """


class KernelMisplaced(KernelSourceError):
    """{file}:{line}: {problem}.

    {excerpt}
    {help}
    """


class UnknownInterface(KernelSourceError, AttributeError):
    """{file}:{line}: there is no {name}.{near}

    {excerpt}
    {help}
    """


class NotOnThisChip(KernelSourceError):
    """{file}:{line}: a kernel for {chip} has no {name}.

    {excerpt}
    {help}
    """


class NoMatchingForm(KernelSourceError, TypeError):
    """{file}:{line}: {name} has no form for these arguments.

    {excerpt}
    {forms}
    {help}
    """


class ElementTypeNotTaken(KernelSourceError, TypeError):
    """{file}:{line}: {problem}.

    {excerpt}
    {help}
    """


class ArgumentOutOfRange(KernelSourceError, ValueError):
    """{file}:{line}: {name}: {what} is {value}, outside {range}.

    {excerpt}
    {help}
    """


class ArgumentNotTaken(KernelSourceError, ValueError):
    """{file}:{line}: {name}: {problem}.

    {excerpt}
    {help}
    """


class UnknownField(KernelSourceError, AttributeError):
    """{file}:{line}: {name} has no field {field!r}.

    {excerpt}
    {help}
    """


class NoKernelSource(FerrataError, OSError):
    """The source of {name!r} cannot be read ({reason}); a kernel is translated from its source.

    Put it in a file, or in a notebook cell; a kernel made by exec() or typed at python's prompt has none.
    """


class UbOverBudgetAtInstance(KernelSourceError):
    """{file}:{line}: kernel {kernel!r} with {binding} needs {bytes} bytes of the Unified Buffer; {arch} gives {budget}.

    {listing}
    {help}
    """


class BadInstance(FerrataError, TypeError):
    """{file}:{line}: kernel {kernel!r} cannot be instantiated: {problem}."""


class BadKernelArgument(FerrataError, TypeError):
    """{file}:{line}: kernel {kernel!r}, argument {name!r}: {problem}.

        {excerpt}
    (the kernel is defined at {defined})
    """


class KernelDoesNotCompile(KernelSourceError):
    """{file}:{line}: the C++ compiler refuses kernel {kernel!r}: {message}

    {excerpt}
    {help}
    """


class OnlyInKernels(FerrataError, RuntimeError):
    """ac.{name} has a meaning inside a function that is decorated with @ac.kernel, and in its helpers, only."""


# --- testing ----------------------------------------------------------------------------------------------------


class CheckFailed(FerrataError, AssertionError):
    """{op}: the check {check!r} failed ({runs}).

    {finding}{also}
    """


class BadCase(FerrataError, ValueError):
    """{op} cannot be called with {case}: {reason}."""


class NotAnOperator(FerrataError, TypeError):
    """{got} ({kind}) is not an operator.

    Give an operator made with @fe.op, a torch operator such as torch.ops.mylib.add, or its name "mylib::add"; its
    library must be loaded.
    """


class UnknownLayout(FerrataError, ValueError):
    """{layout!r} is not a layout. Known: {known}."""


class UnknownCheck(FerrataError, ValueError):
    """{check!r} is not a check. Known: {known}."""


class BadTuning(FerrataError, ValueError):
    """{what} cannot be tuned: {reason}."""


class CasesNeeded(FerrataError, ValueError):
    """Cases of {op} cannot be drawn from its signature: {reason}. Give them: cases=[fe.testing.case(...)]."""


# --- plans and export ---------------------------------------------------------------------------------------------


class PlanFeature(KernelSourceError):
    """{file}:{line}: {message}.

    {excerpt}
    {help}
    """


class PlanName(KernelSourceError, NameError):
    """{file}:{line}: {message}.

    {excerpt}
    {help}
    """


class PlanType(KernelSourceError, TypeError):
    """{file}:{line}: {message}.

    {excerpt}
    {help}
    """


class PlanLaunches(KernelSourceError):
    """{file}:{line}: {message}.

    {excerpt}
    {help}
    """


class ExportRefused(FerrataError):
    """{what} cannot be exported: {reason}.

    {help}
    """


class FolderInUse(FerrataError, FileExistsError):
    """{folder} exists and is not empty.

    {help}
    """


class NoOperatorFound(FerrataError, LookupError):
    """{target} has no operator{name}. {known}

    An operator is a function under @fe.op in that file; write FILE.py:NAME for one of several.
    """


class NameRefused(FerrataError, ValueError):
    """{name!r} cannot be the name of an operator: {reason}. Write small letters, digits and underscores, such as rms_norm."""


class PlanBuildFailed(FerrataError, RuntimeError):
    """The C++ of the plan of {op} does not compile.

    {output}
    """


class PlanRunFailed(FerrataError, RuntimeError):
    """The C++ of {what} of {op} failed: {reason}"""


def fault_from_json(text: str) -> KernelFault:
    """The error for a fault record of the native runtime (`ferrata_peek_fault`): its class is the record's "kind".

    Fields of the result: kind, message, detail, kernel, block, blocks, core, api, file, line; of a kernel from Python
    also python, the call as the line names it, and source, the line.
    """
    fields: dict[str, Any] = faults.in_python(json.loads(text))
    kind = globals().get(str(fields.get("kind")))
    cls = kind if isinstance(kind, type) and issubclass(kind, KernelFault) else KernelFault
    return cls(**fields)


def error_from_json(text: str) -> FerrataError:
    """The error that C++ named: {"class", "fields"}."""
    row: dict[str, Any] = json.loads(text)
    kind = globals().get(str(row.get("class")))
    cls = kind if isinstance(kind, type) and issubclass(kind, FerrataError) else FerrataError
    fields = {key: _decoded(value) for key, value in row.get("fields", {}).items()}
    return cls(**fields) if cls is not FerrataError else FerrataError(message=fields.get("message", text))


def error_to_json(error: FerrataError) -> str:
    """What `error_from_json` reads; fields become text."""
    fields = {key: value if isinstance(value, (str, int)) else str(value) for key, value in error.fields.items()}
    return json.dumps({"class": type(error).__name__, "fields": fields})


def _decoded(value: Any) -> Any:
    """C++ writes bytes above 0x7e as latin-1."""
    try:
        return value.encode("latin-1").decode() if isinstance(value, str) else value
    except UnicodeError:
        return value
