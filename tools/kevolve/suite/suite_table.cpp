#include "tools/kevolve/suite/suite_table.hpp"

#include "actors/messages/enums.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace kevolve {

namespace {

constexpr const char* reference_name = "reference";
constexpr const char* best_name = "best";

double number(const json& x, const char* key) {
  const auto i = x.is_object() ? x.find(key) : x.end();
  return x.is_object() && i != x.end() && i->is_number() ? i->get<double>() : 0.0;
}

std::string text(const json& x, const char* key) {
  const auto i = x.is_object() ? x.find(key) : x.end();
  return x.is_object() && i != x.end() && i->is_string() ? i->get<std::string>() : std::string{};
}

json member(const json& x, const char* key) {
  return x.is_object() ? x.value(key, json{}) : json{};
}

std::optional<std::pair<double, double>> interval_in(const json& x) {
  const auto i = member(x, "interval");
  if (!i.is_array() || i.size() != 2 || !i[0].is_number() || !i[1].is_number())
    return std::nullopt;
  return std::pair{i[0].get<double>(), i[1].get<double>()};
}

// The list stands at the campaign or at its best.
json baselines_in(const json& status) {
  for (const auto& at : {member(member(status, "best"), "baselines"), member(status, "baselines")})
    if (at.is_array())
      return at;
  return json::array();
}

void read_speedups(const json& status, suite_row& out) {
  const auto best = member(status, "best");
  if (number(best, "speedup") > 0.0)
    out.speedups[reference_name] = {number(best, "speedup"), interval_in(best), 0.0};
  else if (out.correct) // what nothing beats is used: the reference itself
    out.speedups[reference_name] = {1.0, std::nullopt, 0.0};
  const suite_speedup* slowest = nullptr;
  for (const auto& b : baselines_in(status)) {
    const auto name = text(b, "name");
    if (name.empty() || name == reference_name || name == best_name || number(b, "speedup") <= 0.0)
      continue;
    auto& x = out.speedups[name] = {number(b, "speedup"), interval_in(b), number(b, "time_ns")};
    if (slowest == nullptr || x.speedup < slowest->speedup) {
      slowest = &x;
      out.best_baseline = name;
    }
  }
  if (slowest != nullptr) {
    auto against = *slowest;
    out.speedups[best_name] = against;
  }
}

void read_times(const json& best, suite_row& out) {
  const auto shapes = member(best, "shapes");
  if (!shapes.is_array())
    return;
  for (const auto& s : shapes)
    if (!s.value("held_out", false) && member(s, "candidate_ns").is_object()) {
      out.kernel_times = s["candidate_ns"];
      out.kernel_ns = number(out.kernel_times, "median");
      return;
    }
}

json row_json(const suite_row& r) {
  auto speedups = json::object();
  for (const auto& [name, x] : r.speedups)
    speedups[name] = {{"speedup", x.speedup},
                      {"interval", x.interval ? json{x.interval->first, x.interval->second} : json(nullptr)}};
  return {{"task", r.item.name},
          {"file", r.item.task},
          {"level", r.item.level > 0 ? json(r.item.level) : json(nullptr)},
          {"problem", r.item.problem},
          {"campaign", or_null(r.item.campaign)},
          {"state", r.state},
          {"reason", or_null(r.item.refused)},
          {"compiled", r.compiled},
          {"correct", r.correct},
          {"confirmed", r.confirmed},
          {"speedups", std::move(speedups)},
          {"best_baseline", or_null(r.best_baseline)},
          {"tf32", r.tf32 ? json(*r.tf32) : json(nullptr)},
          {"candidates", r.candidates},
          {"wall_s", r.wall_s},
          {"device_s", r.device_s},
          {"tokens", r.tokens},
          {"cost", r.cost}};
}

size_t count_of(const std::vector<suite_row>& rows, bool suite_row::* what) {
  return static_cast<size_t>(std::count_if(rows.begin(), rows.end(), [&](const auto& r) { return r.*what; }));
}

double sum_of(const std::vector<suite_row>& rows, double suite_row::* what) {
  double out = 0.0;
  for (const auto& r : rows)
    out += r.*what;
  return out;
}

uint64_t tokens_of(const std::vector<suite_row>& rows) {
  uint64_t out = 0;
  for (const auto& r : rows)
    out += r.tokens;
  return out;
}

// Returns how many tasks allow TF32, and how many do not; empty if no task says so.
std::string numerics_line(const std::vector<suite_row>& rows) {
  const auto that = [&](std::optional<bool> use) {
    return std::count_if(rows.begin(), rows.end(), [&](const auto& r) { return r.tf32 == use; });
  };
  const auto allowed = that(true);
  const auto none = that(false);
  return allowed + none == 0 ? ""
                             : fmt::format("products of f32, on all sides: {} tasks with TF32, {} strict fp32, {} as "
                                           "PyTorch has it\n",
                                           allowed, none, that(std::nullopt));
}

} // namespace

suite_row row_of(const suite_item& item, const json& status) {
  suite_row out;
  out.item = item;
  if (!status.is_object()) {
    out.state = item.refused.empty() ? "not started" : "refused";
    return out;
  }
  out.state = text(status, "state");
  out.ended = has_ended(out.state);
  out.candidates = static_cast<uint64_t>(number(status, "candidates"));
  out.correct = number(status, "valid") > 0.0;
  out.compiled = out.correct || status.value("compiled", false);
  const auto best = member(status, "best");
  out.confirmed = best.is_object() && best.value("final", false);
  read_speedups(status, out);
  read_times(best, out);
  const auto spent = member(status, "spent");
  out.wall_s = number(spent, "wall_s");
  out.device_s = number(spent, "device_s");
  const auto models = member(spent, "models");
  out.tokens = static_cast<uint64_t>(number(models, "tokens"));
  out.cost = number(models, "cost");
  return out;
}

double fast_p(const std::vector<suite_row>& rows, const std::string& baseline, double p) {
  if (rows.empty())
    return 0.0;
  const auto fast = std::count_if(rows.begin(), rows.end(), [&](const suite_row& r) {
    const auto x = r.speedups.find(baseline);
    return r.correct && x != r.speedups.end() && x->second.speedup > p;
  });
  return static_cast<double>(fast) / static_cast<double>(rows.size());
}

size_t measured(const std::vector<suite_row>& rows, const std::string& baseline) {
  return static_cast<size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const suite_row& r) { return r.correct && r.speedups.contains(baseline); }));
}

std::optional<double> geometric_mean(const std::vector<suite_row>& rows, const std::string& baseline) {
  double sum = 0.0;
  for (const auto& r : rows)
    if (const auto x = r.speedups.find(baseline); r.correct && x != r.speedups.end())
      sum += std::log(x->second.speedup);
  const auto n = measured(rows, baseline);
  return n == 0 ? std::nullopt : std::optional{std::exp(sum / static_cast<double>(n))};
}

std::vector<std::string> baselines_of(const std::vector<suite_row>& rows) {
  std::vector<std::string> out{reference_name};
  bool best = false;
  for (const auto& r : rows)
    for (const auto& [name, x] : r.speedups) {
      best = best || name == best_name;
      if (name != best_name && std::find(out.begin(), out.end(), name) == out.end())
        out.push_back(name);
    }
  std::sort(out.begin() + 1, out.end());
  if (best)
    out.emplace_back(best_name);
  return out;
}

json suite_json(const std::string& name, const std::vector<suite_row>& rows) {
  auto items = json::array();
  for (const auto& r : rows)
    items.push_back(row_json(r));
  auto against = json::object();
  for (const auto& b : baselines_of(rows)) {
    auto fast = json::object();
    for (const auto p : fast_thresholds)
      fast[fmt::format("{:.1f}", p)] = fast_p(rows, b, p);
    const auto mean = geometric_mean(rows, b);
    against[b] = {{"measured", measured(rows, b)},
                  {"geometric_mean", mean ? json(*mean) : json(nullptr)},
                  {"fast_p", std::move(fast)}};
  }
  return {{"suite", name},
          {"tasks", rows.size()},
          {"ended", count_of(rows, &suite_row::ended)},
          {"compiled", count_of(rows, &suite_row::compiled)},
          {"correct", count_of(rows, &suite_row::correct)},
          {"baselines", std::move(against)},
          {"spent",
           {{"wall_s", sum_of(rows, &suite_row::wall_s)},
            {"device_s", sum_of(rows, &suite_row::device_s)},
            {"tokens", tokens_of(rows)},
            {"cost", sum_of(rows, &suite_row::cost)}}},
          {"items", std::move(items)}};
}

std::string suite_text(const std::string& name, const std::vector<suite_row>& rows) {
  const auto baselines = baselines_of(rows);
  std::vector<std::string> head{"TASK", "STATE", "CORRECT"};
  for (const auto& b : baselines)
    head.push_back("x " + printable(b));
  head.insert(head.end(), {"CANDIDATES", "WALL", "DEVICE", "TOKENS"});
  std::vector<std::vector<std::string>> lines{head};
  for (const auto& r : rows) {
    std::vector<std::string> line{printable(r.item.name), r.state,
                                  r.ended || r.correct ? r.correct ? "yes" : "no" : "-"};
    for (const auto& b : baselines) {
      const auto x = r.speedups.find(b);
      line.push_back(x != r.speedups.end() ? human_speedup(x->second.speedup) : r.correct ? "not measured" : "-");
    }
    line.insert(line.end(), {std::to_string(r.candidates), human_duration(r.wall_s), human_duration(r.device_s),
                             std::to_string(r.tokens)});
    lines.push_back(std::move(line));
  }
  auto out = table_text(lines) + "\n";
  const auto correct = count_of(rows, &suite_row::correct);
  out += fmt::format("{}: {} of {} ended, {} correct\n", printable(name), count_of(rows, &suite_row::ended),
                     human_number(rows.size(), "task"), correct);
  std::vector<std::vector<std::string>> means{
      {"AGAINST", "MEASURED", "GEOMETRIC MEAN", "fast_1", "fast_1.5", "fast_2"}};
  for (const auto& b : baselines) {
    const auto mean = geometric_mean(rows, b);
    std::vector<std::string> line{printable(b), fmt::format("{} of {}", measured(rows, b), correct),
                                  mean ? human_speedup(*mean) : "not measured"};
    for (const auto p : {1.0, 1.5, 2.0})
      line.push_back(mean ? fmt::format("{:.1f} %", 100.0 * fast_p(rows, b, p)) : "not measured");
    means.push_back(std::move(line));
  }
  out += table_text(means);
  out += numerics_line(rows);
  if (baselines.size() == 1)
    out += "against eager PyTorch and torch.compile: not measured\n";
  out +=
      fmt::format("spent: {} of wall time, {} of device time, {} tokens, cost {:g}\n",
                  human_duration(sum_of(rows, &suite_row::wall_s)), human_duration(sum_of(rows, &suite_row::device_s)),
                  tokens_of(rows), sum_of(rows, &suite_row::cost));
  for (const auto& r : rows)
    if (!r.item.refused.empty())
      out += printable(r.item.name) + ": " + printable(r.item.refused) + "\n";
  return out;
}

json eval_results(const std::vector<suite_row>& rows) {
  auto out = json::object();
  for (const auto& r : rows) {
    auto stats = json::object();
    if (r.kernel_times.is_object())
      stats = {{"mean", r.kernel_ns / 1e6},
               {"min", number(r.kernel_times, "min") / 1e6},
               {"max", number(r.kernel_times, "max") / 1e6},
               {"num_trials", number(r.kernel_times, "samples")}};
    auto& samples = out[std::to_string(r.item.problem)];
    if (samples.is_null())
      samples = json::array();
    samples.push_back(
        {{"sample_id", samples.size()},
         {"compiled", r.compiled},
         {"correctness", r.correct},
         {"metadata", {{"problem", r.item.name}, {"campaign", or_null(r.item.campaign)}, {"average", "median"}}},
         {"runtime", r.kernel_ns > 0.0 ? r.kernel_ns / 1e6 : -1.0},
         {"runtime_stats", std::move(stats)}});
  }
  return out;
}

json baseline_times(const std::vector<suite_row>& rows, const std::string& baseline) {
  auto out = json::object();
  for (const auto& r : rows)
    if (const auto x = r.speedups.find(baseline); x != r.speedups.end() && x->second.time_ns > 0.0)
      out["level" + std::to_string(r.item.level)][r.item.module.empty() ? r.item.name : r.item.module] = {
          {"mean", x->second.time_ns / 1e6}};
  return out;
}

} // namespace kevolve
