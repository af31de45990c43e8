#include "backends/judge/physics.hpp"

#include <algorithm>

namespace kevolve {

namespace {

result<double> amount(const contract& task, const std::string& text, const call_data& data) {
  if (text.empty())
    return 0.0;
  auto e = expression::parse(text);
  if (!e)
    return tl::unexpected<failure>(e.error());
  auto v = e->evaluate(data.sizes, [&](const std::string& name) -> result<int64_t> {
    const auto* a = find_argument(task, name);
    if (a == nullptr || !is_array(*a) || !is_read(*a))
      return fail(errc::bad_input, "sum(" + name + "): no input of that name");
    const auto i = static_cast<size_t>(a - task.arguments.data());
    return sum_of_elements(data.geometries[i], data.inputs[i]);
  });
  if (!v)
    return tl::unexpected<failure>(v.error());
  return static_cast<double>(*v);
}

// Peaks are measured in f32. A register holds half as many doubles and twice as many halves.
double rate_factor(const contract& task) {
  double out = 0.0;
  for (const auto& a : task.arguments)
    if (is_array(a) && is_floating(a.type))
      out = std::max(out, 4.0 / static_cast<double>(size_bytes(a.type)));
  return out == 0.0 ? 4.0 : out; // integers: four bytes fit in the place of a float
}

// Returns the least traffic of a task that declares no work: each element of its outputs is written.
double bytes_of_outputs(const contract& task, const call_data& data) {
  double out = 0.0;
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& a = task.arguments[i];
    if (a.role == argument_role::output && is_array(a) && a.extent.empty())
      out += static_cast<double>(data.geometries[i].count) * static_cast<double>(size_bytes(a.type));
  }
  return out;
}

} // namespace

size_t working_set_bytes(const call_data& data) {
  size_t out = 0;
  for (const auto& g : data.geometries)
    out += g.bytes();
  return out;
}

result<double> physics_floor_ns(const contract& task, const call_data& data, size_t working_set_bytes,
                                const device_peaks& peaks) {
  auto flops = amount(task, task.work_flops, data);
  if (!flops)
    return flops;
  auto bytes = amount(task, task.work_bytes, data);
  if (!bytes)
    return bytes;
  if (task.work_flops.empty() && task.work_bytes.empty())
    *bytes = bytes_of_outputs(task, data);
  double seconds = 0.0;
  if (peaks.flops_per_second > 0.0)
    seconds = *flops / (peaks.flops_per_second * rate_factor(task));
  for (const auto& level : peaks.levels) {
    if (level.capacity_bytes != 0 && working_set_bytes > static_cast<size_t>(level.capacity_bytes))
      continue;
    if (level.bytes_per_second > 0.0)
      seconds = std::max(seconds, *bytes / level.bytes_per_second);
    break;
  }
  return seconds * 1e9;
}

} // namespace kevolve
