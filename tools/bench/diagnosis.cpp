// bench-diagnosis BIN_DIR FOLDER [NAME…]: runs the processor's profile passes on micro-kernels with a planted
// bottleneck and prints one line of JSON for each: what was planted, and what the diagnosis says. FOLDER holds
// planted.json. It ends with 1 if a pass failed; one that cannot run here is skipped. bench-diagnosis --again FILE:
// diagnoses the artefacts of such lines (KEVOLVE_ARTEFACTS=1) again.
#include "backends/cpu/profile/diagnosis.hpp"
#include "backends/cpu/cpu_target.hpp"
#include "backends/cpu/profile/passes.hpp"
#include "backends/judge/core_turn.hpp"
#include "backends/profile/locked_sandbox.hpp"
#include "config/task.hpp"

#include <nlohmann/json.hpp>

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace kevolve {

namespace {

using nlohmann::json;
using std::chrono::steady_clock;

// Others may use the machine: a step of a pass is limited by its work, and a pass on the clock by ten minutes alone.
constexpr double step_s = 60.0;
constexpr std::chrono::minutes pass_limit{10};

double seconds_since(steady_clock::time_point then) {
  return std::chrono::duration<double>(steady_clock::now() - then).count();
}

// Runs the pass on the timing core, while no judge of this machine times there. `start` is set once the core is held.
result<pass_result> run_on_core(const profile_pass& p, pass_request& q, steady_clock::time_point& start) {
  auto turn = core_turn::take(q.core, std::chrono::minutes{10}, [] {}, [] { return false; });
  if (!turn)
    return tl::unexpected(turn.error());
  cpu_set_t before;
  CPU_ZERO(&before);
  cpu_set_t there;
  CPU_ZERO(&there);
  CPU_SET(static_cast<size_t>(q.core), &there);
  if (::sched_getaffinity(0, sizeof before, &before) != 0 || ::sched_setaffinity(0, sizeof there, &there) != 0)
    return fail(errc::io, "cannot run on core " + std::to_string(q.core));
  start = steady_clock::now();
  q.deadline = start + pass_limit;
  auto made = p.run(q);
  ::sched_setaffinity(0, sizeof before, &before);
  return made;
}

// Runs the passes in order and returns their artefacts; what was skipped stands in `notes`.
artefacts profile(pass_request q, json& notes, json& seconds, json& perturbation, bool& failed) {
  for (const auto& p : {cpu_ceilings_pass(), cpu_loops_pass(), cpu_remarks_pass(), cpu_ports_pass(),
                        cpu_counters_pass(), cpu_experiments_pass(), cpu_exact_counts_pass()}) {
    const std::string name{p.name};
    if (const auto* only = std::getenv("KEVOLVE_ONLY_PASS"); only != nullptr && name != only)
      continue;
    if (p.available != nullptr)
      if (const auto there = p.available(q); !there.available) {
        notes[name] = there.reason;
        continue;
      }
    std::string folder = std::filesystem::temp_directory_path() / "kevolve-diagnosis-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr)
      break;
    q.folder = folder;
    q.deadline = steady_clock::now() + pass_limit;
    auto start = steady_clock::now();
    auto made = p.use == pass_use::core ? run_on_core(p, q, start) : p.run(q);
    seconds[name] = seconds_since(start);
    std::error_code ec;
    std::filesystem::remove_all(folder, ec);
    if (!made) {
      notes[name] = to_string(made.error());
      failed = true;
      continue;
    }
    if (!made->skipped.empty())
      notes[name] = made->skipped;
    if (made->perturbation > 0.0)
      perturbation[name] = made->perturbation;
    for (auto& [kind, content] : made->made)
      q.have[kind] = std::move(content);
  }
  return q.have;
}

// Diagnoses the artefacts of an earlier run again.
int diagnose_again(const std::string& file) {
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);) {
    auto row = json::parse(line, nullptr, false);
    if (!row.is_object() || !row.contains("artefacts"))
      return std::fprintf(stderr, "bench-diagnosis: %s holds no artefacts\n", file.c_str()), 2;
    artefacts have;
    for (const auto& [kind, content] : row["artefacts"].items())
      if (const auto known = parse_enum<artefact_kind>(kind))
        have[*known] = content.is_string() ? content.get<std::string>() : content.dump();
    auto findings = json::array();
    for (const auto& f : diagnose(facts_of(have)))
      findings.push_back(to_json(f));
    row["found"] = findings.at(0).at("bound");
    row["findings"] = std::move(findings);
    std::printf("%s\n", row.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
  }
  return 0;
}

int run(const std::string& bin_dir, const std::string& folder, const std::vector<std::string>& names) {
  std::ifstream in{folder + "/planted.json"};
  const auto planted = json::parse(in, nullptr, false);
  if (!planted.is_array())
    return std::fprintf(stderr, "bench-diagnosis: %s/planted.json cannot be read\n", folder.c_str()), 2;
  locked_pass_sandbox sandbox;
  const auto devices = cpu_target{bin_dir}.devices();
  bool failed = false;
  for (const auto& row : planted) {
    const auto name = row.at("task").get<std::string>();
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end())
      continue;
    auto task = load_task(folder + "/" + name + ".task.toml");
    if (!task)
      return std::fprintf(stderr, "bench-diagnosis: the task %s is wrong\n", name.c_str()), 2;
    std::ifstream text{folder + "/" + name + ".c"};
    pass_request q;
    q.task = task->task;
    q.target = "cpu";
    q.source = std::string{std::istreambuf_iterator<char>{text}, {}};
    q.language = "c";
    q.flags = row.value("flags", "O3");
    q.bin_dir = bin_dir;
    q.sandbox = &sandbox;
    q.core = devices.empty() || devices[0].cores.empty() ? 0 : devices[0].cores[0];
    q.budget_s = 15.0; // processor time of a pass
    q.step_s = step_s;
    q.have[artefact_kind::evidence] =
        row.contains("arena_pages") ? json{{"arena_pages", row["arena_pages"]}}.dump() : std::string{"{}"};
    json out{{"task", name}, {"planted", row.at("planted")}};
    json notes = json::object();
    json seconds = json::object();
    json perturbation = json::object();
    const auto have = profile(q, notes, seconds, perturbation, failed);
    auto findings = json::array();
    for (const auto& f : diagnose(facts_of(have)))
      findings.push_back(to_json(f));
    out["found"] = findings.at(0).at("bound");
    out["findings"] = std::move(findings);
    out["notes"] = std::move(notes);
    out["seconds"] = std::move(seconds);
    out["perturbation"] = std::move(perturbation);
    if (std::getenv("KEVOLVE_ARTEFACTS") != nullptr)
      for (const auto& [kind, content] : have)
        out["artefacts"][to_string(kind)] = kind == artefact_kind::assembly ? json(content) : json::parse(content);
    std::printf("%s\n", out.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
    std::fflush(stdout);
  }
  return failed ? 1 : 0;
}

} // namespace

} // namespace kevolve

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: bench-diagnosis BIN_DIR FOLDER [NAME…]\n", stderr);
    return 2;
  }
  if (std::string_view{argv[1]} == "--again")
    return kevolve::diagnose_again(argv[2]);
  // The compiler runs in folders of its own, and must find the loop probes from there.
  return kevolve::run(std::filesystem::absolute(argv[1]), argv[2], {argv + 3, argv + argc});
}
