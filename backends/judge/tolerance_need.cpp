#include "backends/judge/tolerance_need.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/numbers.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

constexpr double floor_share = 0.1; // of the relative tolerance, at the median

double median_magnitude(const expected_output& expected, int64_t elements) {
  std::vector<double> sizes;
  sizes.reserve(static_cast<size_t>(elements));
  for (int64_t i = 0; i < elements; ++i)
    if (const auto x = std::fabs(load_number(expected.type, expected.values.data(), i)); std::isfinite(x))
      sizes.push_back(x);
  if (sizes.empty())
    return 0.0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

const tolerance* declared_for(const contract& task, const argument& output) {
  const tolerance* general = nullptr;
  for (const auto& t : task.tolerances) {
    if (t.argument == output.name)
      return &t;
    if (t.argument.empty())
      general = &t;
  }
  return general;
}

} // namespace

double usual_relative(dtype t) {
  return t == dtype::f64 ? 1e-12 : t == dtype::f16 ? 2e-3 : t == dtype::bf16 ? 1.6e-2 : 1e-5;
}

contract without_absolute(contract task) {
  std::vector<tolerance> bare;
  for (const auto& a : task.arguments) {
    const bool written = a.role == argument_role::output || a.role == argument_role::inout;
    if (!written)
      continue;
    auto t = tolerance_for(task, a);
    if (is_floating(a.type))
      t.absolute = 0.0;
    bare.push_back(std::move(t));
  }
  task.tolerances = std::move(bare);
  return task;
}

void add_draw(tolerance_need& need, dtype t, const void* own, const expected_output& expected, int64_t elements,
              const comparison_rule& granted, bool usual) {
  const auto relative = granted.mode == tolerance_mode::absrel ? granted.relative : usual_relative(t);
  double excess = 0.0;
  double largest = 0.0;
  for (int64_t i = 0; i < elements; ++i) {
    const auto o = load_number(expected.type, expected.values.data(), i);
    const auto difference = std::fabs(load_number(t, own, i) - o);
    if (!std::isfinite(difference))
      continue; // another rule refuses these
    largest = std::max(largest, difference);
    excess = std::max(excess, error_margin * difference - relative * std::fabs(o));
    if (usual && difference > 0.0)
      need.ulps = std::max(need.ulps, difference / ulp_of(t, o));
  }
  need.error = std::max(need.error, largest);
  // An edge is granted that much by the scale of its values.
  if (excess > granted.absolute && granted.absolute > 0.0 && relative > 0.0)
    need.edge_relative = std::max(need.edge_relative, error_margin * largest * relative / granted.absolute);
  else if (excess > granted.absolute)
    need.excess = std::max(need.excess, excess);
  if (usual)
    need.median = std::max(need.median, median_magnitude(expected, elements));
  ++need.draws;
}

tolerance_need joined(const tolerance_need& a, const tolerance_need& b) {
  return {std::max(a.error, b.error),
          std::max(a.excess, b.excess),
          std::max(a.ulps, b.ulps),
          std::max(a.median, b.median),
          std::max(a.edge_relative, b.edge_relative),
          a.draws + b.draws};
}

double rounded_up(double x) {
  if (!(x > 0.0) || !std::isfinite(x))
    return 0.0;
  constexpr double nearly = 1e-9; // 0.3 is not rounded up to 0.4
  const auto power = std::floor(std::log10(x));
  const auto digit = std::ceil(x / std::pow(10.0, power) - nearly);
  // Divided, since negative powers of ten are no exact numbers.
  return power < 0.0 ? digit / std::pow(10.0, -power) : digit * std::pow(10.0, power);
}

double needed_absolute(const tolerance_need& need, double relative) {
  return rounded_up(std::max(need.excess, floor_share * relative * need.median));
}

std::string tolerance_to_write(const contract& task, const argument& output, const tolerance_need& need) {
  if (!is_floating(output.type) || need.draws == 0)
    return {};
  const auto t = tolerance_for(task, output);
  const auto* declared = declared_for(task, output);
  const auto relative = t.mode == tolerance_mode::absrel ? t.relative : usual_relative(output.type);
  auto absolute = "absolute = " + figure(std::max(t.absolute, needed_absolute(need, relative)), 3);
  if (need.edge_relative > relative) // for edges, tolerances are relative to the scale of the values
    absolute += " and relative = " + figure(rounded_up(need.edge_relative), 3);
  std::string keys;
  if (t.mode == tolerance_mode::absrel)
    keys = absolute;
  else if (t.mode == tolerance_mode::ulp)
    keys = "limit = " + figure(rounded_up(error_margin * need.ulps), 3);
  else if (t.mode == tolerance_mode::reference_error)
    keys = "limit = " + figure(error_margin, 3);
  else
    keys = "relative = " + figure(relative, 3) + " and " + absolute + " in place of mode = \"exact\"";
  const auto place = declared == nullptr ? "a [[tolerance]] with argument = \"" + output.name
                                               + "\" and relative = " + figure(relative, 3)
                     : declared->argument.empty() ? std::string{"[tolerance]"}
                                                  : "the [[tolerance]] with argument = \"" + output.name + "\"";
  return "write " + keys + " in " + place + ": " + figure(error_margin, 3) + " times the reference's largest error, "
         + figure(need.error, 3) + " in " + std::to_string(need.draws) + (need.draws == 1 ? " draw" : " draws")
         + (t.mode == tolerance_mode::absrel ? ", beyond what relative = " + figure(relative, 3) + " admits" : "");
}

std::string tolerances_to_write(const contract& task, const std::vector<tolerance_need>& needs,
                                const std::string& missed) {
  std::string out;
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& a = task.arguments[i];
    const auto t = tolerance_for(task, a);
    const bool too_tight =
        t.mode == tolerance_mode::absrel
        && (needs[i].excess > error_margin * t.absolute || needs[i].edge_relative > error_margin * t.relative);
    if (needs[i].draws > 0 && (a.name == missed || too_tight))
      if (const auto words = tolerance_to_write(task, a, needs[i]); !words.empty())
        out += (out.empty() ? "" : "; ") + words;
  }
  return out;
}

} // namespace kevolve
