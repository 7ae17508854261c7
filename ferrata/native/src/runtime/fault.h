// Faults of kernels: the record, its text and JSON, and what becomes of it after the launch.
#pragma once
#include <string>
#include "ferrata/core/abi.h"

namespace ferrata {
struct FaultRecord {
  Fault kind = Fault::BadArgument;
  std::string detail, api, kernel, file;
  uint32_t block = 0, blocks = 0;
  const char *core = "AIV";
  int line = 0;

  std::string message() const;
  std::string json() const;
};

struct FaultThrown {}; // unwinds a core to its entry; the record lies in its launch
struct CoreStopped {}; // unwinds a core because another one faulted

// A core's fault: who it is goes into the record, the launch keeps that of its first core, and all cores stop.
void keep_fault(const Core &core, FaultRecord record);
const char *fault_name(Fault kind);
int fault_code(Fault kind); // aclError
// After a launch: record (text to stderr, stream error, exit code) or throw, as ferrata_set_fault_mode says.
void deliver_fault(const FaultRecord &fault, void *stream);
// While a launch of this thread comes through a C function: its faults are recorded in either mode, nothing is thrown.
extern thread_local bool faults_are_kept;
} // namespace ferrata
