#include "register/op_def_registry.h"
namespace ops {
class Affine : public OpDef {
public:
  explicit Affine(const char *name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32});
    this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32});
    this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32});
    this->Attr("scale").AttrType(REQUIRED).Float();
    this->Attr("shifts").AttrType(OPTIONAL).ListInt({1, 2, 3});
    this->Attr("mode").AttrType(OPTIONAL).String("all");
    this->Attr("eps").AttrType(OPTIONAL).Float(1e-12f);
    this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(Affine);
} // namespace ops
