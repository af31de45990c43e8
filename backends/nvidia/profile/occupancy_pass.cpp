// The occupancy of each launch by registers, shared memory and block of the build that counts, and the resource that
// limits it. Needs no device.
#include "backends/nvidia/occupancy.hpp"
#include "backends/nvidia/profile/device_code.hpp"
#include "backends/nvidia/profile/passes.hpp"

#include <nlohmann/json.hpp>

namespace kevolve {

namespace {

using nlohmann::json;

// Returns the number of the capability's largest product, for a machine without such a device.
uint64_t multiprocessors_of(uint32_t capability) {
  switch (capability) {
    case 80:
      return 108;
    case 86:
      return 84;
    case 89:
      return 142;
    case 90:
      return 132;
    default:
      return 0;
  }
}

json row_of_launch(const resolved_launch& l, const kernel_facts& facts, const device_limits& device) {
  const auto how = occupancy_of(l, facts, device);
  json out{{"kernel", l.kernel},
           {"launches", 1},
           {"grid", l.grid},
           {"block", l.block},
           {"registers", facts.registers},
           {"static_shared", facts.static_shared},
           {"dynamic_shared", l.shared}};
  if (how.blocks > 0) {
    out["blocks_of_multiprocessor"] = how.blocks;
    out["occupancy"] = how.threads;
    out["limit"] = how.limit;
    out["waves"] = how.waves;
  }
  return out;
}

result<pass_result> run(const pass_request& q) {
  const auto code = read_device_code(q);
  if (!code)
    return tl::unexpected(code.error());
  const auto plan = outline_launches(*code, q);
  if (!plan) {
    pass_result out;
    out.skipped = plan.error().detail;
    return out;
  }
  auto device = published_limits(code->facts.capability);
  device.capability = code->facts.capability;
  const auto there = evidence_number(q, "multiprocessors");
  device.multiprocessors = there > 0.0 ? static_cast<uint64_t>(there) : multiprocessors_of(device.capability);
  const auto facts = kernels_of(code->facts);
  auto rows = json::array();
  for (const auto& l : plan->launches) {
    const auto known = facts.find(l.kernel);
    auto row = row_of_launch(l, known == facts.end() ? kernel_facts{} : known->second, device);
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const auto& r) {
      return r["kernel"] == row["kernel"] && r["grid"] == row["grid"] && r["block"] == row["block"]
             && r["dynamic_shared"] == row["dynamic_shared"];
    });
    if (same == rows.end())
      rows.push_back(std::move(row));
    else
      (*same)["launches"] = (*same)["launches"].get<int>() + 1;
  }
  pass_result out;
  out.made[artefact_kind::resources] = rows.dump();
  return out;
}

} // namespace

profile_pass gpu_occupancy_pass() {
  profile_pass p;
  p.name = "gpu.occupancy";
  p.summary = "occupancy of each launch, and the resource that limits it";
  p.targets = {"cuda", "triton"};
  p.reads = {artefact_kind::object};
  p.uses = {artefact_kind::evidence};
  p.makes = {artefact_kind::resources};
  p.run = run;
  return p;
}

} // namespace kevolve
