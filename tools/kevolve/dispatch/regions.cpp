#include "tools/kevolve/dispatch/regions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace kevolve::dispatch {

namespace {

constexpr double as_good = 1e-9; // impurities are sums of a few ratios

// Returns each size alone, then the product of all sizes as the total work.
std::vector<std::vector<std::string>> features_of(const std::vector<size_range>& measured) {
  std::vector<std::vector<std::string>> out;
  std::vector<std::string> all;
  int64_t most = 1;
  bool fits = true;
  for (const auto& r : measured) {
    out.push_back({r.name});
    all.push_back(r.name);
    fits = fits && r.low >= 0 && !__builtin_mul_overflow(most, std::max<int64_t>(r.high, 1), &most);
  }
  if (fits && all.size() > 1)
    out.push_back(std::move(all));
  return out;
}

int64_t value_of(const std::vector<std::string>& factors, const sizes& at) {
  int64_t out = 1;
  for (const auto& f : factors)
    out *= at.at(f);
  return out;
}

// Returns the geometric middle of two sizes; low <= it < high.
int64_t middle(int64_t low, int64_t high) {
  if (low < 1)
    return low + (high - low - 1) / 2;
  const auto root = std::floor(std::sqrt(static_cast<double>(low) * static_cast<double>(high)));
  return std::clamp(static_cast<int64_t>(root), low, high - 1);
}

// Returns the Gini impurity; 0 if all points have the same kernel.
double impurity(const std::vector<labelled_point>& points) {
  std::map<choice, double> counts;
  for (const auto& p : points)
    counts[p.kernel] += 1;
  const auto n = static_cast<double>(points.size());
  double out = n;
  for (const auto& [kernel, count] : counts)
    out -= count * count / n;
  return out;
}

struct split {
  std::vector<std::string> factors;
  int64_t most = 0;
  double cost = 0.0;
  double gap = 0.0; // ratio of the two sizes beside the border
};

std::vector<labelled_point> side_of(const std::vector<labelled_point>& points, const split& s, bool above) {
  std::vector<labelled_point> out;
  std::copy_if(points.begin(), points.end(), std::back_inserter(out),
               [&](const labelled_point& p) { return (value_of(s.factors, p.at) > s.most) == above; });
  return out;
}

std::optional<split> best_split(const std::vector<std::vector<std::string>>& features,
                                const std::vector<labelled_point>& points) {
  std::optional<split> best;
  for (const auto& factors : features) {
    std::set<int64_t> values;
    for (const auto& p : points)
      values.insert(value_of(factors, p.at));
    for (auto low = values.begin(); low != values.end() && std::next(low) != values.end(); ++low) {
      const auto high = *std::next(low);
      split s{factors, middle(*low, high), 0.0,
              static_cast<double>(high) / static_cast<double>(std::max<int64_t>(*low, 1))};
      s.cost = impurity(side_of(points, s, false)) + impurity(side_of(points, s, true));
      const bool cheaper = !best || s.cost < best->cost - as_good;
      const bool as_cheap = best && s.cost < best->cost + as_good && s.factors.size() == best->factors.size();
      if (cheaper || (as_cheap && s.gap > best->gap + as_good))
        best = std::move(s);
    }
  }
  return best;
}

decision grow(const std::vector<std::vector<std::string>>& features, const std::vector<labelled_point>& points) {
  decision out;
  if (points.empty())
    return out;
  if (std::all_of(points.begin(), points.end(),
                  [&](const labelled_point& p) { return p.kernel == points.front().kernel; })) {
    out.kernel = points.front().kernel;
    return out;
  }
  const auto s = best_split(features, points);
  if (!s)
    return out;
  out.factors = s->factors;
  out.most = s->most;
  out.parts = {grow(features, side_of(points, *s, false)), grow(features, side_of(points, *s, true))};
  return out;
}

void add_rows(const decision& d, const std::string& path, std::vector<region_row>& out) {
  if (d.parts.empty()) {
    out.push_back({path.empty() ? "inside" : path, d.kernel});
    return;
  }
  const auto before = path.empty() ? "" : path + " && ";
  add_rows(d.parts[0], before + comparison_text(d, false), out);
  add_rows(d.parts[1], before + comparison_text(d, true), out);
}

} // namespace

std::vector<size_range> box_around(const std::vector<std::string>& symbols, const std::vector<sizes>& points) {
  std::vector<size_range> out;
  for (const auto& name : symbols) {
    size_range r{name, 0, 0};
    for (size_t i = 0; i < points.size(); ++i) {
      const auto value = points[i].at(name);
      r.low = i == 0 ? value : std::min(r.low, value);
      r.high = i == 0 ? value : std::max(r.high, value);
    }
    out.push_back(std::move(r));
  }
  return out;
}

decision decide(const std::vector<size_range>& measured, const std::vector<labelled_point>& points) {
  return grow(features_of(measured), points);
}

bool is_inside(const std::vector<size_range>& measured, const sizes& at) {
  return std::all_of(measured.begin(), measured.end(),
                     [&](const size_range& r) { return at.at(r.name) >= r.low && at.at(r.name) <= r.high; });
}

bool is_beyond(const std::vector<size_range>& measured, const side& where, const sizes& at) {
  return std::any_of(measured.begin(), measured.end(), [&](const size_range& r) {
    return r.name == where.name && (where.above ? at.at(r.name) > r.high : at.at(r.name) < r.low);
  });
}

std::vector<side> all_sides(const std::vector<size_range>& measured) {
  std::vector<side> out;
  for (const auto& r : measured)
    for (const bool above : {false, true})
      out.push_back({r.name, above});
  return out;
}

std::vector<outside_rule> rules_of(const regions& r) {
  if (!r.outside.empty() || r.measured.empty())
    return r.outside;
  return {{all_sides(r.measured), {}}};
}

choice kernel_at(const regions& r, const sizes& at) {
  for (const auto& rule : rules_of(r))
    if (std::any_of(rule.sides.begin(), rule.sides.end(), [&](const side& s) { return is_beyond(r.measured, s, at); }))
      return rule.kernel;
  const auto* d = &r.inside;
  while (!d->parts.empty())
    d = &d->parts[value_of(d->factors, at) > d->most ? 1 : 0];
  return d->kernel;
}

std::vector<region_row> rows_of(const regions& r) {
  std::vector<region_row> out;
  for (const auto& rule : rules_of(r))
    out.push_back({outside_text(r.measured, rule.sides), rule.kernel});
  add_rows(r.inside, "", out);
  return out;
}

std::string outside_text(const std::vector<size_range>& measured, const std::vector<side>& sides) {
  std::string out;
  const auto add = [&out](const std::string& term) { out += (out.empty() ? "" : " || ") + term; };
  for (const auto& r : measured) {
    const auto has = [&](bool above) {
      return std::any_of(sides.begin(), sides.end(),
                         [&](const side& s) { return s.name == r.name && s.above == above; });
    };
    if (r.low == r.high && has(false) && has(true)) {
      add(r.name + " != " + std::to_string(r.low));
      continue;
    }
    if (has(false))
      add(r.name + " < " + std::to_string(r.low));
    if (has(true))
      add(r.name + " > " + std::to_string(r.high));
  }
  return out;
}

std::string comparison_text(const decision& d, bool above) {
  std::string out;
  for (const auto& f : d.factors)
    out += (out.empty() ? "" : " * ") + f;
  return out + (above ? " > " : " <= ") + std::to_string(d.most);
}

} // namespace kevolve::dispatch
