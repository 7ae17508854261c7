// Options of the graph and facts of the chip, as Compile and tiling functions ask for them.
//
// Holds state: what the engine set through the bridge. The engine copies the facts from its table of chips.
#include "platform/platform_infos_def.h"

#include <map>
#include <mutex>

#include "exe_graph/runtime/op_compile_context.h"
#include "ferrata/ge_bridge.h"

namespace {

struct Facts {
  std::mutex mutex;
  std::map<std::string, std::string> options;
  std::map<std::string, std::map<std::string, std::string>> platform;
};
Facts &All() {
  static Facts *facts = new Facts();
  return *facts;
}

uint32_t Number(const char *label, const char *key) {
  std::string value;
  if (!fe::PlatFormInfos().GetPlatformRes(label, key, value))
    return 0;
  return static_cast<uint32_t>(strtoul(value.c_str(), nullptr, 10));
}

} // namespace

void ferrata_ge_set_option(const char *key, const char *value) {
  std::lock_guard<std::mutex> lock(All().mutex);
  if (value == nullptr)
    All().options.erase(key);
  else
    All().options[key] = value;
}

void ferrata_ge_set_platform(const char *label, const char *key, const char *value) {
  std::lock_guard<std::mutex> lock(All().mutex);
  All().platform[label][key] = value;
}

namespace fe {

bool PlatFormInfos::GetPlatformRes(const std::string &label, const std::string &key, std::string &value) {
  std::lock_guard<std::mutex> lock(All().mutex);
  const auto group = All().platform.find(label);
  if (group == All().platform.end())
    return false;
  const auto entry = group->second.find(key);
  if (entry == group->second.end())
    return false;
  value = entry->second;
  return true;
}
bool PlatFormInfos::GetPlatformRes(const std::string &label, std::map<std::string, std::string> &entries) {
  std::lock_guard<std::mutex> lock(All().mutex);
  const auto group = All().platform.find(label);
  if (group == All().platform.end())
    return false;
  entries = group->second;
  return true;
}
bool PlatFormInfos::GetPlatformResWithLock(const std::string &label, const std::string &key, std::string &value) {
  return GetPlatformRes(label, key, value);
}
bool PlatFormInfos::GetPlatformResWithLock(const std::string &label, std::map<std::string, std::string> &entries) {
  return GetPlatformRes(label, entries);
}
uint32_t PlatFormInfos::GetCoreNum() const { return Number("SoCInfo", "ai_core_cnt"); }
uint32_t PlatFormInfos::GetCoreNumByType(const std::string &core_type) {
  return Number("SoCInfo", core_type == "VectorCore" ? "vector_core_cnt" : "ai_core_cnt");
}
std::string OptionalInfos::GetSocVersion() const {
  std::string value;
  (void)PlatFormInfos().GetPlatformRes("version", "SoC_version", value);
  return value;
}
uint32_t OptionalInfos::GetAICoreNum() const { return Number("SoCInfo", "ai_core_cnt"); }

} // namespace fe

namespace gert {

ge::graphStatus OpCompileContext::GetOption(const ge::AscendString &key, ge::AscendString &value) const {
  std::lock_guard<std::mutex> lock(All().mutex);
  const auto found = All().options.find(key.GetString());
  if (found == All().options.end())
    return ge::GRAPH_FAILED;
  value = ge::AscendString(found->second.c_str(), found->second.size());
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus OpCompileContext::GetPlatformInfos(fe::PlatFormInfos &platform, fe::OptionalInfos &optional) const {
  platform = fe::PlatFormInfos(); // views of the one table
  optional = fe::OptionalInfos();
  return ge::GRAPH_SUCCESS;
}

} // namespace gert
