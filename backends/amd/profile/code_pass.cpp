// A code object for AMD's GPUs by its metadata and its disassembly: registers, LDS, occupancy with the resource that
// limits it, spills, and instruction groups. Needs no device; nothing has run.
#include "backends/amd/code_object.hpp"
#include "backends/amd/isa.hpp"
#include "backends/amd/profile/passes.hpp"
#include "backends/capture.hpp"
#include "backends/launch_plan/package.hpp"
#include "backends/launch_plan/plan_resolution.hpp"
#include "backends/profile/tool_output.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kevolve {

namespace {

using nlohmann::json;

constexpr uint64_t wave = 64;
constexpr double most_waves = 8.0; // of a SIMD
constexpr double few_waves = 2.0;
constexpr double modelled = 0.5;
constexpr double by_code = 0.3;

// LLVM 19 knows gfx950 not yet.
const std::string& objdump() {
  static const auto path = [] {
    for (const auto* name :
         {"llvm-objdump-22", "llvm-objdump-21", "llvm-objdump-20", "llvm-objdump-19", "llvm-objdump"})
      if (auto found = find_program(name); !found.empty())
        return found;
    return std::string{};
  }();
  return path;
}

struct launch_of_kernel {
  uint64_t waves = 0;
  uint64_t lds = 0;
};

// Returns the work-group of the plan; without one, the largest that the kernel allows.
launch_of_kernel launch_of(const hip::code_kernel& k, const resolved_plan* plan) {
  if (plan != nullptr)
    for (const auto& l : plan->launches)
      if (l.kernel == k.name) {
        const auto threads = uint64_t{l.block[0]} * l.block[1] * l.block[2];
        return {(threads + wave - 1) / wave, l.shared};
      }
  return {(k.most_threads + wave - 1) / wave, 0};
}

finding found_in(const hip::code_kernel& k, bound_class bound, double share, double confidence, std::string words,
                 std::map<std::string, double> evidence) {
  finding f;
  f.bound = bound;
  f.share = std::min(1.0, share);
  f.confidence = confidence;
  f.words = "kernel '" + k.name.substr(0, 100) + "' " + std::move(words) + "; by the code alone, nothing has run";
  f.evidence = std::move(evidence);
  return f;
}

void add_kernel(const hip::code_kernel& k, const resolved_plan* plan, const std::string& architecture, json& rows,
                pass_result& out) {
  const auto launch = launch_of(k, plan);
  const auto limit = hip::limit_of_waves(k, launch.waves, launch.lds, architecture);
  const auto waves = static_cast<double>(limit.waves);
  rows.push_back({{"kernel", k.name},
                  {"architecture", architecture},
                  {"registers", k.vgprs},
                  {"accumulation_registers", k.agprs},
                  {"scalar_registers", k.sgprs},
                  {"spilled_registers", k.spilled},
                  {"scratch_bytes", k.scratch_bytes},
                  {"static_shared", k.lds_bytes},
                  {"dynamic_shared", launch.lds},
                  {"waves_of_group", launch.waves},
                  {"waves_of_simd", limit.waves},
                  {"occupancy", waves / most_waves},
                  {"limit", limit.limit}});
  const auto count = [](double x) { return std::to_string(static_cast<uint64_t>(x)); };
  if (waves <= few_waves)
    out.findings.push_back(found_in(k, bound_class::occupancy, 1.0 - waves / most_waves, modelled,
                                    "runs " + count(waves) + " of 8 waves on a SIMD, limited by " + limit.limit,
                                    {{"waves_of_simd", waves}, {"registers", static_cast<double>(k.vgprs)}}));
  if (k.spilled > 0 || k.scratch_bytes > 0)
    out.findings.push_back(found_in(k, bound_class::spilling,
                                    std::min(0.5, static_cast<double>(k.scratch_bytes) / 512.0), by_code,
                                    "spills " + std::to_string(k.spilled) + " registers and uses "
                                        + std::to_string(k.scratch_bytes) + " bytes of scratch memory a lane",
                                    {{"spilled_registers", static_cast<double>(k.spilled)},
                                     {"scratch_bytes", static_cast<double>(k.scratch_bytes)}}));
}

availability available(const pass_request&) {
  if (objdump().empty())
    return {false, "llvm-objdump is missing", "apt-get install llvm-19"};
  return {};
}

json groups_of(const std::vector<hip::isa_kernel>& kernels) {
  auto out = json::array();
  for (const auto& k : kernels)
    out.push_back({{"kernel", k.name}, {"instructions", k.instructions}, {"mix", k.mix}, {"widths", k.widths}});
  return out;
}

result<pass_result> run(const pass_request& q) {
  const auto package = unpack(q.object);
  if (!package)
    return tl::unexpected(package.error());
  const auto plan = parse_plan(package->plan, q.task);
  const auto call = outline_call(q.task, q.task.shapes.at(q.shape));
  const auto resolved = plan && call ? resolve_plan(*plan, q.task, *call)
                                     : tl::expected<resolved_plan, std::vector<std::string>>{resolved_plan{}};
  pass_result out;
  auto rows = json::array();
  auto groups = json::array();
  for (const auto& module : package->modules) {
    const auto kernels = hip::read_code_object(module);
    if (!kernels)
      return tl::unexpected(kernels.error());
    for (const auto& k : *kernels)
      add_kernel(k, resolved ? &*resolved : nullptr, hip::architecture_of(module), rows, out);
    if (auto ok = write_pass_file(q, "module.hsaco", module); !ok)
      return tl::unexpected(ok.error());
    const auto listing = tool_output(q, {objdump(), "-d", "--no-show-raw-insn", "module.hsaco"}, {});
    if (!listing)
      return tl::unexpected(listing.error());
    for (auto& k : groups_of(hip::read_isa(*listing)))
      groups.push_back(std::move(k));
  }
  out.made[artefact_kind::resources] = rows.dump();
  if (!groups.empty())
    out.made[artefact_kind::assembly] = groups.dump(-1, ' ', false, json::error_handler_t::replace);
  return out;
}

} // namespace

profile_pass amd_code_pass() {
  profile_pass p;
  p.name = "amd.code";
  p.summary = "registers, occupancy and instruction groups of a code object";
  p.targets = {"hip"};
  p.reads = {artefact_kind::object};
  p.makes = {artefact_kind::resources, artefact_kind::assembly};
  p.use = pass_use::compiler; // it runs a tool
  p.available = available;
  p.estimate_s = [](const pass_request&) { return 0.5; };
  p.run = run;
  return p;
}

} // namespace kevolve
