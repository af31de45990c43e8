// Exact counts of instructions, branches and cache accesses by valgrind's callgrind. It simulates a processor without
// AVX-512, so the build is another one than the build that counts, and the counts are those of other code.
#include "backends/capture.hpp"
#include "backends/cpu/profile/callgrind_report.hpp"
#include "backends/cpu/profile/passes.hpp"
#include "backends/cpu/profile/plain_calls.hpp"
#include "backends/cpu/profile/profile_build.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kevolve {

namespace {

constexpr double slower_in_simulation = 150.0;
constexpr double ns_to_place_a_byte = 6.0; // of the arguments, in simulation
constexpr size_t most_lines = 12;

const std::string& valgrind_program() {
  static const auto path = find_program("valgrind");
  return path;
}

availability available(const pass_request&) {
  if (auto clang = profile_builds_available(); !clang.available)
    return clang;
  if (valgrind_program().empty())
    return {false, "valgrind is missing", "apt-get install valgrind"};
  return {};
}

nlohmann::json json_of(const simulated_counts& c) {
  return {{"instructions", c.instructions},
          {"reads", c.reads},
          {"writes", c.writes},
          {"branches", c.branches},
          {"branch_misses", c.branch_misses},
          {"l1_misses", c.l1_misses},
          {"last_level_misses", c.last_level_misses},
          {"instruction_misses", c.instruction_misses}};
}

result<pass_result> run(const pass_request& q) {
  auto plain = run_plain_calls(q, 20);
  if (!plain)
    return tl::unexpected(plain.error());
  pass_result out;
  const auto arguments_ns = ns_to_place_a_byte * static_cast<double>(plain->image.layout.total);
  if (plain->call_ns * slower_in_simulation + arguments_ns > 4e9 * q.budget_s) {
    out.skipped = "one simulated call would take longer than the budget";
    out.remedy = "a larger budget, or a smaller shape";
    return out;
  }
  profile_build build;
  build.name = "simulated";
  build.flags = {"-march=x86-64-v3"};
  if (auto ok = build_calls(q, build); !ok)
    return tl::unexpected(ok.error());
  auto plan = plain->plan;
  plan.samples = 1;
  plan.repeats = 1;
  plan.warm = 0;
  std::vector<std::string> argv{find_program("env"),
                                "TMPDIR=" + q.folder,
                                valgrind_program(),
                                "--tool=callgrind",
                                "--cache-sim=yes",
                                "--branch-sim=yes",
                                "--compress-strings=no",
                                "--compress-pos=no",
                                "--vgdb=no",
                                "--toggle-collect=" + q.task.entry,
                                "--callgrind-out-file=callgrind.out",
                                q.folder + "/simulated"};
  auto words = words_of(plan);
  words[0] = "1"; // ms: the first samples are made in any case
  argv.insert(argv.end(), words.begin(), words.end());
  // Valgrind reads its own mappings.
  if (auto ok = run_profile_tool(q, argv, "valgrind", {"/proc/self"}); !ok)
    return tl::unexpected(ok.error());
  auto text = read_profile_file(q, "callgrind.out");
  auto answer = read_profile_file(q, "calls.txt");
  if (!text || !answer)
    return tl::unexpected(text ? answer.error() : text.error());
  const auto report = parse_callgrind(*text);
  const auto ran = parse_answer(*answer);
  if (!report || !ran)
    return tl::unexpected(report ? ran.error() : report.error());
  const auto calls = static_cast<double>(ran->calls);
  auto counts = json_of(report->all.divided_by(calls));
  counts["other_code"] = true;
  counts["calls"] = calls;
  std::vector<std::pair<double, uint32_t>> hottest;
  for (const auto& [line, c] : report->lines)
    hottest.emplace_back(c.instructions, line);
  std::sort(hottest.rbegin(), hottest.rend());
  counts["lines"] = nlohmann::json::array();
  for (size_t i = 0; i < std::min(most_lines, hottest.size()); ++i) {
    auto line = json_of(report->lines.at(hottest[i].second).divided_by(calls));
    line["line"] = hottest[i].second;
    counts["lines"].push_back(std::move(line));
  }
  out.made[artefact_kind::exact_counts] = counts.dump();
  return out;
}

} // namespace

profile_pass cpu_exact_counts_pass() {
  profile_pass p;
  p.name = "cpu.exact_counts";
  p.summary = "instructions, branches and cache misses by line, by valgrind on a build without AVX-512: other code";
  p.targets = {"cpu"};
  p.reads = {artefact_kind::source};
  p.makes = {artefact_kind::exact_counts};
  p.use = pass_use::compiler;
  p.instruments = true;
  p.available = available;
  p.estimate_s = [](const pass_request&) { return 2.0; };
  p.run = run;
  return p;
}

} // namespace kevolve
