#include "backends/cpu/profile/experiment_plan.hpp"

#include "backends/judge/sequential_test.hpp"
#include "runtime/base/fill_names.hpp"

#include <algorithm>
#include <cstring>

namespace kevolve {

namespace {

constexpr size_t huge_page_bytes = size_t{2} << 20U;
constexpr int64_t moved_bytes = 1216; // 19 lines: half a page away from every usual stride
constexpr size_t most_arrays = 3;     // that are moved, sorted or levelled
constexpr size_t least_bytes = 4096;  // of an array whose values matter

// Values that index another array, or describe the shape of one, cannot be replaced.
bool values_are_free(const contract& task, const argument& a) {
  for (const auto* bound : {fill_name::lengths, fill_name::offsets, fill_name::sorted_unique})
    if (a.fill.distribution == bound)
      return false;
  return std::none_of(task.arguments.begin(), task.arguments.end(),
                      [&](const auto& other) { return other.fill.of == a.name; });
}

size_t bytes_of_arrays(const contract& task, const shape_case& shape) {
  const auto outline = outline_call(task, shape);
  if (!outline)
    return 0;
  size_t out = 0;
  for (size_t i = 0; i < task.arguments.size(); ++i)
    if (is_array(task.arguments[i]))
      out += static_cast<size_t>(outline->geometries[i].span) * size_bytes(task.arguments[i].type);
  return out;
}

// Returns the sizes of a shape, largest first, that may be halved.
std::vector<std::pair<int64_t, std::string>> halvable(const contract& task, const shape_case& shape) {
  std::vector<std::pair<int64_t, std::string>> out;
  for (const auto& [name, value] : shape.sizes) {
    const auto* a = find_argument(task, name);
    const auto rule = a == nullptr ? size_rule{} : size_rule_of(*a);
    const auto half = value / 2 / rule.step * rule.step;
    if (!rule.declared_only && half >= std::max<int64_t>(rule.least, 1) && half < value)
      out.emplace_back(value, name);
  }
  std::sort(out.rbegin(), out.rend());
  return out;
}

} // namespace

std::vector<experiment> plan_experiments(const call_image& image, const call_side& side) {
  std::vector<experiment> out;
  const auto& arguments = image.task.arguments;
  const bool floats = std::any_of(arguments.begin(), arguments.end(), [](const auto& a) {
    return is_array(a) && (a.type == dtype::f32 || a.type == dtype::f64);
  });
  if (floats) {
    experiment e{"flush_to_zero", "", side, side, {}};
    e.changed.flush_denormals = true;
    out.push_back(std::move(e));
  }
  if (image.layout.total >= huge_page_bytes) {
    experiment e{"huge_pages", "", side, side, {}};
    e.unchanged.huge_pages = false;
    e.changed.huge_pages = true;
    out.push_back(std::move(e));
  }
  size_t moved = 0;
  for (const auto& place : image.layout.places) {
    const auto& a = arguments[place.argument];
    if (!is_written(a) || image.layout.places.size() < 2 || a.align > 64 || ++moved > most_arrays)
      continue;
    experiment e{"moved_array", a.name, side, side, {}};
    e.changed.moved = static_cast<int>(place.argument);
    e.changed.offset = moved_bytes;
    out.push_back(std::move(e));
  }
  size_t replaced = 0;
  for (const auto& place : image.layout.places) {
    const auto& a = arguments[place.argument];
    if (is_read(a) && values_are_free(image.task, a) && place.bytes >= least_bytes && replaced < most_arrays) {
      ++replaced;
      for (const bool sorts : {true, false}) {
        experiment e{sorts ? "sorted_values" : "level_values", a.name, side, side, {}};
        e.arguments.emplace(call_image{image.task, {}, image.layout});
        auto& data = e.arguments->data;
        data.sizes = image.data.sizes;
        data.geometries = image.data.geometries;
        data.by_value = image.data.by_value;
        for (const auto& from : image.data.inputs) {
          byte_buffer copy = from.empty() ? byte_buffer{} : byte_buffer{from.size()};
          if (!from.empty())
            std::memcpy(copy.data(), from.data(), from.size());
          data.inputs.push_back(std::move(copy));
        }
        if (sorts)
          sort_argument(*e.arguments, place.argument);
        else
          level_argument(*e.arguments, place.argument);
        out.push_back(std::move(e));
      }
    }
  }
  return out;
}

std::optional<shape_case> smaller_shape(const contract& task, const shape_case& shape, size_t bytes) {
  if (declared_sizes_only(task))
    return std::nullopt;
  auto out = shape;
  for (auto now = bytes_of_arrays(task, out); now > bytes; now = bytes_of_arrays(task, out)) {
    bool smaller = false;
    for (const auto& [value, name] : halvable(task, out)) {
      auto tried = out;
      const auto* a = find_argument(task, name);
      const auto step = a == nullptr ? 1 : size_rule_of(*a).step;
      tried.sizes[name] = value / 2 / step * step;
      if (const auto then = bytes_of_arrays(task, tried); then == 0 || then >= now)
        continue; // this size counts rounds, or the task does not allow it
      out = std::move(tried);
      smaller = true;
      break;
    }
    if (!smaller)
      return std::nullopt;
  }
  return out;
}

experiment_figure figure_of(const call_answer& answer, double work) {
  std::vector<double> ratios;
  for (const auto& s : answer.samples)
    if (s[1] > 0.0)
      ratios.push_back(s[0] / s[1] / work);
  experiment_figure out;
  out.pairs = ratios.size();
  if (ratios.empty())
    return out;
  const auto interval = interval_of_median(std::move(ratios));
  out.speedup = interval.median;
  out.low = interval.low;
  out.high = interval.high;
  return out;
}

} // namespace kevolve
