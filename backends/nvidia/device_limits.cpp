// Checks a resolved plan against the device's limits.
#include "backends/nvidia/occupancy.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// No device has larger clusters, so products beyond this are not computed.
constexpr uint64_t most_cluster_factor = 1U << 16U;

constexpr const char* axes[] = {"x", "y", "z"};

std::string at(size_t index, const resolved_launch& l) {
  return "kernel[" + std::to_string(index) + "] '" + l.kernel + "': ";
}

std::string in_words(const std::array<uint32_t, 3>& box) {
  return std::to_string(box[0]) + " x " + std::to_string(box[1]) + " x " + std::to_string(box[2]);
}

std::string beyond(uint64_t asked, uint64_t limit) {
  return std::to_string(asked) + ", the device allows " + std::to_string(limit);
}

void check_launch(size_t index, const resolved_launch& l, const device_limits& device, const kernel_facts& facts,
                  std::vector<limit_violation>& out) {
  const auto refuse = [&](std::string limit, const char* key, const std::string& detail) {
    out.push_back({std::move(limit), at(index, l) + detail, "kernel[" + std::to_string(index) + "]." + key});
  };
  // The product of three factors below 2^32 could overflow, so each factor is checked first.
  uint64_t threads = 1;
  for (size_t d = 0; d < 3; ++d) {
    if (l.block[d] > device.block[d])
      refuse(std::string{"block dimension "} + axes[d], "block", beyond(l.block[d], device.block[d]));
    if (l.grid[d] > device.grid[d])
      refuse(std::string{"grid dimension "} + axes[d], "grid", beyond(l.grid[d], device.grid[d]));
    threads = threads > device.threads_per_block ? threads : threads * l.block[d];
  }
  if (threads > device.threads_per_block)
    refuse("threads per block", "block",
           in_words(l.block) + " threads, the device allows " + std::to_string(device.threads_per_block));
  else if (facts.most_threads != 0 && threads > facts.most_threads)
    refuse("threads per block of this kernel", "block",
           std::to_string(threads) + " threads, its launch bounds and registers allow "
               + std::to_string(facts.most_threads));
  if (facts.block[0] != 0 && l.block != facts.block)
    refuse("block of this kernel", "block",
           in_words(l.block) + " threads are not the " + in_words(facts.block) + " that it was compiled for");
  if (threads <= device.threads_per_block && facts.registers != 0) {
    const auto registers = registers_of_block(threads, facts.registers);
    if (registers > device.registers_per_block)
      refuse("registers per block", "block",
             std::to_string(threads) + " threads of " + std::to_string(facts.registers) + " registers need "
                 + beyond(registers, device.registers_per_block));
  }
  const auto shared = uint64_t{l.shared} + facts.static_shared;
  if (shared > device.shared_opt_in)
    refuse("shared memory per block", "shared", beyond(shared, device.shared_opt_in) + " bytes");
  const std::array<uint32_t, 3> unasked{1, 1, 1};
  const bool compiled_in = facts.cluster[0] != 0;
  if (compiled_in && l.cluster != unasked && l.cluster != facts.cluster)
    refuse("cluster of this kernel", "cluster",
           "the plan's " + in_words(l.cluster) + " blocks are not the " + in_words(facts.cluster)
               + " that it was compiled for");
  const auto& used = compiled_in ? facts.cluster : l.cluster;
  uint64_t cluster = 1;
  for (size_t d = 0; d < 3; ++d) {
    cluster = cluster > most_cluster_factor ? cluster : cluster * used[d];
    if (used[d] > 1 && l.grid[d] % used[d] != 0)
      refuse("cluster", "cluster",
             std::string{"grid dimension "} + axes[d] + " (" + std::to_string(l.grid[d])
                 + ") is no multiple of the cluster's " + std::to_string(used[d]));
  }
  if (cluster > 1 && device.cluster_blocks == 0)
    refuse("cluster size", "cluster", "the device has no clusters");
  else if (cluster > 1 && cluster > device.cluster_blocks)
    refuse("cluster size", "cluster", beyond(cluster, device.cluster_blocks) + " blocks");
  if (l.cooperative && !device.cooperative)
    refuse("cooperative launch", "cooperative", "the device has none");
}

} // namespace

std::vector<limit_violation> check_limits(const resolved_plan& plan, const device_limits& device,
                                          const std::map<std::string, kernel_facts>& facts) {
  std::vector<limit_violation> out;
  uint64_t memory = 0;
  for (const auto& s : plan.scratch)
    memory = std::min(memory + s.bytes, uint64_t{1} << 60U);
  if (device.memory != 0 && memory > device.memory)
    out.push_back({"device memory", "scratch buffers need " + beyond(memory, device.memory) + " bytes", "scratch"});
  if (!plan.maps.empty() && !device.tensor_maps)
    out.push_back({"tensor maps", "the device has no tensor memory accelerator", "tensor_map"});
  for (size_t i = 0; i < plan.launches.size(); ++i) {
    const auto known = facts.find(plan.launches[i].kernel);
    check_launch(i, plan.launches[i], device, known == facts.end() ? kernel_facts{} : known->second, out);
  }
  return out;
}

device_limits published_limits(uint32_t capability) {
  device_limits out;
  if (capability < 80 || capability > 90)
    return out;
  out.name = "compute capability " + std::to_string(capability / 10) + "." + std::to_string(capability % 10);
  out.capability = capability;
  out.threads_per_block = 1024;
  out.block = {1024, 1024, 64};
  out.grid = {2'147'483'647, 65'535, 65'535};
  out.shared_opt_in = capability == 90 ? 232'448 : capability == 80 || capability == 87 ? 166'912 : 101'376;
  out.registers_per_block = 65'536;
  out.cluster_blocks = capability == 90 ? 8 : 0;
  out.cooperative = true;
  out.tensor_maps = capability == 90;
  return out;
}

} // namespace kevolve
