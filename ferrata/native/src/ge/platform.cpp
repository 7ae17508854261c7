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

bool Find(const char *label, const char *key, std::string &value) {
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

uint32_t Number(const char *label, const char *key) {
  std::string value;
  return Find(label, key, value) ? static_cast<uint32_t>(strtoul(value.c_str(), nullptr, 10)) : 0;
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

bool PlatFormInfos::Get(const char *label, const char *key, ge::AscendString &value) const {
  std::string found;
  if (!Find(label, key, found))
    return false;
  value = ge::ToAscendString(found);
  return true;
}
std::vector<ge::AscendString> PlatFormInfos::Keys(const char *label) const {
  std::lock_guard<std::mutex> lock(All().mutex);
  std::vector<ge::AscendString> keys;
  for (const auto &entry : All().platform[label])
    keys.push_back(ge::ToAscendString(entry.first));
  return keys;
}
uint32_t PlatFormInfos::GetCoreNum() const { return Number("SoCInfo", "ai_core_cnt"); }
uint32_t PlatFormInfos::CoreNumByType(const char *core_type) const {
  return Number("SoCInfo", std::string(core_type) == "VectorCore" ? "vector_core_cnt" : "ai_core_cnt");
}
ge::AscendString OptionalInfos::SocVersion() const {
  std::string value;
  (void)Find("version", "SoC_version", value);
  return ge::ToAscendString(value);
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
