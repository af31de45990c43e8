#include "backends/judge/outcome_figures.hpp"

#include "backends/judge/sequential_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace kevolve {

namespace {

constexpr const char* pairs_key = "pairs";
constexpr const char* sessions_key = "interval.sessions";
constexpr const char* coverage_key = "interval.coverage";
constexpr const char* not_read_key = "outputs.not_read";
constexpr const char* read_key = "outputs.read";

// Reads up to N numbers with spaces between them; the rest stays 0.
template <size_t N>
std::array<double, N> numbers_at(const judge_outcome& o, const std::string& key) {
  std::array<double, N> out{};
  const auto found = o.evidence.find(key);
  if (found == o.evidence.end())
    return out;
  const auto* at = found->second.data();
  const auto* end = at + found->second.size();
  for (auto& x : out) {
    const auto [next, error] = std::from_chars(at, end, x);
    if (error != std::errc{})
      break;
    at = next == end ? next : next + 1;
  }
  return out;
}

speedup_interval figure_at(const judge_outcome& o, const std::string& key) {
  const auto x = numbers_at<3>(o, key);
  return {x[0], x[1], x[2]};
}

void note(judge_outcome& out, const std::string& key, const speedup_interval& x) {
  if (x.speedup > 0.0)
    out.evidence[key] = fmt::format("{:.7g} {:.7g} {:.7g}", x.speedup, x.ci_low, x.ci_high);
}

} // namespace

void note_basis(judge_outcome& out, const interval_basis& basis) {
  out.evidence[pairs_key] = std::to_string(basis.pairs);
  out.evidence[sessions_key] = std::to_string(basis.sessions);
  out.evidence[coverage_key] = fmt::format("{:.5g}", basis.coverage);
}

interval_basis basis_of(const judge_outcome& o) {
  if (o.ci_low == 0.0 && o.ci_high == 0.0)
    return {};
  const auto pairs = static_cast<uint32_t>(numbers_at<1>(o, pairs_key)[0]);
  if (!o.evidence.contains(coverage_key))
    return pairs == 0 ? interval_basis{} : interval_basis{coverage_of_median(pairs), pairs, 1};
  return {numbers_at<1>(o, coverage_key)[0], pairs, static_cast<uint32_t>(numbers_at<1>(o, sessions_key)[0])};
}

interval_basis basis_of(const shape_timing& t, size_t pairs) {
  if (t.ci_low == 0.0 && t.ci_high == 0.0)
    return {};
  return {coverage_of_median(pairs), static_cast<uint32_t>(pairs), 1};
}

interval_basis basis_of(const shape_timing& t, size_t pairs, const interval_basis& whole) {
  auto out = basis_of(t, pairs);
  if (out.pairs > 0 && !t.held_out)
    out.sessions = std::max<uint32_t>(whole.sessions, 1);
  return out;
}

interval_basis basis_of(const shape_timing& t) {
  return basis_of(t, std::min(t.baseline_ns.size(), t.candidate_ns.size()));
}

std::string shape_interval_name(const interval_basis& basis) {
  auto out = interval_name({basis.coverage, basis.pairs, 1});
  if (const auto at = out.rfind("within one session"); at != std::string::npos)
    out.replace(at, std::string::npos, "within sessions");
  return out;
}

size_t pairs_on(const judge_outcome& o, const shape_timing& t) {
  const auto thinned = static_cast<size_t>(numbers_at<1>(o, "thinned." + t.shape)[0]);
  return thinned > 0 ? thinned : std::min(t.baseline_ns.size(), t.candidate_ns.size());
}

void note_outputs(judge_outcome& out, const outputs_figures& figures) {
  note(out, not_read_key, figures.not_read);
  note(out, read_key, figures.read);
}

outputs_figures outputs_of(const judge_outcome& o) {
  return {figure_at(o, not_read_key), figure_at(o, read_key)};
}

void note_read_figure(judge_outcome& out, const std::string& shape, const speedup_interval& figure) {
  note(out, std::string{read_key} + "." + shape, figure);
}

speedup_interval read_figure_of(const judge_outcome& o, const std::string& shape) {
  return figure_at(o, std::string{read_key} + "." + shape);
}

} // namespace kevolve
