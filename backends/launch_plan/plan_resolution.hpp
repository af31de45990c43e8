// Evaluates a launch plan's expressions for one call's sizes and checks the result against a device's limits before any
// launch. Pure.
#pragma once

#include "backends/judge/call_data.hpp"
#include "backends/launch_plan/launch_plan.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve {

struct resolved_scratch {
  std::string name;
  uint64_t bytes = 0;
  bool zeroed = false;
};

struct resolved_map {
  std::string name;
  std::string buffer;
  uint64_t offset = 0;
  uint32_t type = 0;
  std::vector<uint64_t> dims;
  std::vector<uint64_t> strides; // one fewer than dims
  std::vector<uint32_t> box;
  std::vector<uint32_t> element_strides;
  uint32_t interleave = 0;
  uint32_t swizzle = 0;
  uint32_t l2_promotion = 0;
  uint32_t oob_fill = 0;
};

struct resolved_parameter {
  parameter_kind kind = parameter_kind::number;
  std::string name;   // name of a buffer or tensor map
  uint64_t value = 0; // an offset, or the bits of a number
  uint32_t bytes = 8;
};

struct resolved_launch {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t shared = 0;
  bool cooperative = false;
  std::vector<resolved_parameter> parameters;
};

struct resolved_plan {
  std::vector<resolved_scratch> scratch;
  std::vector<resolved_map> maps;
  std::vector<resolved_launch> launches;
};

// Evaluates all expressions. Otherwise it returns every quantity that has no value, is negative, exceeds its type, or
// leaves its buffer. Each message names its place: "kernel[0].grid[1]: …".
tl::expected<resolved_plan, std::vector<std::string>> resolve_plan(const launch_plan& plan, const contract& task,
                                                                   const call_data& data);

struct device_limits {
  std::string name;
  uint32_t capability = 0; // compute capability, for example 90
  uint64_t threads_per_block = 0;
  std::array<uint64_t, 3> block{};
  std::array<uint64_t, 3> grid{};
  uint64_t shared_opt_in = 0; // per block, static and dynamic together
  uint64_t registers_per_block = 0;
  uint64_t cluster_blocks = 0; // portable cluster size; 0: the device has no clusters
  bool cooperative = false;
  bool tensor_maps = false;
  uint64_t multiprocessors = 0;
  uint64_t memory = 0; // bytes that a candidate may use
};

// Facts about a kernel that are known before its launch. Zero means unknown.
struct kernel_facts {
  uint32_t registers = 0;
  uint32_t static_shared = 0;
  uint32_t most_threads = 0;         // limit from its __launch_bounds__ or registers
  std::array<uint32_t, 3> cluster{}; // required by its __cluster_dims__
  std::array<uint32_t, 3> block{};   // required by its __block_size__; no driver reports it
  std::vector<uint32_t> parameters;  // bytes of each parameter
  bool parameters_known = false;
};

struct limit_violation {
  std::string limit;  // for example "threads per block"
  std::string detail; // for example "kernel[0] 'softmax': …"
  std::string about;  // for example "kernel[0].block"
};

std::vector<limit_violation> check_limits(const resolved_plan& plan, const device_limits& device,
                                          const std::map<std::string, kernel_facts>& facts);

// Reports launches whose arguments differ from their kernel's parameters in number or width. The driver would read out
// of bounds for these.
std::vector<std::string> check_parameters(const resolved_plan& plan, const std::map<std::string, kernel_facts>& facts);

// Returns the published limits, for checks without the device. A capability of 0 means that they are unknown.
device_limits published_limits(uint32_t capability);

template <class I>
typename I::result_type inspect(I& f, resolved_scratch& x) {
  return f(x.name, x.bytes, x.zeroed);
}
template <class I>
typename I::result_type inspect(I& f, resolved_map& x) {
  return f(x.name, x.buffer, x.offset, x.type, x.dims, x.strides, x.box, x.element_strides, x.interleave, x.swizzle,
           x.l2_promotion, x.oob_fill);
}
template <class I>
typename I::result_type inspect(I& f, resolved_parameter& x) {
  return f(x.kind, x.name, x.value, x.bytes);
}
template <class I>
typename I::result_type inspect(I& f, resolved_launch& x) {
  return f(x.kernel, x.grid, x.block, x.cluster, x.shared, x.cooperative, x.parameters);
}
template <class I>
typename I::result_type inspect(I& f, resolved_plan& x) {
  return f(x.scratch, x.maps, x.launches);
}

} // namespace kevolve
