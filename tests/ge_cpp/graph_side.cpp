// The graph-side classes: Operator, Tensor, TensorDesc, Shape, sets of types, prototypes, V1 functions, tiling data.
#include <cstring>

#include "checks.h"
#include "graph/custom_op.h"
#include "graph/operator_reg.h"
#include "platform/platform_infos_def.h"
#include "register/op_def_registry.h"

using namespace ge;

REG_OP(Everything)
    .INPUT(x, TensorType({DT_FLOAT, DT_INT32}))
    .OPTIONAL_INPUT(bias, TensorType::ALL())
    .DYNAMIC_INPUT(parts, TensorType::BasicType())
    .OUTPUT(y, TensorType({DT_FLOAT, DT_INT32}))
    .DYNAMIC_OUTPUT(rest, TensorType::ALL())
    .ATTR(an_int, Int, 3)
    .ATTR(a_float, Float, 0.5)
    .ATTR(a_bool, Bool, true)
    .ATTR(a_text, String, "hello, world")
    .ATTR(an_ascend, AscendString, "asc")
    .ATTR(a_type, Type, DT_BF16)
    .ATTR(ints, ListInt, {1, 2, 3})
    .ATTR(none, ListInt, {})
    .ATTR(floats, ListFloat, {0.5, 1})
    .ATTR(bools, ListBool, {true, false})
    .ATTR(texts, ListString, {"a", "b"})
    .ATTR(types, ListType, {DT_FLOAT, DT_INT8})
    .ATTR(nested, ListListInt, {{1, 2}, {}, {3}})
    .ATTR(bytes, Bytes, {1, 255})
    .ATTR(named, NamedAttrs, NamedAttrs())
    .ATTR(tensor, Tensor, Tensor())
    .REQUIRED_ATTR(needed, Int)
    .GRAPH(body)
    .DYNAMIC_GRAPH(branches)
    .OP_END_FACTORY_REG(Everything)

        namespace other { // the prototype of another name space
  REG_OP(Inner).INPUT(x, "T").OUTPUT(x, "T").DATATYPE(T, TensorType({DT_FLOAT})).OP_END_FACTORY_REG(Inner);
}

IMPLEMT_VERIFIER(Everything, EverythingVerify) { return op.get_attr_an_int() > 0 ? GRAPH_SUCCESS : GRAPH_FAILED; }
IMPLEMT_INFERFUNC(Everything, EverythingInfer) {
  TensorDesc out = op.get_input_desc_x();
  return op.update_output_desc_y(out);
}
VERIFY_FUNC_REG(Everything, EverythingVerify);
INFER_FUNC_REG(Everything, EverythingInfer);
COMMON_INFER_FUNC_REG(Everything, ELMTWISE_INFER_SHAPEANDTYPE("x", "y")); // the second one is not taken
REG_OP(Wide)
    .INPUT(a, TensorType::ALL())
    .INPUT(b, TensorType::ALL())
    .OUTPUT(c, TensorType::ALL())
    .OP_END_FACTORY_REG(Wide) COMMON_INFER_FUNC_REG(Wide, BROADCAST_INFER("a", "b", "c"));

static void Prototypes() {
  op::Everything one("first");
  AscendString name, type;
  (void)one.GetName(name);
  (void)one.GetOpType(type);
  CHECK("an operator has name and type", name == "first" && type == "Everything");
  CHECK("generated names", op::Everything::name_in_x() == "x" && op::Everything::name_out_y() == "y" &&
                               op::Everything::name_attr_an_int() == "an_int");
  CHECK("defaults of scalar attributes", one.get_attr_an_int() == 3 && one.get_attr_a_float() == 0.5f &&
                                             one.get_attr_a_bool() && one.get_attr_a_type() == DT_BF16);
  CHECK("defaults of texts", one.get_attr_a_text() == "hello, world" && one.get_attr_an_ascend() == "asc");
  AscendString text;
  CHECK("text attributes answer with an AscendString",
        one.get_attr_a_text(text) == GRAPH_SUCCESS && text == "hello, world");
  CHECK("defaults of lists", one.get_attr_ints() == std::vector<int64_t>{1, 2, 3} && one.get_attr_none().empty() &&
                                 one.get_attr_bools()[0] && one.get_attr_nested()[2][0] == 3 &&
                                 one.get_attr_types()[1] == DT_INT8 && one.get_attr_bytes()[1] == 255);
  one.set_attr_an_int(9).set_attr_ints({7});
  CHECK("setters chain", one.get_attr_an_int() == 9 && one.get_attr_ints() == std::vector<int64_t>{7});
  one.set_attr_an_int([]() -> int64_t { return 1; });
  CHECK("a function as a value is ignored", one.get_attr_an_int() == 9);
  int64_t value = 0;
  CHECK("a required attribute has no value",
        one.GetAttr("needed", value) == GRAPH_FAILED && one.get_attr_needed() == 0);
  one.create_dynamic_input_parts(2).create_dynamic_output_rest(3);
  CHECK("dynamic ports count", one.GetDynamicInputNum("parts") == 2 && one.GetDynamicOutputNum("rest") == 3);
  CHECK("inputs count tensors; an absent optional has none", one.GetInputsSize() == 3 && one.GetOutputsSize() == 4);
  TensorDesc desc(Shape({4}), FORMAT_ND, DT_INT8);
  CHECK("dynamic descriptions", one.update_dynamic_input_desc_parts(1, desc) == GRAPH_SUCCESS &&
                                    one.get_dynamic_input_desc_parts(1).GetDataType() == DT_INT8);
  CHECK("a bad name fails", one.UpdateInputDesc("no", desc) == GRAPH_FAILED);
  op::Everything two("second");
  two.update_output_desc_y(TensorDesc(Shape({2, 2}), FORMAT_ND, DT_INT32));
  one.set_input_x(two);
  CHECK("an edge carries the description", one.get_input_desc_x().GetDataType() == DT_INT32);
  CHECK("factory", OperatorFactory::IsExistOp("Everything") && OperatorFactory::IsExistOp("Inner") &&
                       !OperatorFactory::IsExistOp("Nothing"));
  CHECK("an unknown type gives an empty operator", OperatorFactory::CreateOperator("n", "Nothing").IsEmpty());
  CHECK("V1 inference runs the first function",
        one.InferShapeAndType() == GRAPH_SUCCESS && one.get_output_desc_y().GetShape().GetDims().size() == 2);
  CHECK("the verifier answers",
        one.VerifyAllAttr() == GRAPH_SUCCESS && one.set_attr_an_int(-1).VerifyAllAttr() != GRAPH_SUCCESS);
  Operator wide = OperatorFactory::CreateOperator("w", "Wide");
  (void)wide.UpdateInputDesc("a", TensorDesc(Shape({4, 1}), FORMAT_ND, DT_FLOAT));
  (void)wide.UpdateInputDesc("b", TensorDesc(Shape({3}), FORMAT_ND, DT_FLOAT));
  CHECK("broadcast inference", wide.InferShapeAndType() == GRAPH_SUCCESS &&
                                   wide.GetOutputDescByName("c").GetShape().GetDims() == std::vector<int64_t>{4, 3});
  (void)wide.UpdateInputDesc("b", TensorDesc(Shape({5, 3}), FORMAT_ND, DT_FLOAT));
  CHECK("broadcast of contradicting shapes fails", wide.InferShapeAndType() != GRAPH_SUCCESS);
  std::vector<std::pair<AscendString, AscendString>> inputs, outputs, attrs;
  CHECK("prototype query", GetRegisteredIrDef("Everything", inputs, outputs, attrs) == GRAPH_SUCCESS &&
                               inputs[1].second == "optional" && inputs[2].second == "dynamic" &&
                               attrs[0].second == "VT_INT" && attrs[6].second == "VT_LIST_INT" && attrs.size() == 17);
  CHECK("query of an unknown type fails", GetRegisteredIrDef("Nothing", inputs, outputs, attrs) == GRAPH_FAILED);
}

static void Attributes() {
  Operator any("Any");
  any.SetAttr("i", 5).SetAttr("u", uint32_t{7}).SetAttr("s", "text").SetAttr("f", 0.25f).SetAttr("b", true);
  int32_t i = 0;
  int64_t wide = 0;
  uint32_t u = 0;
  bool b = false;
  float f = 0;
  std::string s;
  AscendString a;
  CHECK("integers of every width", any.GetAttr("i", i) == GRAPH_SUCCESS && any.GetAttr("i", wide) == GRAPH_SUCCESS &&
                                       any.GetAttr("u", u) == GRAPH_SUCCESS && i == 5 && wide == 5 && u == 7);
  CHECK("text both ways",
        any.GetAttr("s", s) == GRAPH_SUCCESS && any.GetAttr("s", a) == GRAPH_SUCCESS && s == "text" && a == "text");
  CHECK("float and bool",
        any.GetAttr("f", f) == GRAPH_SUCCESS && f == 0.25f && any.GetAttr("b", b) == GRAPH_SUCCESS && b);
  CHECK("another kind fails", any.GetAttr("i", f) == GRAPH_FAILED && any.GetAttr("none", i) == GRAPH_FAILED);
  std::vector<int32_t> narrow{1, 2}, back;
  any.SetAttr("l", narrow);
  CHECK("lists convert", any.GetAttr("l", back) == GRAPH_SUCCESS && back == narrow);
  NamedAttrs named;
  named.SetName("fn");
  AttrValue value;
  (void)value.SetAttrValue(int64_t{11});
  (void)named.SetAttr("k", value);
  any.SetAttr("named", named);
  NamedAttrs read;
  AttrValue got;
  CHECK("named attributes", any.GetAttr("named", read) == GRAPH_SUCCESS && read.GetAttr("k", got) == GRAPH_SUCCESS &&
                                got.GetValue(wide) == GRAPH_SUCCESS && wide == 11);
}

static void Tensors() {
  CHECK("[-2] has rank 0", Shape({UNKNOWN_DIM_NUM}).GetDimNum() == 0);
  CHECK("a bad index is 0", Shape({4}).GetDim(7) == 0 && Shape({4}).SetDim(7, 1) == GRAPH_FAILED);
  CHECK("sizes of shapes", Shape().GetShapeSize() == 0 && Shape({2, 3}).GetShapeSize() == 6 &&
                               Shape({2, -1}).GetShapeSize() == -1 && Shape({INT64_MAX, 2}).GetShapeSize() == 0);
  TensorDesc desc;
  CHECK("a description defaults to ND and FLOAT", desc.GetFormat() == FORMAT_ND && desc.GetDataType() == DT_FLOAT);
  (void)desc.SetUnknownDimNumShape();
  CHECK("an unknown rank", desc.GetShape().GetDims() == std::vector<int64_t>{-2});
  (void)desc.SetShapeRange({{1, 4}});
  std::vector<std::pair<int64_t, int64_t>> range;
  (void)desc.GetShapeRange(range);
  CHECK("ranges of dimensions", range.size() == 1 && range[0].second == 4);
  TensorDesc copy = desc;
  copy.SetDataType(DT_INT8);
  CHECK("descriptions copy by value", desc.GetDataType() == DT_FLOAT);
  Tensor tensor(TensorDesc(Shape({2}), FORMAT_ND, DT_INT32), std::vector<uint8_t>(8, 1));
  CHECK("a tensor with fitting bytes is valid", tensor.GetSize() == 8 && tensor.IsValid() == GRAPH_SUCCESS);
  Tensor clone = tensor.Clone();
  clone.GetData()[0] = 9;
  CHECK("a clone has its own bytes", tensor.GetData()[0] == 1);
  (void)tensor.SetData(std::vector<uint8_t>(3));
  CHECK("a tensor with other bytes is not valid", tensor.IsValid() == GRAPH_FAILED);
  int deleted = 0;
  {
    uint8_t bytes[4] = {5};
    Tensor foreign(TensorDesc(Shape({1}), FORMAT_ND, DT_INT32));
    (void)foreign.SetData(bytes, 4, [&deleted](uint8_t *) { ++deleted; });
    CHECK("foreign memory is used as it is", foreign.GetData() == bytes && foreign.GetSize() == 4);
  }
  CHECK("foreign memory is given back", deleted == 1);
  CHECK("sets of types",
        TensorType::FLOAT().Types().size() == 3 && TensorType::FloatingDataType().Types().size() == 3 &&
            TensorType::RealNumberType().Types().size() == 12 && TensorType::ALL().Types().size() == 23 &&
            TensorType::QuantifiedType().Types().size() == 5);
}

namespace optiling {
BEGIN_TILING_DATA_DEF(Sub)
TILING_DATA_FIELD_DEF(uint8_t, a);
TILING_DATA_FIELD_DEF(uint32_t, b);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(SubOp, Sub)
BEGIN_TILING_DATA_DEF(Whole)
TILING_DATA_FIELD_DEF(uint32_t, n);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, arr);
TILING_DATA_FIELD_DEF(uint64_t, m);
TILING_DATA_FIELD_DEF_STRUCT(Sub, sub);
TILING_DATA_FIELD_DEF(float, scale);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(WholeCustom, Whole)
BEGIN_TILING_DATA_DEF(Orphan)
TILING_DATA_FIELD_DEF(uint8_t, a);
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(UsesOrphan)
TILING_DATA_FIELD_DEF_STRUCT(Orphan, orphan);
END_TILING_DATA_DEF;
} // namespace optiling

static void TilingClasses() {
  struct PlainSub {
    uint8_t a;
    uint32_t b;
  };
  struct Plain {
    uint32_t n;
    uint16_t arr[3];
    uint64_t m;
    PlainSub sub;
    float scale;
  } image;
  optiling::Whole whole;
  uint16_t numbers[3] = {1, 2, 3};
  whole.set_n(7);
  whole.set_arr(numbers);
  whole.set_m(1ULL << 40);
  whole.sub.set_a(4);
  whole.sub.set_b(5);
  whole.set_scale(0.5f);
  CHECK("the image has the size of the C structure", whole.GetDataSize() == sizeof(Plain));
  memset(&image, 0, sizeof(image));
  whole.SaveToBuffer(&image, sizeof(image));
  CHECK("the image has the layout of the C structure", image.n == 7 && image.arr[2] == 3 && image.m == 1ULL << 40 &&
                                                           image.sub.a == 4 && image.sub.b == 5 && image.scale == 0.5f);
  CHECK("getters read back", whole.get_n() == 7 && whole.get_arr()[1] == 2 && whole.sub.get_b() == 5);
  CHECK("gaps are fields",
        std::string(whole.GetFieldInfo()[2].name_) == "mPH" && whole.GetFieldInfo()[2].array_size_ == 6);
  CHECK("the class knows its name", std::string(whole.GetTilingClassName()) == "Whole");
  uint64_t outside[8] = {0};
  optiling::Whole bound(outside);
  bound.set_n(3);
  CHECK("bound memory is written at once", static_cast<uint32_t>(outside[0]) == 3);
  Plain untouched{};
  bound.SaveToBuffer(&untouched, sizeof(untouched));
  CHECK("saving bound data does nothing", untouched.n == 0);
  bool thrown = false;
  try {
    optiling::UsesOrphan orphan;
  } catch (const std::exception &) {
    thrown = true;
  }
  CHECK("an unregistered structure throws", thrown);
  CHECK("classes by operator",
        optiling::CTilingDataClassFactory::GetInstance().CreateTilingDataInstance("WholeCustom") &&
            !optiling::CTilingDataClassFactory::GetInstance().CreateTilingDataInstance("No"));
}

static graphStatus ShapeOf(gert::InferShapeContext *) { return GRAPH_SUCCESS; }
static graphStatus OtherShapeOf(gert::InferShapeContext *) { return GRAPH_SUCCESS; }
static graphStatus TypeOf(gert::InferDataTypeContext *) { return GRAPH_SUCCESS; }
static graphStatus TilingOf(gert::TilingContext *) { return GRAPH_SUCCESS; }
IMPL_OP(Merged).InferShape(ShapeOf).InputsDataDependency({1, 64});
IMPL_OP(Merged).InferShape(OtherShapeOf).InferDataType(TypeOf).Tiling(TilingOf, 64);

namespace ops {
class Defined : public OpDef {
public:
  explicit Defined(const char *name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Follow("x", FollowType::SHAPE);
    this->Attr("axis").AttrType(OPTIONAL).Int(-1);
    this->SetInferShape(ShapeOf).SetInferDataType(TypeOf);
    this->AICore().SetTiling(TilingOf).AddConfig("ascend910b");
    OpAICoreConfig config;
    config.DynamicCompileStaticFlag(true).ExtendCfgInfo("opFile.value", "defined");
    this->AICore().AddConfig("ascend910_93", config);
  }
};
OP_ADD(Defined);
} // namespace ops

static void Implementations() {
  const size_t count = GetRegisteredOpNum();
  std::vector<gert::TypesToImpl> all(count);
  CHECK("the count must match", GetOpImplFunctions(all.data(), count + 1) == -1);
  CHECK("functions come sorted by type",
        GetOpImplFunctionsV2(all.data(), count) == 0 && count >= 2 && std::string(all[0].op_type) < all[1].op_type);
  for (const auto &entry : all) {
    if (std::string(entry.op_type) == "Merged") {
      CHECK("the last function of a field wins", entry.funcs.infer_shape == OtherShapeOf);
      CHECK("other fields stay", entry.funcs.IsInputDataDependency(1) && entry.funcs.infer_datatype == TypeOf);
      CHECK("indices from 64 on are refused", entry.funcs.inputs_dependency == 2);
      CHECK("the tiling buffer's size is kept", entry.funcs.max_tiling_data_size == 64);
    }
    if (std::string(entry.op_type) == "Defined")
      CHECK("OP_ADD registers its functions", entry.funcs.infer_shape == ShapeOf && entry.funcs.tiling == TilingOf);
  }
  ops::OpDef defined = ops::OpDefFactory::OpDefCreate("Defined");
  CHECK("a definition keeps its ports",
        defined.GetInputs().size() == 1 && defined.GetInputs()[0].GetDataTypes().size() == 2 &&
            defined.GetAttrs()[0].GetDefault() == "-1" && !defined.GetAttrs()[0].IsRequired());
}

class First : public EagerExecuteOp {
public:
  graphStatus Execute(gert::EagerOpExecutionContext *) override { return GRAPH_SUCCESS; }
};
REG_AUTO_MAPPING_OP(First);
REG_AUTO_MAPPING_OP(First)

static void Creators() {
  CHECK("a null creator is refused", CustomOpFactory::RegisterCustomOpCreator("Null", nullptr) == GRAPH_PARAM_INVALID);
  CHECK("a second creator is refused", CustomOpFactory::RegisterCustomOpCreator("First", [] {
                                         return std::unique_ptr<BaseCustomOp>(new First());
                                       }) == GRAPH_FAILED);
  BaseCustomOp *instance = CustomOpFactory::CreateOrGetCustomOp("First");
  CHECK("one instance per type", instance != nullptr && instance == CustomOpFactory::CreateOrGetCustomOp("First"));
  CHECK("mixins are found by dynamic_cast",
        dynamic_cast<EagerExecuteOp *>(instance) != nullptr && dynamic_cast<ShapeInferOp *>(instance) == nullptr);
  CHECK("an unknown type has no instance", CustomOpFactory::CreateOrGetCustomOp("Nothing") == nullptr);
  CHECK("ABI number of the pull list", GetRegisteredCustomOpCreatorAbiVersion() == 1);
  const size_t count = GetRegisteredCustomOpCreatorNum();
  CHECK("the pull list keeps duplicates", count == 2);
  struct Wide {
    CustomOpTypeToCreator entry;
    uint64_t more;
  } list[2];
  CHECK("entries lie struct_size apart", GetRegisteredCustomOpCreators(&list[0].entry, 2, sizeof(Wide)) == 0 &&
                                             std::string(list[1].entry.op_type) == "First" &&
                                             list[1].entry.creator != nullptr);
  CHECK("too few places or too small entries fail",
        GetRegisteredCustomOpCreators(&list[0].entry, 1, sizeof(Wide)) == -1 &&
            GetRegisteredCustomOpCreators(nullptr, 2, sizeof(Wide)) == -1 &&
            GetRegisteredCustomOpCreators(&list[0].entry, 2, 4) == -1);
  CustomOpFactory::RemoveCustomOp("First");
  CHECK("removal forgets creator and instance",
        !CustomOpFactory::IsExistOp("First") && CustomOpFactory::CreateOrGetCustomOp("First") == nullptr);
}

static void Platform() {
  fe::PlatFormInfos infos;
  std::string value;
  CHECK("entries by label and key", infos.GetPlatformRes("AICoreSpec", "ub_size", value) && value == "196608" &&
                                        infos.GetCoreNum() == 24 && !infos.GetPlatformRes("AICoreSpec", "no", value));
}

int main() {
  Platform();
  Prototypes();
  Attributes();
  Tensors();
  TilingClasses();
  Implementations();
  Creators();
}
