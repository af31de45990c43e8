#include "backends/cpu/profile/call_run.hpp"

#include "backends/cpu/profile/profile_build.hpp"
#include "backends/host_machine.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace kevolve {

namespace {

constexpr double shortest_sample_ns = 20'000.0;
// The judge asks for huge pages for an arena of this size and more.
constexpr size_t least_huge_arena = size_t{2} << 20U;
constexpr size_t most_loops = 10'000;

std::string word_of(const call_side& s) {
  return s.file + "," + (s.huge_pages ? "1" : "0") + "," + (s.flush_denormals ? "1" : "0") + ","
         + std::to_string(s.moved) + "," + std::to_string(s.offset) + "," + (s.cold ? "1" : "0");
}

// Reads a line of loop_probes.cpp's names: its number is its place.
bool read_name(const std::string& line, std::vector<probed_loop>& loops) {
  std::istringstream in{line};
  std::vector<std::string> fields;
  for (std::string field; std::getline(in, field, '\t');)
    fields.push_back(field);
  if (fields.size() != 8)
    return false;
  try {
    const auto id = std::stoul(fields[0]);
    if (id >= loops.size())
      return false;
    auto& l = loops[id];
    l.function = fields[1];
    l.file = fields[2];
    l.line = static_cast<uint32_t>(std::stoul(fields[3]));
    l.column = static_cast<uint32_t>(std::stoul(fields[4]));
    l.last = static_cast<uint32_t>(std::stoul(fields[5]));
    l.depth = static_cast<uint32_t>(std::stoul(fields[6]));
    l.parent = std::stoi(fields[7]);
    return l.parent < static_cast<int>(loops.size());
  } catch (const std::exception&) {
    return false;
  }
}

bool read_line_of(const std::string& line, call_answer& out) {
  std::istringstream in{line};
  std::string word;
  in >> word;
  if (word == "clock")
    in >> out.clock_own >> out.clock_pair;
  else if (word == "sample") {
    std::array<double, 2> took{};
    in >> took[0];
    if (!in)
      return false;
    out.samples.push_back(took);
    if (double second = 0.0; in >> second)
      out.samples.back()[1] = second;
    return true;
  } else if (word == "rate")
    in >> out.ticks_per_ns;
  else if (word == "calls")
    in >> out.calls;
  else if (word == "loop") {
    uint64_t id = 0;
    probed_loop l;
    in >> id >> l.entries >> l.rounds >> l.ticks >> l.outermost >> l.nested;
    if (!in || id != out.loops.size() || id >= most_loops)
      return false;
    out.loops.push_back(l);
  } else
    return word == "faults";
  return static_cast<bool>(in);
}

} // namespace

double call_answer::median_ns(size_t side) const {
  std::vector<double> all;
  for (const auto& s : samples)
    all.push_back(s[side]);
  if (all.empty() || ticks_per_ns <= 0.0)
    return 0.0;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle / ticks_per_ns;
}

double call_answer::fastest_ns(size_t side) const {
  double out = 0.0;
  for (const auto& s : samples)
    out = out == 0.0 ? s[side] : std::min(out, s[side]);
  return ticks_per_ns > 0.0 ? out / ticks_per_ns : 0.0;
}

std::vector<std::string> words_of(const call_plan& plan) {
  std::vector<std::string> out{std::to_string(plan.limit_ms), std::to_string(plan.samples),
                               std::to_string(plan.repeats), std::to_string(plan.warm)};
  for (const auto& side : plan.sides)
    out.push_back(word_of(side));
  return out;
}

result<call_answer> parse_answer(const std::string& text) {
  call_answer out;
  std::istringstream in{text};
  bool names = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "names")
      names = true;
    else if (!(names ? read_name(line, out.loops) : read_line_of(line, out)))
      return fail(errc::protocol, "the profiled program's answer cannot be read: " + line.substr(0, 80));
  }
  if (out.samples.empty() || !(out.ticks_per_ns > 0.0) || out.calls == 0)
    return fail(errc::protocol, "the profiled program gave no times");
  return out;
}

result<call_answer> run_calls(const pass_request& q, const call_plan& plan) {
  std::vector<std::string> argv{q.folder + "/" + plan.program};
  for (auto& word : words_of(plan))
    argv.push_back(std::move(word));
  if (auto ok = run_profile_candidate(q, argv, "calls.out"); !ok)
    return tl::unexpected(ok.error());
  auto text = read_profile_file(q, "calls.txt");
  if (!text)
    return tl::unexpected(text.error());
  return parse_answer(*text);
}

uint64_t repeats_for(double call_ns) {
  return call_ns <= 0.0 ? 1 : static_cast<uint64_t>(std::clamp(std::ceil(shortest_sample_ns / call_ns), 1.0, 10'000.0));
}

bool profiles_huge_pages(const pass_request& q, size_t arena_bytes) {
  const auto found = q.have.find(artefact_kind::evidence);
  const auto facts = found == q.have.end() ? nlohmann::json{} : nlohmann::json::parse(found->second, nullptr, false);
  if (facts.is_object() && facts.contains("arena_pages"))
    return facts["arena_pages"] == "huge";
  static const auto setting = read_line("/sys/kernel/mm/transparent_hugepage/enabled");
  return arena_bytes >= least_huge_arena && !setting.empty() && setting.find("[never]") == std::string::npos;
}

} // namespace kevolve
