// Sizes and behaviour of the value types, as the interface states them.
#include <cstring>
#include <string>

#include "checks.h"
#include "exe_graph/runtime/annotated_args_context.h"
#include "exe_graph/runtime/op_execute_launch_context.h"
#include "exe_graph/runtime/op_execute_prepare_context.h"
#include "exe_graph/runtime/tensor.h"
#include "graph/ct_infer_shape_context.h"
#include "graph/custom_op.h"
#include "graph/infer_format_context.h"
#include "graph/utils/type_utils.h"
#include "register/op_impl_registry.h"
#include "utils/extern_math_util.h"

using namespace gert;

static void Sizes() {
  CHECK("Shape is 248 bytes", sizeof(Shape) == 248);
  CHECK("Stride is 248 bytes", sizeof(Stride) == 248);
  CHECK("StorageShape is 536 bytes", sizeof(StorageShape) == 536);
  CHECK("ExpandDimsType is 48 bytes", sizeof(ExpandDimsType) == 48);
  CHECK("StorageFormat is 96 bytes", sizeof(StorageFormat) == 96);
  CHECK("TensorData is 72 bytes", sizeof(TensorData) == 72);
  CHECK("Tensor is 752 bytes", sizeof(Tensor) == 752);
  CHECK("TensorV2 is 1048 bytes", sizeof(TensorV2) == 1048);
  CHECK("CompileTimeTensorDesc is 144 bytes", sizeof(CompileTimeTensorDesc) == 144);
  CHECK("AnchorInstanceInfo is 48 bytes", sizeof(AnchorInstanceInfo) == 48);
  CHECK("ComputeNodeInfo is 88 bytes", sizeof(ComputeNodeInfo) == 88);
  CHECK("RuntimeAttrs is 8 bytes", sizeof(RuntimeAttrs) == 8);
  CHECK("ContinuousVector is 64 bytes", sizeof(ContinuousVector) == 64);
  CHECK("ContinuousVectorVector is 64 bytes", sizeof(ContinuousVectorVector) == 64);
  CHECK("Chain is 16 bytes", sizeof(Chain) == 16);
  CHECK("Range is 56 bytes", sizeof(Range<Shape>) == 56);
  CHECK("KernelExtendInfo is 72 bytes", sizeof(KernelExtendInfo) == 72);
  CHECK("TilingData is 64 bytes", sizeof(TilingData) == 64);
  CHECK("KernelArgs is 56 bytes", sizeof(KernelArgs) == 56);
  CHECK("AscendString is 16 bytes", sizeof(ge::AscendString) == 16);
  CHECK("Dim3 is 12 bytes", sizeof(Dim3) == 12);
  CHECK("every context is 48 bytes", sizeof(KernelContext) == 48 && sizeof(ExtendedKernelContext) == 48 &&
                                         sizeof(EagerOpExecutionContext) == 48 && sizeof(UpdateArgsContext) == 48 &&
                                         sizeof(InferShapeContext) == 48 && sizeof(InferShapeRangeContext) == 48 &&
                                         sizeof(InferDataTypeContext) == 48 && sizeof(InferFormatContext) == 48 &&
                                         sizeof(OpCompileContext) == 48 && sizeof(AnnotatedArgsContext) == 48 &&
                                         sizeof(TilingContext) == 48 && sizeof(TilingParseContext) == 48 &&
                                         sizeof(OpExecuteContext) == 48 && sizeof(OpExecutePrepareContext) == 48 &&
                                         sizeof(OpExecuteLaunchContext) == 48 && sizeof(CtInferShapeContext) == 48);
  CHECK("value types are standard layout",
        std::is_standard_layout_v<Shape> && std::is_standard_layout_v<StorageShape> &&
            std::is_standard_layout_v<StorageFormat> && std::is_standard_layout_v<TensorData> &&
            std::is_standard_layout_v<Tensor> && std::is_standard_layout_v<TensorV2> &&
            std::is_standard_layout_v<ComputeNodeInfo> && std::is_standard_layout_v<EagerOpExecutionContext> &&
            std::is_standard_layout_v<TilingContext>);
}

static void Shapes() {
  Shape shape{2, 3, 4};
  CHECK("a shape has the rank of its list", shape.GetDimNum() == 3 && shape.GetDim(2) == 4 && shape[1] == 3);
  CHECK("the size is the product", shape.GetShapeSize() == 24);
  CHECK("a scalar has size 1", Shape().GetShapeSize() == 1 && Shape().IsScalar());
  CHECK("-1 is an ordinary factor", (Shape{-1, 3}.GetShapeSize() == -3));
  CHECK("overflow gives INT64_MIN", (Shape{INT64_MAX, 2}.GetShapeSize() == INT64_MIN));
  CHECK("a list of 26 gives rank 0",
        (Shape{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}.GetDimNum() == 0));
  CHECK("a dimension from 25 on is INT64_MIN", shape.GetDim(25) == INT64_MIN);
  CHECK("a dimension beyond the rank is its slot", shape.GetDim(3) == 0);
  Shape set;
  set.SetDim(2, 7);
  CHECK("SetDim(i) makes the rank max(rank, i)", set.GetDimNum() == 2 && set.GetDim(2) == 7);
  set.SetDim(25, 1);
  CHECK("SetDim(25) is ignored", set.GetDimNum() == 2);
  Shape left{1, 2, 9}, right{1, 2, 8};
  left.SetDimNum(2);
  right.SetDimNum(2);
  CHECK("equality looks at live dimensions only", left == right);
  Shape target{5, 6, 7};
  target = Shape{1};
  CHECK("assignment copies live dimensions only", target.GetDimNum() == 1 && target.GetDim(1) == 6);
  Shape full;
  for (int i = 0; i < 30; ++i)
    full.AppendDim(1);
  CHECK("AppendDim stops at 25", full.GetDimNum() == 25);
  CHECK("AppendDim returns the shape", &full.AppendDim(1) == &full);
  StorageShape both({1, 2}, {1, 16, 2});
  CHECK("GetShape of a storage shape is the origin", both.GetShape().GetDimNum() == 2);
  CHECK("MutableShape is the origin", &both.MutableShape() == &both.MutableOriginShape());
  CHECK("the storage shape is its own", both.GetStorageShape().GetDimNum() == 3);
  Stride stride{3, 1};
  stride.AppendStride(1);
  CHECK("a stride mirrors a shape",
        stride.GetDimNum() == 3 && stride.GetStride(0) == 3 && stride.GetStride(25) == INT64_MIN);
}

static void Formats() {
  ExpandDimsType expand("1001");
  CHECK("text gives length and mask", expand.GetFullSize() == 4 && expand.IsExpandIndex(0) && !expand.IsExpandIndex(1));
  Shape out;
  CHECK("Expand inserts axes", expand.Expand(Shape{8, 6}, out) == ge::GRAPH_SUCCESS && out == Shape{1, 8, 6, 1});
  CHECK("Expand of a short shape fails", ExpandDimsType("000").Expand(Shape{1}, out) != ge::GRAPH_SUCCESS);
  CHECK("text longer than 56 gives nothing", ExpandDimsType(std::string(57, '1').c_str()).GetFullSize() == 0);
  const int64_t packed = (int64_t{4} << 56) | 0x1ff;
  CHECK("an integer gives the length and the low 8 mask bits", ExpandDimsType(packed).GetFullSize() == 4 &&
                                                                   ExpandDimsType(packed).IsExpandIndex(7) &&
                                                                   !ExpandDimsType(packed).IsExpandIndex(8));
  StorageFormat format(ge::FORMAT_NCHW, ge::FORMAT_ND, expand);
  CHECK("a storage format keeps both formats",
        format.GetOriginFormat() == ge::FORMAT_NCHW && format.GetStorageFormat() == ge::FORMAT_ND);
  const int32_t word = ge::GetFormatFromSubAndC0(ge::FORMAT_FRACTAL_Z, 7, 5);
  CHECK("a format word takes apart", ge::GetPrimaryFormat(word) == ge::FORMAT_FRACTAL_Z &&
                                         ge::GetSubFormat(word) == 7 && ge::GetC0Value(word) == 16);
  CHECK("no C0 code gives -1", ge::GetC0Value(ge::FORMAT_ND) == -1);
}

static int freed = 0, shared = 0;
static ge::graphStatus Manage(TensorAddress, TensorOperateType operation, void **out) {
  static int block = 0;
  if (operation == kGetTensorAddress)
    *out = &block;
  freed += operation == kFreeTensor ? 1 : 0;
  shared += operation == kPlusShareCount ? 1 : 0;
  return ge::GRAPH_SUCCESS;
}

static void Tensors() {
  float values[4] = {1, 2, 3, 4};
  {
    TensorData plain(values);
    CHECK("without a manager the address is used as it is", plain.GetAddr() == values);
    CHECK("the default placement is the end marker", plain.GetPlacement() == kTensorPlacementEnd);
  }
  {
    TensorData managed(values, Manage, 16, kOnHost);
    CHECK("a manager gives the address", managed.GetAddr() != values && managed.GetAddr() != nullptr);
    TensorData other;
    (void)other.ShareFrom(managed);
    CHECK("sharing asks the manager", shared == 1 && other.IsSharedWith(managed) && other.GetSize() == 16);
    TensorData moved(static_cast<TensorData &&>(managed));
    CHECK("moving empties the source", managed.GetAddr() == nullptr && moved.GetSize() == 16);
    TensorAddrManager manager = nullptr;
    CHECK("Release gives up without freeing", moved.Release(manager) == values && manager == Manage && freed == 0);
  }
  CHECK("an owner that dies frees once", freed == 1);

  const StorageFormat nd(ge::FORMAT_ND, ge::FORMAT_ND, ExpandDimsType());
  Tensor tensor(StorageShape({2, 2}, {2, 2}), nd, kOnHost, ge::DT_FLOAT, values);
  CHECK("the size of a tensor with memory is computed", tensor.GetSize() == 16 && tensor.GetShapeSize() == 4);
  CHECK("GetData is typed",
        tensor.GetData<float>()[3] == 4.0f && static_cast<const Tensor &>(tensor).GetAddr() == values);
  Tensor described(StorageShape({2}, {2}), nd, ge::DT_FLOAT16);
  CHECK("a tensor without memory has size 0 and no placement",
        described.GetSize() == 0 && described.GetPlacement() == kTensorPlacementEnd && described.GetAddr() == nullptr);
  Tensor sized(StorageShape({4}, {1, 16}), nd, kOnHost, ge::DT_INT8, values);
  CHECK("the number of elements is that of the storage shape", sized.GetShapeSize() == 16);
  CHECK("a pointer to a tensor is a pointer to its origin shape",
        reinterpret_cast<const Shape *>(&sized)->GetDim(0) == 4);
  tensor.MutableTensorData().SetSize(8);
  CHECK("SetSize through the tensor data", tensor.GetSize() == 8);
  size_t total = 0;
  auto holder = Tensor::CreateFollowing(3, ge::DT_FLOAT, total);
  Tensor *following = reinterpret_cast<Tensor *>(holder.get());
  CHECK("following data lie after the object",
        total == 752 + 12 && following->GetPlacement() == kFollowing && following->GetAddr() == holder.get() + 752);
  auto exact = Tensor::CreateFollowing(ge::DT_STRING, 100, total);
  CHECK("following data of a given size", total == 852 && reinterpret_cast<Tensor *>(exact.get())->GetSize() == 100);
  TensorV2 view(StorageShape({2}, {2}), nd, ge::DT_FLOAT, Stride{1}, 3);
  CHECK("a TensorV2 starts with a tensor of version 1",
        reinterpret_cast<Tensor *>(&view)->GetVersion() == kTensorV2 && view.GetOffset() == 3);
  view.MutableTensor().SetPlacement(kFollowing);
  CHECK("following data of a TensorV2 start at byte 1048",
        view.MutableTensor().GetAddr() == reinterpret_cast<uint8_t *>(&view) + 1048);
}

static void Vectors() {
  auto holder = ContinuousVector::Create<int64_t>(4);
  auto *vector = reinterpret_cast<ContinuousVector *>(holder.get());
  CHECK("a vector starts empty", vector->GetSize() == 0 && vector->GetCapacity() == 4);
  CHECK("SetSize beyond the capacity is out of range", vector->SetSize(5) == ge::GRAPH_PARAM_OUT_OF_RANGE);
  CHECK("SetSize within the capacity", vector->SetSize(4) == ge::GRAPH_SUCCESS && vector->GetSize() == 4);
  auto *typed = reinterpret_cast<TypedContinuousVector<int64_t> *>(holder.get());
  typed->MutableData()[3] = 9;
  CHECK("a typed vector reads the same elements", static_cast<const int64_t *>(vector->GetData())[3] == 9);
  Shape low{1}, same{1}, high{4};
  Range<Shape> a(&low, &high), b(&same, &high), c(&high);
  CHECK("ranges compare pointers, then values", a == b && a != c);
  auto block = TilingData::CreateCap(10);
  auto *tiling = reinterpret_cast<TilingData *>(block.get());
  CHECK("tiling data append", tiling->Append(uint64_t{7}) == ge::GRAPH_SUCCESS && tiling->GetDataSize() == 8);
  CHECK("appending beyond the capacity fails",
        tiling->Append(uint64_t{7}) == ge::GRAPH_FAILED && tiling->GetDataSize() == 8);
  CHECK("Expand gives the next bytes", tiling->Expand(2) == static_cast<uint8_t *>(tiling->GetData()) + 8);
  CHECK("Expand beyond the capacity is null", tiling->Expand(1) == nullptr);
  int64_t many[1] = {0};
  CHECK("an overflowing count is reported", tiling->Append(many, SIZE_MAX) == ge::GRAPH_MUL_OVERFLOW);
  AnnotatedKernelArgs args(InputAddr{0, nullptr}, OutputAddr{1, nullptr}, uint64_t{5});
  CHECK("annotated arguments take 8 bytes each", args.GetSlots().size() == 3 && args.GetStatus() == ge::GRAPH_SUCCESS);
  (void)args.AppendArg(InputAddr{0x80000000U, nullptr});
  CHECK("an index above INT32_MAX fails for good", args.AppendArg(uint64_t{1}) == ge::GRAPH_FAILED);
}

static void Types() {
  using namespace ge;
  CHECK("sizes of whole types", GetSizeByDataType(DT_FLOAT) == 4 && GetSizeByDataType(DT_BF16) == 2 &&
                                    GetSizeByDataType(DT_COMPLEX128) == 16 && GetSizeByDataType(DT_DUAL) == 5 &&
                                    GetSizeByDataType(DT_RESOURCE) == 8 && GetSizeByDataType(DT_VARIANT) == 8);
  CHECK("sizes below a byte", GetSizeByDataType(DT_INT4) == 1004 && GetSizeByDataType(DT_UINT1) == 1001 &&
                                  GetSizeByDataType(DT_INT2) == 1002 && GetSizeByDataType(DT_FLOAT6_E3M2) == 1006 &&
                                  GetSizeByDataType(DT_HIFLOAT4) == 1004);
  CHECK("text, undefined and number 5 have no size",
        GetSizeByDataType(DT_STRING) == -1 && GetSizeByDataType(DT_STRING_REF) == -1 &&
            GetSizeByDataType(DT_UNDEFINED) == -1 && GetSizeByDataType(static_cast<DataType>(5)) == -1);
  CHECK("bytes round up below a byte", GetSizeInBytes(3, DT_INT4) == 2 && GetSizeInBytes(9, DT_UINT1) == 2);
  CHECK("texts take 16 bytes each", GetSizeInBytes(3, DT_STRING) == 48);
  CHECK("negative, unsupported and overflowing counts give -1", GetSizeInBytes(-1, DT_FLOAT) == -1 &&
                                                                    GetSizeInBytes(1, DT_UNDEFINED) == -1 &&
                                                                    GetSizeInBytes(INT64_MAX, DT_FLOAT) == -1);
  CHECK("names of types", TypeUtils::DataTypeToSerialString(DT_FLOAT16) == "DT_FLOAT16" &&
                              TypeUtils::DataTypeToSerialString(DT_BF16) == "DT_BFLOAT16" &&
                              TypeUtils::SerialStringToDataType("DT_BF16") == DT_BF16 &&
                              TypeUtils::SerialStringToDataType("DT_BFLOAT16") == DT_BF16 &&
                              TypeUtils::SerialStringToDataType("DT_FLOAT32") == DT_FLOAT);
  CHECK("unknown names and numbers", TypeUtils::DataTypeToSerialString(static_cast<DataType>(5)) == "UNDEFINED" &&
                                         TypeUtils::SerialStringToDataType("DT_NO") == DT_UNDEFINED);
  const AscendString none(nullptr), empty(""), text("ab");
  CHECK("null text reads as empty", std::string(none.GetString()).empty());
  CHECK("null sorts before empty and differs from it", none < empty && none != empty && empty < text);
  CHECK("equal texts are equal", text == AscendString("ab") && text.GetLength() == 2);
  int64_t out = 0;
  CHECK("MulOverflow and AddOverflow report", MulOverflow(INT64_MAX, 2, out) && !AddOverflow(1, 2, out) && out == 3);
  CHECK("statuses", GRAPH_SUCCESS == 0 && GRAPH_FAILED == 0xFFFFFFFFU && GRAPH_PARAM_INVALID == 50331649U);
}

int main() {
  Sizes();
  Shapes();
  Formats();
  Tensors();
  Vectors();
  Types();
}
