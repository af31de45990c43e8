#include "tools/kevolve/dispatch/corners.hpp"

#include "runtime/base/expression.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kevolve::dispatch {

namespace {

// Larger than any shape that fits a machine. Sums and products of such values do not overflow a double.
constexpr double endless = std::numeric_limits<double>::infinity();

double value_of(const std::string& text, const sizes& at) {
  const auto parsed = expression::parse(text);
  if (!parsed || !parsed->summed().empty())
    return 1.0; // unknown until data are drawn, as for the other shapes
  const auto value = parsed->evaluate(at);
  return value && *value >= 0 ? static_cast<double>(*value) : endless;
}

// The bytes of all arrays and the product of all sizes: bounds on memory and on time.
struct extent {
  double bytes = 0.0;
  double work = 1.0;
};

extent extent_of(const contract& task, const sizes& given) {
  const auto at = complete_sizes(task, given);
  extent out;
  for (const auto& a : task.arguments) {
    if (a.role == argument_role::size || a.role == argument_role::scalar)
      continue;
    auto elements = 1.0;
    for (const auto& dimension : a.shape)
      elements *= value_of(dimension, at);
    out.bytes += elements * static_cast<double>(size_bytes(a.type));
  }
  for (const auto& [name, value] : given)
    out.work *= static_cast<double>(std::max<int64_t>(value, 1));
  return out;
}

// Returns the given sizes' ranges over the task's shapes, the widest first.
std::vector<size_range> ranges_of(const contract& task) {
  std::vector<std::string> names;
  std::vector<sizes> shapes;
  for (const auto& s : task.shapes)
    shapes.push_back(s.sizes);
  for (const auto& [name, value] : task.shapes.front().sizes)
    names.push_back(name);
  auto ranges = box_around(names, shapes);
  const auto ratio = [](const size_range& r) {
    return static_cast<double>(r.high) / static_cast<double>(std::max<int64_t>(r.low, 1));
  };
  std::sort(ranges.begin(), ranges.end(), [&](const size_range& a, const size_range& b) {
    return std::pair{-ratio(a), a.name} < std::pair{-ratio(b), b.name};
  });
  return ranges;
}

std::vector<size_range> first_of(std::vector<size_range> ranges) {
  if (ranges.size() > most_corner_sizes)
    ranges.resize(most_corner_sizes);
  return ranges;
}

} // namespace

std::vector<size_range> widest_sizes(const contract& task) {
  return task.shapes.empty() ? std::vector<size_range>{} : first_of(ranges_of(task));
}

double bytes_of(const contract& task, const sizes& given) {
  return extent_of(task, given).bytes;
}

std::string shape_name(const contract& task, const sizes& given) {
  std::string out;
  for (const auto& a : task.arguments)
    if (const auto i = given.find(a.name); i != given.end())
      out += (out.empty() ? "" : " ") + a.name + "=" + std::to_string(i->second);
  return out;
}

corners corners_of(const contract& task) {
  corners out;
  if (task.shapes.empty() || declared_sizes_only(task))
    return out;
  std::vector<sizes> shapes;
  extent largest{0.0, 0.0};
  for (const auto& s : task.shapes) {
    shapes.push_back(s.sizes);
    const auto e = extent_of(task, s.sizes);
    largest = {std::max(largest.bytes, e.bytes), std::max(largest.work, e.work)};
  }
  auto ranges = ranges_of(task);
  std::erase_if(ranges, [](const size_range& r) { return r.low == r.high; });
  const auto varying = first_of(std::move(ranges));
  for (size_t corner = 0; corner < size_t{1} << varying.size(); ++corner) {
    auto at = shapes.front();
    for (size_t i = 0; i < varying.size(); ++i)
      at[varying[i].name] = (corner >> i & 1U) != 0 ? varying[i].high : varying[i].low;
    if (std::find(shapes.begin(), shapes.end(), at) != shapes.end())
      continue;
    const auto e = extent_of(task, at);
    if (e.bytes <= most_beyond * largest.bytes && e.work <= most_beyond * largest.work)
      out.to_judge.push_back({shape_name(task, at), at, true, 1.0});
    else
      out.unseen.push_back(std::move(at));
  }
  return out;
}

sizes complete_sizes(const contract& task, const sizes& given) {
  auto out = given;
  for (const auto& [name, text] : task.derived) {
    const auto parsed = expression::parse(text);
    if (!parsed || !parsed->summed().empty())
      continue;
    if (const auto value = parsed->evaluate(out))
      out[name] = *value;
  }
  return out;
}

std::vector<std::string> size_symbols(const contract& task) {
  std::vector<std::string> out;
  for (const auto& a : task.arguments)
    if (a.role == argument_role::size && std::all_of(task.shapes.begin(), task.shapes.end(), [&](const shape_case& s) {
          return complete_sizes(task, s.sizes).contains(a.name);
        }))
      out.push_back(a.name);
  return out;
}

} // namespace kevolve::dispatch
