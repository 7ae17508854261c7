// What a launch runs on. A kernel's first statement tells its kind (vector, cube, mix); KERNEL_TASK_TYPE may do it
// later. Units with code for cube cores are compiled twice, and the second compilation registers its kernels here: on a
// cube core the kernel's entry continues in the variant found by (unit, signature).
#include <map>
#include <mutex>
#include "acl_state.h"
#include "launch.h"
#include "ferrata/runtime.h"

namespace ferrata {
namespace {
struct Variants {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, void *> kernels;
};
Variants &variants() {
  static Variants *all = new Variants; // libraries unregister while the process ends
  return *all;
}

// Settings of the thread's next launches.
thread_local uint64_t tiling_key;
thread_local void *workspace;
thread_local int kernel_mode; // of kernels that do not declare their kind: 0 what they have code for, 1 cube, 2 vector

const char *const task_types[] = {"KERNEL_TYPE_AIV_ONLY",    "KERNEL_TYPE_AIC_ONLY",    "KERNEL_TYPE_MIX_AIV_1_0",
                                  "KERNEL_TYPE_MIX_AIC_1_0", "KERNEL_TYPE_MIX_AIC_1_1", "KERNEL_TYPE_MIX_AIC_1_2"};

// Give the launch its kind; true if the running core is now of another type.
bool set_kind(Core &core, Launch &launch, Kind kind, uint32_t cubes, uint32_t vectors, const char *api, Loc loc) {
  launch.kind = kind;
  launch.cubes = cubes;
  launch.vectors = vectors;
  const uint64_t blocks = static_cast<uint64_t>(launch.info->blocks);
  if (kind == Kind::mix) {
    const Chip &chip = device_chip();
    const uint32_t most = cubes ? chip.cube_cores : chip.vector_cores / vectors;
    const std::string file = launch.info->loc.file ? launch.info->loc.file : "";
    if (blocks > most && file.size() > 3 && !file.compare(file.size() - 3, 3, ".py"))
      ferrata_fault(Fault::BadLaunch, api, loc.file, loc.line,
                    "%llu cores are asked for, and %s has %u. The cores of this kernel wait for each other "
                    "(ac.sync_all), so all must run at the same time: launch it on fe.at_most(n, \"%s\")",
                    static_cast<unsigned long long>(blocks), chip.soc, most, cubes ? "cube" : "vector");
    if (blocks > most)
      ferrata_fault(Fault::BadLaunch, api, loc.file, loc.line,
                    "numBlocks is %llu; a __mix__(%u, %u) kernel takes at most the %u combinations that %s has",
                    static_cast<unsigned long long>(blocks), cubes, vectors, most, chip.soc);
  }
  launch.total = static_cast<uint32_t>(blocks * (cubes + vectors));
  const uint8_t before = core.type;
  identify(core, launch, core.order);
  return core.type != before;
}
} // namespace

void take_settings(Launch &launch) {
  launch.tiling_key = tiling_key;
  launch.workspace = workspace;
}
} // namespace ferrata

using namespace ferrata;

void ferrata_set_tiling_key(uint64_t key) { tiling_key = key; }
void ferrata_set_system_workspace(void *address) { workspace = address; }

void ferrata_set_kernel_mode(int mode) { kernel_mode = mode; }

void ferrata_register_variant(const char *unit, const char *signature, void *kernel) {
  Variants &all = variants();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.kernels[{unit, signature}] = kernel;
}

void ferrata_forget_variant(const char *unit, const char *signature, void *kernel) {
  Variants &all = variants();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.kernels.find({unit, signature});
  if (found != all.kernels.end() && found->second == kernel)
    all.kernels.erase(found);
}

void *ferrata_enter(const char *kernel, int kind, int cubes, int vectors, const char *unit, const char *signature,
                    Loc loc) {
  Core *core = ferrata_core;
  if (!core)
    ferrata_not_in_kernel(kernel, loc);
  core->last = loc;
  if (core->entered)
    return nullptr;
  core->entered = 1;
  Launch &launch = *launch_of(core);
  if (!launch.entered) { // the first core, alone so far
    launch.entered = true;
    launch.kernel = kernel;
    if (unit) {
      Variants &all = variants();
      std::lock_guard<std::mutex> lock(all.mutex);
      auto found = all.kernels.find({unit, signature});
      if (found != all.kernels.end())
        launch.cube_variant = found->second;
    }
    launch.kind_declared = kind != static_cast<int>(Kind::any);
    switch (static_cast<Kind>(kind)) {
    case Kind::vector:
      set_kind(*core, launch, Kind::vector, 0, 1, "<<<>>>", launch.info->loc);
      break;
    case Kind::cube:
      set_kind(*core, launch, Kind::cube, 1, 0, "<<<>>>", launch.info->loc);
      break;
    case Kind::mix: {
      // without code for cube cores only the vector cores of a block have something to do
      const bool with_cubes = cubes && (launch.cube_variant || !vectors);
      set_kind(*core, launch, Kind::mix, with_cubes ? static_cast<uint32_t>(cubes) : 0, static_cast<uint32_t>(vectors),
               "<<<>>>", launch.info->loc);
      break;
    }
    default: // undeclared: what the unit has code for
      if (kernel_mode == 1)
        set_kind(*core, launch, Kind::cube, 1, 0, "<<<>>>", launch.info->loc);
      else if (launch.cube_variant && kernel_mode == 0)
        set_kind(*core, launch, Kind::mix, 1, 2, "<<<>>>", launch.info->loc);
      break;
    }
  }
  core->kernel = kernel;
  return core->type == 0 ? launch.cube_variant : nullptr;
}

void ferrata_task_type(int type, int for_key, uint64_t key, Loc loc) {
  const char *api = for_key ? "KERNEL_TASK_TYPE" : "KERNEL_TASK_TYPE_DEFAULT";
  Core *core = ferrata_core;
  if (!core)
    ferrata_not_in_kernel(api, loc);
  core->last = loc;
  if (type < 0 || type > 5)
    ferrata_fault(Fault::BadArgument, api, loc.file, loc.line,
                  "kernel type %d is for other chips; this one has %s (0) to %s (5)", type, task_types[0],
                  task_types[5]);
  Launch &launch = *launch_of(core);
  if (launch.kind_declared || (for_key && key != core->tiling_key) || (!for_key && launch.kind_by_key) ||
      core->order != 0)
    return;
  launch.kind_by_key = launch.kind_by_key || for_key;
  static constexpr struct {
    Kind kind;
    uint32_t cubes, vectors;
  } kinds[] = {{Kind::vector, 0, 1}, {Kind::cube, 1, 0}, {Kind::mix, 0, 1},
               {Kind::mix, 1, 0},    {Kind::mix, 1, 1},  {Kind::mix, 1, 2}};
  const auto &wanted = kinds[type];
  const uint32_t cubes = wanted.vectors && !launch.cube_variant ? 0 : wanted.cubes;
  if (launch.kind == wanted.kind && launch.cubes == cubes && launch.vectors == wanted.vectors)
    return;
  if (launch.next.load() > 1)
    ferrata_fault(Fault::BadLaunch, api, loc.file, loc.line,
                  "the kernel type must be set before the kernel does anything else");
  if (set_kind(*core, launch, wanted.kind, cubes, wanted.vectors, api, loc))
    throw Restart();
}
