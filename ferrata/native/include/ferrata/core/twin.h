// Helpers for looking at local memory while a kernel is debugged.
#pragma once
#include "ferrata/core/debug.h"

namespace AscendC {
// A watched range of local memory, (startAddr, endAddr] in units of 32 bytes. Accepted and checked; every access is
// checked here anyway, so no watch is armed.
struct CheckLocalMemoryIAParam {
  uint8_t enableBit = 0;
  uint32_t startAddr = 0;
  uint32_t endAddr = 0;
  bool isScalarRead = false;
  bool isScalarWrite = false;
  bool isVectorRead = false;
  bool isVectorWrite = false;
  bool isMteRead = false;
  bool isMteWrite = false;
  bool isEnable = false;
  uint32_t reserved = 0;
  constexpr CheckLocalMemoryIAParam() {}
  constexpr CheckLocalMemoryIAParam(uint8_t unit, uint32_t start, uint32_t end, bool scalar_read, bool scalar_write,
                                    bool vector_read, bool vector_write, bool mte_read, bool mte_write, bool enable)
      : enableBit(unit), startAddr(start), endAddr(end), isScalarRead(scalar_read), isScalarWrite(scalar_write),
        isVectorRead(vector_read), isVectorWrite(vector_write), isMteRead(mte_read), isMteWrite(mte_write),
        isEnable(enable) {}
};

inline void CheckLocalMemoryIA(const CheckLocalMemoryIAParam &param, ferrata::Loc loc = ferrata::Loc::here()) {
  if (param.enableBit > 3)
    ferrata_fault(ferrata::Fault::BadArgument, "CheckLocalMemoryIA", loc.file, loc.line,
                  "enableBit is %u; there are watch units 0..3", param.enableBit);
  if (param.endAddr < param.startAddr)
    ferrata_fault(ferrata::Fault::BadArgument, "CheckLocalMemoryIA", loc.file, loc.line,
                  "endAddr is %u, less than startAddr %u", param.endAddr, param.startAddr);
}

// LocalTensor::Print and ToFile.
template <class T> inline void LocalTensor<T>::Print() const { Print(GetSize()); }
template <class T> inline void LocalTensor<T>::Print(uint32_t count, ferrata::Loc loc) const {
  if (count > GetSize())
    ferrata_fault(ferrata::Fault::OutOfBounds, "LocalTensor::Print", loc.file, loc.line,
                  "%u elements are asked for and the tensor has %u", count, GetSize());
  ferrata_print_tensor(data_, ferrata::type_of<T>, count);
}
template <class T> template <class Name> inline int LocalTensor<T>::ToFile(const Name &name) const {
  if constexpr (ferrata::is_pointer<ferrata::bare<Name>>)
    return ferrata_save_tensor(data_, bytes_, name);
  else
    return ferrata_save_tensor(data_, bytes_, name.c_str());
}
} // namespace AscendC
