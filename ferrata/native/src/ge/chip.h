// The chip that this process emulates: FERRATA_NPU_ARCH, else the first of the table.
#pragma once
#include <cstdlib>
#include <cstring>

#include "ferrata/chips.h"

inline const ferrata::Chip &EmulatedChip() {
  const char *arch = std::getenv("FERRATA_NPU_ARCH");
  for (const ferrata::Chip &chip : ferrata::chips)
    if (arch != nullptr && strcmp(chip.arch, arch) == 0)
      return chip;
  return ferrata::chips[0];
}
