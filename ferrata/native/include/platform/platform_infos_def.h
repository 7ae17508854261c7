// fe::PlatFormInfos: sizes and counts of the chip, by label and key.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "../graph/compiler_def.h"

namespace fe {

class FERRATA_GE_API PlatFormInfos {
public:
  // False when the chip has no such entry. "AICoreSpec"/"ub_size", "SoCInfo"/"ai_core_cnt", ...
  bool GetPlatformRes(const std::string &label, const std::string &key, std::string &value);
  bool GetPlatformRes(const std::string &label, std::map<std::string, std::string> &entries);
  bool GetPlatformResWithLock(const std::string &label, const std::string &key, std::string &value);
  bool GetPlatformResWithLock(const std::string &label, std::map<std::string, std::string> &entries);
  uint32_t GetCoreNum() const;
  uint32_t GetCoreNumWithLock() const { return GetCoreNum(); }
  uint32_t GetCoreNumByType(const std::string &core_type);
};

class FERRATA_GE_API OptionalInfos {
public:
  std::string GetSocVersion() const;
  uint32_t GetAICoreNum() const;
  std::string GetCoreType() const { return "AiCore"; }
};

} // namespace fe
