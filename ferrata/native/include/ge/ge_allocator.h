// ge::Allocator: memory that a caller provides to the engine.
#pragma once
#include <cstddef>

#include "../graph/compiler_def.h"

namespace ge {

class Allocator;

class MemBlock {
public:
  MemBlock(Allocator &allocator, void *addr, size_t size) : allocator_(allocator), addr_(addr), size_(size) {}
  virtual ~MemBlock() = default;
  const void *GetAddr() const { return addr_; }
  void *GetAddr() { return addr_; }
  size_t GetSize() const { return size_; }
  void SetSize(size_t size) { size_ = size; }
  inline void Free();
  size_t AddCount() { return ++count_; }
  size_t SubCount() { return --count_; }
  size_t GetCount() const { return count_; }

private:
  Allocator &allocator_;
  void *addr_;
  size_t size_;
  size_t count_ = 1;
};

class Allocator {
public:
  Allocator() = default;
  virtual ~Allocator() = default;
  virtual MemBlock *Malloc(size_t size) = 0;
  virtual void Free(MemBlock *block) = 0;
  virtual MemBlock *MallocAdvise(size_t size, void *) { return Malloc(size); }
};

// The last owner gives the block back.
inline void MemBlock::Free() {
  if (SubCount() == 0)
    allocator_.Free(this);
}

} // namespace ge
