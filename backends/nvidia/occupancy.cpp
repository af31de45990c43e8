#include "backends/nvidia/occupancy.hpp"

#include <algorithm>
#include <array>

namespace kevolve {

namespace {

// The limits of one multiprocessor.
struct room {
  uint32_t capability;
  uint64_t threads;
  uint64_t blocks;
  uint64_t shared; // in bytes
};

constexpr uint64_t registers = 65'536;
constexpr uint64_t reserved_shared = 1'024; // reserved by the driver in each block
constexpr std::array<room, 5> rooms{{{80, 2048, 32, 167'936},
                                     {86, 1536, 16, 102'400},
                                     {87, 1536, 16, 167'936},
                                     {89, 1536, 24, 102'400},
                                     {90, 2048, 32, 233'472}}};

} // namespace

uint64_t registers_of_block(uint64_t threads, uint64_t per_thread) {
  const auto warps = (threads + 31) / 32;
  return warps * ((per_thread * 32 + 255) / 256 * 256);
}

occupancy occupancy_of(const resolved_launch& launch, const kernel_facts& facts, const device_limits& device) {
  occupancy out;
  const auto found =
      std::find_if(rooms.begin(), rooms.end(), [&](const room& r) { return r.capability == device.capability; });
  const auto threads = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (found == rooms.end() || threads == 0 || threads > found->threads)
    return out;
  const auto whole_warps = (threads + 31) / 32 * 32;
  uint64_t most = found->blocks;
  out.limit = "blocks";
  const auto at_most = [&](uint64_t blocks, const char* what) {
    if (blocks < most) {
      most = blocks;
      out.limit = what;
    }
  };
  at_most(found->threads / whole_warps, "threads");
  if (facts.registers != 0)
    at_most(registers / registers_of_block(threads, facts.registers), "registers");
  at_most(found->shared / (reserved_shared + launch.shared + facts.static_shared), "shared memory");
  out.blocks = static_cast<uint32_t>(most);
  out.threads = static_cast<double>(most * whole_warps) / static_cast<double>(found->threads);
  const auto grid = static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  const auto at_once = static_cast<double>(most * device.multiprocessors);
  out.waves = at_once > 0.0 ? grid / at_once : 0.0;
  return out;
}

} // namespace kevolve
