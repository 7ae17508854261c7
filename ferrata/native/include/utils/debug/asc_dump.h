// Dumps by pointer instead of by tensor. The address space of a pointer is found from its value.
#pragma once
#include "ferrata/asc.h"
#include "ferrata/core/debug.h"

namespace ferrata {
// Which memory of the core `address` lies in; GM when in none.
inline Memory memory_at(const void *address) {
  const Core *running = core();
  for (int m = static_cast<int>(Memory::ub); m < static_cast<int>(Memory::count); ++m)
    if (reinterpret_cast<uint64_t>(address) >> 32 == reinterpret_cast<uint64_t>(running->memory[m]) >> 32)
      return static_cast<Memory>(m);
  return Memory::gm;
}
template <class T> inline void dump_pointer(const T *pointer, uint32_t label, uint32_t count, Loc loc) {
  if constexpr (ASCENDC_DUMP != 0) {
    const Memory memory = memory_at(pointer);
    uint64_t address = reinterpret_cast<uint64_t>(pointer), available = count;
    if (memory == Memory::gm) {
      if (count)
        ferrata_check_gm(pointer, bytes_of<T>(count), "asc_dump", "pointer", loc);
    } else {
      address = static_cast<uint32_t>(address);
      available = address < chip_bytes(memory) ? (chip_bytes(memory) - address) / sizeof(T) : 0;
    }
    ferrata_dump(pointer, address, type_of<T>, memory_names[static_cast<int>(memory)], label, available, count, nullptr,
                 0, loc);
  }
}
} // namespace ferrata

template <class T>
inline void asc_dump(const T *pointer, uint32_t desc, uint32_t size, ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::dump_pointer(pointer, desc, size, loc);
}
template <class T>
inline void asc_dump_gm(const __gm__ T *pointer, uint32_t desc, uint32_t size,
                        ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::dump_pointer(pointer, desc, size, loc);
}
template <class T>
inline void asc_dump_ubuf(const __ubuf__ T *pointer, uint32_t desc, uint32_t size,
                          ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::dump_pointer(pointer, desc, size, loc);
}
template <class T>
inline void asc_dump_l1buf(const __cbuf__ T *pointer, uint32_t desc, uint32_t size,
                           ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::dump_pointer(pointer, desc, size, loc);
}
template <class T>
inline void asc_dump_cbuf(const __cc__ T *pointer, uint32_t desc, uint32_t size,
                          ferrata::Loc loc = ferrata::Loc::here()) {
  ferrata::dump_pointer(pointer, desc, size, loc);
}
