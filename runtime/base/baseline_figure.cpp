#include "runtime/base/baseline_figure.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

using json = nlohmann::json;

constexpr const char* evidence_key = "baselines";
constexpr const char* compiled_prefix = "torch.compile ";

bool is_timed(const baseline_figure& x) {
  return x.speedup > 0.0;
}

// Returns "torch.compile (max-autotune)" for "torch.compile max-autotune".
std::string spoken(const std::string& name) {
  if (!name.starts_with(compiled_prefix))
    return name;
  return fmt::format("torch.compile ({})", name.substr(std::char_traits<char>::length(compiled_prefix)));
}

std::string human_us(double ns) {
  return ns >= 1e6 ? fmt::format("{:.3g} ms", ns / 1e6) : fmt::format("{:.3g} us", ns / 1e3);
}

std::string interval(const baseline_figure& x) {
  return fmt::format("{:.3g} to {:.3g}", x.ci_low, x.ci_high);
}

double number_at(const json& x, const char* key) {
  const auto found = x.find(key);
  return found == x.end() || !found->is_number() ? 0.0 : found->get<double>();
}

std::string text_at(const json& x, const char* key) {
  const auto found = x.find(key);
  return found == x.end() || !found->is_string() ? std::string{} : found->get<std::string>();
}

} // namespace

const baseline_figure* best_baseline(const baseline_figures& all) {
  const baseline_figure* best = nullptr;
  for (const auto& x : all)
    if (is_timed(x) && (best == nullptr || x.speedup < best->speedup))
      best = &x;
  return best;
}

std::string baseline_headline(const baseline_figures& all) {
  const auto* best = best_baseline(all);
  if (best == nullptr)
    return {};
  const auto name = spoken(best->name);
  if (best->ci_high < 1.0 || best->speedup < 1.0)
    return fmt::format("{} {}: {:.3g}x as fast, {}",
                       best->ci_high < 1.0 ? "slower than" : "not shown to be faster than", name, best->speedup,
                       interval(*best));
  if (best->ci_low <= 1.0)
    return fmt::format("not shown to be faster than {}: {:.3g}x as fast, {}", name, best->speedup, interval(*best));
  const auto timed = std::count_if(all.begin(), all.end(), is_timed);
  return fmt::format("{:.3g}x faster than {}{}, {}", best->speedup, name,
                     timed == 1 ? std::string{} : fmt::format(", the best of {} baselines", timed), interval(*best));
}

std::vector<std::string> baseline_lines(const baseline_figures& all) {
  std::vector<std::string> out;
  for (const auto& x : all) {
    const auto note = x.note.empty() ? std::string{} : "; " + x.note;
    if (is_timed(x))
      out.push_back(fmt::format("{}: {:.3g}x ({}), {} beside the candidate's {}{}", x.name, x.speedup, interval(x),
                                human_us(x.time_ns), human_us(x.candidate_ns), note));
    else
      out.push_back(x.name + ": not timed" + (x.note.empty() ? "" : ": " + x.note));
  }
  return out;
}

baseline_figure over_shapes(const std::vector<shape_baseline>& shapes) {
  baseline_figure out;
  double weights = 0.0;
  baseline_figure logs;
  for (const auto& [x, weight] : shapes) {
    out.name = x.name;
    if (!is_timed(x)) {
      out.note = x.note;
      return out;
    }
    weights += weight;
    logs.speedup += weight * std::log(x.speedup);
    logs.ci_low += weight * std::log(x.ci_low);
    logs.ci_high += weight * std::log(x.ci_high);
    logs.time_ns += weight * std::log(x.time_ns);
    logs.candidate_ns += weight * std::log(x.candidate_ns);
    out.coverage = out.coverage == 0.0 ? x.coverage : std::min(out.coverage, x.coverage);
    if (out.note.empty())
      out.note = x.note;
  }
  if (weights <= 0.0)
    return out;
  out.set_speedup(
      {std::exp(logs.speedup / weights), std::exp(logs.ci_low / weights), std::exp(logs.ci_high / weights)});
  out.time_ns = std::exp(logs.time_ns / weights);
  out.candidate_ns = std::exp(logs.candidate_ns / weights);
  return out;
}

void note_baselines(std::map<std::string, std::string>& evidence, const baseline_figures& all) {
  auto list = json::array();
  for (const auto& x : all)
    list.push_back({{"name", x.name},
                    {"speedup", x.speedup},
                    {"low", x.ci_low},
                    {"high", x.ci_high},
                    {"coverage", x.coverage},
                    {"time_ns", x.time_ns},
                    {"candidate_ns", x.candidate_ns},
                    {"note", x.note}});
  evidence[evidence_key] = list.dump(-1, ' ', false, json::error_handler_t::replace);
}

baseline_figures baselines_of(const std::map<std::string, std::string>& evidence) {
  baseline_figures out;
  const auto found = evidence.find(evidence_key);
  const auto list = found == evidence.end() ? json{} : json::parse(found->second, nullptr, false);
  if (!list.is_array())
    return out;
  for (const auto& x : list) {
    if (!x.is_object())
      continue;
    auto& one = out.emplace_back();
    one.name = text_at(x, "name");
    one.set_speedup({number_at(x, "speedup"), number_at(x, "low"), number_at(x, "high")});
    one.coverage = number_at(x, "coverage");
    one.time_ns = number_at(x, "time_ns");
    one.candidate_ns = number_at(x, "candidate_ns");
    one.note = text_at(x, "note");
  }
  return out;
}

} // namespace kevolve
