#include "tools/kevolve/dispatch/outside.hpp"

#include "tools/kevolve/dispatch/corners.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

namespace kevolve::dispatch {

namespace {

// Returns the shape whose size `name` is the largest, or the smallest. Among equals it is the one with the most work.
sizes extreme_shape(const std::vector<sizes>& shapes, const std::string& name, bool largest) {
  const auto work = [](const sizes& at) {
    double out = 1.0;
    for (const auto& [symbol, value] : at)
      out *= static_cast<double>(std::max<int64_t>(value, 1));
    return out;
  };
  return *std::max_element(shapes.begin(), shapes.end(), [&](const sizes& a, const sizes& b) {
    const auto key = [&](const sizes& at) { return std::pair{largest ? at.at(name) : -at.at(name), work(at)}; };
    return key(a) < key(b);
  });
}

// Returns the values to probe that the task allows.
std::vector<int64_t> values_beyond(const size_range& r, const size_rule& rule) {
  std::vector<int64_t> out;
  const auto least = (std::max<int64_t>(rule.least, 1) + rule.step - 1) / rule.step * rule.step;
  if (const auto lower = std::max(r.low / 4 / rule.step * rule.step, least); lower < r.low)
    out.push_back(lower);
  for (auto factor : {2, 4})
    if (int64_t larger = 0; r.high > 0 && !__builtin_mul_overflow(r.high, int64_t{factor}, &larger))
      out.push_back(larger);
  return out;
}

size_rule rule_of(const contract& task, const std::string& name) {
  const auto* size = find_argument(task, name);
  return size != nullptr && size->role == argument_role::size ? size_rule_of(*size) : size_rule{};
}

// Returns the fastest kernel at these shapes that is not inferior to the reference at any; none: no kernel is both
// that and faster than the reference on the whole.
choice fastest_at(const std::vector<figures>& kernels, const std::vector<size_t>& shapes) {
  choice out;
  double best = 0.0;
  for (size_t k = 0; k < kernels.size(); ++k) {
    double gain = 0.0;
    bool holds = !shapes.empty();
    for (auto s : shapes) {
      const auto& f = kernels[k][s];
      holds = holds && is_timed(f) && is_not_inferior(f);
      gain += is_timed(f) ? std::log(f.speedup) : 0.0;
    }
    if (holds && gain > best) {
      best = gain;
      out = k;
    }
  }
  return out;
}

} // namespace

probes probes_of(const contract& task, double most_bytes) {
  probes out;
  if (declared_sizes_only(task))
    return out;
  std::vector<sizes> shapes;
  for (const auto& s : task.shapes)
    shapes.push_back(s.sizes);
  for (const auto& r : widest_sizes(task))
    for (auto value : values_beyond(r, rule_of(task, r.name))) {
      auto at = extreme_shape(shapes, r.name, value > r.high);
      at[r.name] = value;
      if (bytes_of(task, at) <= most_bytes)
        out.to_judge.push_back({shape_name(task, at), at, false, 1.0});
      else
        out.unseen.push_back(std::move(at));
    }
  return out;
}

std::vector<outside_rule> outside_rules(const contract& task, const std::vector<figures>& kernels,
                                        const std::set<size_t>& to_reference, const between& beside,
                                        const std::vector<size_range>& measured) {
  std::vector<sizes> at; // by shape
  for (const auto& s : task.shapes)
    at.push_back(complete_sizes(task, s.sizes));
  std::map<choice, std::vector<side>> by_choice; // the reference comes first
  for (const auto& r : measured)
    for (const bool above : {false, true}) {
      const side here{r.name, above};
      std::vector<size_t> there;
      bool closed = false;
      for (size_t s = 0; s < at.size(); ++s)
        if (is_beyond(measured, here, at[s])) {
          closed = closed || to_reference.contains(s);
          if (is_probe(task, beside, s))
            there.push_back(s);
        }
      by_choice[closed ? choice{} : fastest_at(kernels, there)].push_back(here);
    }
  std::vector<outside_rule> out;
  for (auto& [kernel, sides] : by_choice)
    out.push_back({std::move(sides), kernel});
  return out.size() == 1 && !out.front().kernel ? std::vector<outside_rule>{} : out;
}

} // namespace kevolve::dispatch
