// What a host program or tiling function asks about the chip. The numbers come from the emulated device's row of the
// table of chips; FERRATA_NPU_ARCH chooses the row.
#pragma once
#include <stdint.h>
#include "ferrata/runtime.h"
#include "platform/soc_spec.h"

namespace fe {
class PlatFormInfos;
}

namespace platform_ascendc {
enum class CoreMemType { L0_A = 0, L0_B, L0_C, L1, L2, UB, HBM, FB, BT, RESERVED };
enum class SocVersion { ASCEND910 = 0, ASCEND910B, ASCEND310P, ASCEND310B, ASCEND950, RESERVED_VERSION = 99999 };
enum class ReservedSize { RESERVED_SIZE_8K, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

class PlatformAscendC {
public:
  explicit PlatformAscendC(fe::PlatFormInfos *) : PlatformAscendC(static_cast<const char *>(nullptr)) {}
  explicit PlatformAscendC(const char *soc) { known_ = ferrata_device_facts(soc, &facts_) == 0; }

  uint32_t GetCoreNum() const { return facts_.vector_cores; }
  uint32_t GetCoreNumAic() const { return facts_.cube_cores; }
  uint32_t GetCoreNumAiv() const { return facts_.vector_cores; }
  uint32_t GetCoreNumVector() const { return 0; }
  // The launch's numBlocks for data cut into `slices` parts; 0 for a kind of core that the kernel does not use.
  uint32_t CalcTschNumBlocks(uint32_t slices, uint32_t aic, uint32_t aiv) const {
    if (aic == 0 || aiv == 0 || aic > aiv)
      return slices;
    const uint32_t ratio = aiv / aic;
    return (slices + ratio - 1) / ratio;
  }
  uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aic, uint32_t aiv) const {
    return CalcTschNumBlocks(slices, aic, aiv);
  }
  uint32_t GetLibApiWorkSpaceSize() const { return facts_.system_workspace; }
  uint32_t GetResCubeGroupWorkSpaceSize() const { return facts_.system_workspace; }
  uint32_t GetResGroupBarrierWorkSpaceSize() const { return facts_.system_workspace; }

  void GetCoreMemSize(const CoreMemType &type, uint64_t &size) const {
    switch (type) {
    case CoreMemType::L0_A:
      size = facts_.bytes[3];
      return;
    case CoreMemType::L0_B:
      size = facts_.bytes[4];
      return;
    case CoreMemType::L0_C:
      size = facts_.bytes[5];
      return;
    case CoreMemType::L1:
      size = facts_.bytes[2];
      return;
    case CoreMemType::L2:
      size = facts_.l2_bytes;
      return;
    case CoreMemType::UB:
      size = facts_.bytes[1] - reserved_;
      return;
    case CoreMemType::HBM:
      size = facts_.memory;
      return;
    case CoreMemType::FB:
      size = facts_.bytes[7];
      return;
    case CoreMemType::BT:
      size = facts_.bytes[6];
      return;
    default:
      size = 0;
    }
  }
  // Bytes per cycle and core.
  void GetCoreMemBw(const CoreMemType &type, uint64_t &bandwidth) const {
    bandwidth = type == CoreMemType::L2    ? facts_.l2_bytes_per_cycle
                : type == CoreMemType::HBM ? facts_.memory_bytes_per_cycle
                                           : 0;
  }
  void ReserveLocalMemory(ReservedSize size) { reserved_ = 8192u << static_cast<int>(size); }
  SocVersion GetSocVersion() const {
    return !known_                   ? SocVersion::RESERVED_VERSION
           : facts_.npu_arch == 3510 ? SocVersion::ASCEND950
                                     : SocVersion::ASCEND910B;
  }
  NpuArch GetCurNpuArch() const { return static_cast<NpuArch>(facts_.npu_arch); }
  uint32_t GetVecRegLen() const { return facts_.npu_arch == 3510 ? 256 : 0; }

private:
  ferrata_device_facts_t facts_;
  uint32_t reserved_ = 0;
  bool known_ = false;
};

class PlatformAscendCManager {
public:
  static PlatformAscendC *GetInstance() { return GetInstance(nullptr); }
  // The first call of the process decides the chip.
  static PlatformAscendC *GetInstance(const char *socVersion) {
    static PlatformAscendC instance(socVersion);
    return &instance;
  }
};
} // namespace platform_ascendc
