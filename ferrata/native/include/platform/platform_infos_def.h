// fe::PlatFormInfos: sizes and counts of the chip, by label and key.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../graph/ascend_string.h"
#include "../graph/compiler_def.h"

namespace fe {

class FERRATA_GE_API PlatFormInfos {
public:
  // False when the chip has no such entry. "AICoreSpec"/"ub_size", "SoCInfo"/"ai_core_cnt", ...
  bool GetPlatformRes(const std::string &label, const std::string &key, std::string &value) {
    ge::AscendString found;
    if (!Get(label.c_str(), key.c_str(), found))
      return false;
    value = ge::ToStdString(found);
    return true;
  }
  bool GetPlatformRes(const std::string &label, std::map<std::string, std::string> &entries) {
    entries.clear();
    for (const auto &key : Keys(label.c_str()))
      (void)GetPlatformRes(label, ge::ToStdString(key), entries[ge::ToStdString(key)]);
    return !entries.empty();
  }
  bool GetPlatformResWithLock(const std::string &label, const std::string &key, std::string &value) {
    return GetPlatformRes(label, key, value);
  }
  bool GetPlatformResWithLock(const std::string &label, std::map<std::string, std::string> &entries) {
    return GetPlatformRes(label, entries);
  }
  uint32_t GetCoreNum() const;
  uint32_t GetCoreNumWithLock() const { return GetCoreNum(); }
  uint32_t GetCoreNumByType(const std::string &core_type) { return CoreNumByType(core_type.c_str()); }

private:
  bool Get(const char *label, const char *key, ge::AscendString &value) const;
  std::vector<ge::AscendString> Keys(const char *label) const;
  uint32_t CoreNumByType(const char *core_type) const;
};

class FERRATA_GE_API OptionalInfos {
public:
  std::string GetSocVersion() const { return ge::ToStdString(SocVersion()); }
  uint32_t GetAICoreNum() const;
  std::string GetCoreType() const { return "AiCore"; }

private:
  ge::AscendString SocVersion() const;
};

} // namespace fe
