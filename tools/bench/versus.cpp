// Compares one kernel with several baselines, as in a campaign's final confirmation: fresh processes, secret fresh
// inputs, interleaved pairs. Also reports the roof: the least time of the declared work on this core.
#include "backends/judge/outcome_figures.hpp"
#include "config/task.hpp"
#include "tools/bench/helper_session.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/stage_request.hpp"
#include "tools/command_line/command_line.hpp"

#include <fstream>
#include <sstream>

namespace kevolve::bench {

namespace {

struct build {
  std::string label;
  std::string file;
  std::string flags;
};

std::string read(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// Parses "label=file@flags".
std::optional<build> parse(const std::string& text) {
  auto equals = text.find('=');
  auto at = text.rfind('@');
  if (equals == std::string::npos || at == std::string::npos || at < equals)
    return std::nullopt;
  return build{text.substr(0, equals), text.substr(equals + 1, at - equals - 1), text.substr(at + 1)};
}

result<std::string> object_of(workbench& bench, const contract& task, const build& b) {
  return compile(bench, task, b.file.ends_with(".c") ? "c" : "cpp", read(b.file), b.flags, compile_role::candidate);
}

json shape_json(const shape_timing& t) {
  auto ours = median(t.candidate_ns);
  return {{"shape", t.shape},
          {"held_out", t.held_out},
          {"weight", t.weight},
          {"baseline_ns", median(t.baseline_ns)},
          {"candidate_ns", ours},
          {"speedup", t.speedup},
          {"ci95", interval(t.ci_low, t.ci_high)},
          {"coverage", basis_of(t).coverage},
          {"floor_ns", t.floor_ns},
          {"of_roof", ours > 0 ? t.floor_ns / ours : 0.0}};
}

struct objects {
  std::string reference;
  std::string oracle;
  std::string candidate;
};

result<json> against(workbench& bench, const contract& task, const objects& o, const build& b) {
  auto baseline = object_of(bench, task, b);
  if (!baseline)
    return json{
        {"baseline", b.label}, {"flags", b.flags}, {"verdict", "compile_error"}, {"detail", baseline.error().detail}};
  auto q = stage_request(task, stage::final_confirm);
  q.reference = o.reference;
  q.oracle = o.oracle;
  q.candidate = o.candidate;
  q.baseline = *baseline;
  auto out = bench.judge->ask(q);
  if (!out)
    return tl::unexpected(out.error());
  auto shapes = json::array();
  for (const auto& t : out->timings)
    shapes.push_back(shape_json(t));
  return json{{"baseline", b.label},
              {"flags", b.flags},
              {"verdict", to_string(out->result)},
              {"detail", out->detail},
              {"speedup", out->speedup},
              {"ci95", interval(out->ci_low, out->ci_high)},
              {"coverage", basis_of(*out).coverage},
              {"sessions", basis_of(*out).sessions},
              {"shapes", shapes}};
}

result<json> measure(workbench& bench, const task_spec& spec, const build& ours, const std::vector<build>& baselines) {
  const auto& task = spec.task;
  auto reference =
      compile(bench, task, task.language, spec.reference_source, baseline_flags(bench), compile_role::reference);
  if (!reference)
    return tl::unexpected(reference.error());
  auto own_oracle = !spec.oracle_source.empty();
  auto oracle = compile(bench, task, task.language, own_oracle ? spec.oracle_source : spec.reference_source,
                        baseline_flags(bench), own_oracle ? compile_role::reference : compile_role::oracle);
  if (!oracle)
    return tl::unexpected(oracle.error());
  auto candidate = object_of(bench, task, ours);
  if (!candidate)
    return tl::unexpected(candidate.error());
  objects o{*reference, *oracle, *candidate};
  judge_request probe;
  probe.job = random_id();
  probe.mode = judge_mode::probe;
  auto peaks = bench.judge->ask(probe);
  if (!peaks)
    return tl::unexpected(peaks.error());
  auto rows = json::array();
  for (const auto& b : baselines) {
    auto row = against(bench, task, o, b);
    if (!row)
      return row;
    rows.push_back(std::move(*row));
  }
  return json{{"task", task.name},        {"candidate", ours.file}, {"flags", ours.flags},
              {"peaks", peaks->evidence}, {"machine", machine()},   {"rows", rows}};
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve;
  using namespace kevolve::bench;
  std::string bin;
  std::string task_file;
  std::string candidate;
  std::vector<std::string> baselines;
  kevolve::declared_program app{"A kernel against baselines, judged as a final confirmation is"};
  app.add_option("--bin", bin, "folder of the helper programs")->required();
  app.add_option("--task", task_file, "the task file")->required();
  app.add_option("--candidate", candidate, "label=file@flags")->required();
  app.add_option("--baseline", baselines, "label=file@flags; may be repeated")->required();
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  auto spec = load_task(task_file);
  if (!spec)
    return give_up(task_file + " does not load: see kevolve task check");
  auto ours = parse(candidate);
  std::vector<build> others;
  for (const auto& r : baselines)
    if (auto b = parse(r))
      others.push_back(std::move(*b));
  if (!ours || others.size() != baselines.size())
    return give_up("expected label=file@flags");
  auto bench = open_workbench(bin);
  if (!bench)
    return give_up(to_string(bench.error()));
  auto out = measure(*bench, *spec, *ours, others);
  if (!out)
    return give_up(to_string(out.error()));
  return print(*out);
}
