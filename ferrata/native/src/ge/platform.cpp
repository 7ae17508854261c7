// Options of the graph and facts of the chip, as Compile and tiling functions ask for them.
//
// Holds state: the options that the engine set through the bridge. The facts are those of the emulated chip.
#include "platform/platform_infos_def.h"

#include <map>
#include <mutex>

#include "chip.h"
#include "exe_graph/runtime/op_compile_context.h"
#include "ferrata/ge_bridge.h"

namespace {

struct Options {
  std::mutex mutex;
  std::map<std::string, std::string> values;
};
Options &All() {
  static Options *options = new Options();
  return *options;
}

using Facts = std::map<std::string, std::map<std::string, std::string>>;
const Facts &Platform() {
  static const Facts *facts = [] {
    const ferrata::Chip &chip = EmulatedChip();
    const auto size = [&chip](ferrata::Memory memory) { return std::to_string(chip.bytes[static_cast<int>(memory)]); };
    return new Facts{
        {"version", {{"SoC_version", chip.soc}, {"NpuArch", std::to_string(chip.npu_arch)}}},
        {"SoCInfo",
         {{"ai_core_cnt", std::to_string(chip.cube_cores)},
          {"cube_core_cnt", std::to_string(chip.cube_cores)},
          {"vector_core_cnt", std::to_string(chip.vector_cores)},
          {"memory_size", std::to_string(chip.memory)}}},
        {"AICoreSpec",
         {{"ub_size", size(ferrata::Memory::ub)},
          {"l1_size", size(ferrata::Memory::l1)},
          {"l0_a_size", size(ferrata::Memory::l0a)},
          {"l0_b_size", size(ferrata::Memory::l0b)},
          {"l0_c_size", size(ferrata::Memory::l0c)},
          {"bt_size", size(ferrata::Memory::bias)},
          {"fb0_size", size(ferrata::Memory::fixbuf)}}},
    };
  }();
  return *facts;
}

bool Find(const char *label, const char *key, std::string &value) {
  const auto group = Platform().find(label);
  if (group == Platform().end())
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
    All().values.erase(key);
  else
    All().values[key] = value;
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
  std::vector<ge::AscendString> keys;
  const auto group = Platform().find(label);
  if (group != Platform().end())
    for (const auto &entry : group->second)
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
  const auto found = All().values.find(key.GetString());
  if (found == All().values.end())
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
