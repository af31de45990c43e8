#include "tools/kevolve/dispatch/plan.hpp"

#include "tools/kevolve/dispatch/outside.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kevolve::dispatch {

namespace {

constexpr size_t most_kernels = 16; // all subsets are tried

// Returns the kernels that are faster than the reference at a shape and not measurably slower than the fastest.
std::vector<size_t> as_good_as_best(const std::vector<figures>& kernels, size_t shape) {
  double best = 0.0;
  double low = 0.0;
  for (const auto& k : kernels)
    if (is_faster(k[shape]) && k[shape].speedup > best) {
      best = k[shape].speedup;
      low = k[shape].low;
    }
  std::vector<size_t> out;
  for (size_t k = 0; k < kernels.size(); ++k)
    if (is_faster(kernels[k][shape]) && kernels[k][shape].high >= low)
      out.push_back(k);
  return out;
}

// Returns the fastest kernel of the set.
choice fastest_of(const std::vector<size_t>& good, uint32_t set, const std::vector<figures>& kernels, size_t shape) {
  choice out;
  for (auto k : good)
    if ((set >> k & 1U) != 0 && (!out || kernels[k][shape].speedup > kernels[*out][shape].speedup))
      out = k;
  return out;
}

// Returns false if a size computed by [derived] has no value; no call has such sizes.
bool has_all(const sizes& at, const std::vector<size_range>& measured) {
  return std::all_of(measured.begin(), measured.end(), [&](const size_range& r) { return at.contains(r.name); });
}

// Returns whether the shape takes part in the choice. The task's held-out shapes do not; they validate it.
bool asks(const contract& task, size_t shape, const between& beside) {
  return !is_probe(task, beside, shape) && (!task.shapes[shape].held_out || shape >= own_shapes(task, beside));
}

struct candidate_set {
  uint32_t members = 0;
  int size = 0;
  double gain = 0.0; // weighted sum of the logarithms of the speed-ups
};

} // namespace

std::vector<choice> choose_kernels(const contract& task, const std::vector<figures>& kernels,
                                   const std::set<size_t>& to_reference, const between& beside) {
  std::vector<std::vector<size_t>> good(task.shapes.size());
  for (size_t s = 0; s < task.shapes.size(); ++s)
    if (asks(task, s, beside) && !to_reference.contains(s))
      good[s] = as_good_as_best(kernels, s);
  const auto count = std::min(kernels.size(), most_kernels);
  candidate_set best{0, static_cast<int>(count) + 1, 0.0};
  for (uint32_t set = 0; set < uint32_t{1} << count; ++set) {
    candidate_set c{set, __builtin_popcount(set), 0.0};
    bool serves_all = true;
    for (size_t s = 0; s < good.size() && serves_all; ++s) {
      const auto k = fastest_of(good[s], set, kernels, s);
      serves_all = k || good[s].empty();
      if (k)
        c.gain += task.shapes[s].weight * std::log(kernels[*k][s].speedup);
    }
    if (serves_all && (c.size < best.size || (c.size == best.size && c.gain > best.gain)))
      best = c;
  }
  std::vector<choice> out(good.size());
  for (size_t s = 0; s < good.size(); ++s)
    out[s] = fastest_of(good[s], best.members, kernels, s);
  return out;
}

regions plan_regions(const contract& task, const std::vector<figures>& kernels, std::set<size_t> to_reference,
                     const between& beside) {
  std::vector<sizes> at; // by shape
  for (const auto& s : task.shapes)
    at.push_back(complete_sizes(task, s.sizes));
  const auto chosen = choose_kernels(task, kernels, to_reference, beside);
  std::vector<sizes> timed;
  const auto inside = task.shapes.size() - beside.probes;
  for (size_t s = 0; s < inside; ++s)
    if (std::any_of(kernels.begin(), kernels.end(), [&](const figures& k) { return is_timed(k[s]); }))
      timed.push_back(at[s]);
  regions out;
  out.measured = box_around(size_symbols(task), timed);
  for (bool settled = false; !settled;) {
    std::vector<labelled_point> points;
    for (size_t s = 0; s < inside; ++s)
      if (is_inside(out.measured, at[s]) && (!task.shapes[s].held_out || to_reference.contains(s) || chosen[s]))
        points.push_back({at[s], to_reference.contains(s) ? choice{} : chosen[s]});
    for (const auto& u : beside.unseen)
      if (auto complete = complete_sizes(task, u); has_all(complete, out.measured) && is_inside(out.measured, complete))
        points.push_back({std::move(complete), {}});
    out.inside = decide(out.measured, points);
    out.outside = outside_rules(task, kernels, to_reference, beside, out.measured);
    settled = true;
    for (size_t s = 0; s < task.shapes.size(); ++s) {
      const auto k = kernel_at(out, at[s]);
      if (k && !is_not_inferior(kernels[*k][s]))
        settled = !to_reference.insert(s).second && settled;
    }
  }
  return out;
}

namespace {

void collect(const decision& d, std::set<size_t>& out) {
  if (d.parts.empty() && d.kernel)
    out.insert(*d.kernel);
  for (const auto& p : d.parts)
    collect(p, out);
}

} // namespace

std::vector<size_t> kernels_in(const regions& r) {
  std::set<size_t> out;
  collect(r.inside, out);
  for (const auto& rule : r.outside)
    if (rule.kernel)
      out.insert(*rule.kernel);
  return {out.begin(), out.end()};
}

} // namespace kevolve::dispatch
