// Facts of the emulated device for host programs.
#include <string.h>
#include "acl_state.h"
#include "ferrata/runtime.h"

namespace {
// The row that a product's name stands for; null when there is none.
const ferrata::Chip *chip_named(const char *soc) {
  if (!soc || !*soc)
    return &ferrata::device_chip();
  static const struct {
    const char *prefix;
    int npu_arch;
  } families[] = {{"Ascend910B", 2201}, {"Ascend910_93", 2201}, {"Ascend950", 3510}};
  for (const auto &family : families)
    if (strncasecmp(soc, family.prefix, strlen(family.prefix)) == 0)
      for (const ferrata::Chip &chip : ferrata::chips)
        if (chip.npu_arch == family.npu_arch)
          return &chip;
  return nullptr;
}
} // namespace

int ferrata_device_facts(const char *soc, ferrata_device_facts_t *out) {
  memset(out, 0, sizeof *out);
  const ferrata::Chip *chip = chip_named(soc);
  if (!chip)
    return 1;
  out->npu_arch = static_cast<uint32_t>(chip->npu_arch);
  out->cube_cores = chip->cube_cores;
  out->vector_cores = chip->vector_cores;
  out->memory = chip->memory;
  memcpy(out->bytes, chip->bytes, sizeof out->bytes);
  out->l2_bytes = uint64_t(192) << 20;
  out->l2_bytes_per_cycle = 110;
  out->memory_bytes_per_cycle = 32;
  out->system_workspace = 16u << 20;
  return 0;
}
