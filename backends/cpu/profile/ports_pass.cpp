// The hottest loop's assembly, and llvm-mca's model of it: ports, dependency chain, bottleneck.
#include "backends/capture.hpp"
#include "backends/cpu/profile/hot_loop.hpp"
#include "backends/cpu/profile/machine_loops.hpp"
#include "backends/cpu/profile/mca_report.hpp"
#include "backends/cpu/profile/passes.hpp"
#include "backends/cpu/profile/profile_build.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kevolve {

namespace {

constexpr size_t most_modelled = 2500; // instructions: the model takes milliseconds for each
constexpr size_t most_shown = 400;

const std::string& mca_program() {
  static const auto path = [] {
    auto found = find_program("llvm-mca-19");
    return found.empty() ? find_program("llvm-mca") : found;
  }();
  return path;
}

availability available(const pass_request&) {
  if (auto clang = profile_builds_available(); !clang.available)
    return clang;
  if (mca_program().empty())
    return {false, "llvm-mca is missing", "apt-get install llvm-19"};
  return {};
}

// Without the loops' times, the longest loop stands in.
const machine_loop* chosen_loop(const std::vector<machine_loop>& loops, const std::optional<source_loop>& hot) {
  if (hot)
    if (const auto* found = loop_at(loops, hot->line, hot->last); found != nullptr)
      return found;
  const auto longest = std::max_element(loops.begin(), loops.end(), [](const auto& a, const auto& b) {
    return a.instructions.size() < b.instructions.size();
  });
  return longest == loops.end() ? nullptr : &*longest;
}

std::string text_of(const machine_loop& l, size_t most) {
  std::string out;
  for (size_t i = 0; i < std::min(most, l.instructions.size()); ++i)
    out += l.instructions[i] + "\n";
  return out;
}

nlohmann::json json_of(const instruction_mix& m) {
  return {{"instructions", m.instructions},
          {"loads", m.loads},
          {"stores", m.stores},
          {"stack_accesses", m.stack_accesses},
          {"packed", m.packed},
          {"scalar", m.scalar},
          {"divisions", m.divisions},
          {"gathers", m.gathers},
          {"multiply_adds", m.multiply_adds},
          {"calls", m.calls},
          {"branches", m.branches},
          {"partial_writes", m.partial_writes},
          {"vector_bytes", m.vector_bytes},
          {"access_bytes", m.access_bytes},
          {"blocked_forwards", m.blocked_forwards}};
}

result<mca_report> model(const pass_request& q, const std::string& name, const std::vector<std::string>& code) {
  std::string text = "\t.text\n";
  for (const auto& instruction : code)
    text += instruction + "\n";
  if (auto ok = write_profile_file(q, name + ".s", text); !ok)
    return tl::unexpected(ok.error());
  const std::vector<std::string> argv{mca_program(), "-mcpu=native", "-iterations=100", "-json", name + ".s"};
  if (auto ok = run_profile_tool(q, argv, name + ".json"); !ok)
    return tl::unexpected(ok.error());
  auto answer = read_profile_file(q, name + ".json");
  return answer ? parse_mca(*answer) : tl::unexpected(answer.error());
}

result<pass_result> run(const pass_request& q) {
  auto assembly = compile_candidate(q, {"-S"}, "candidate.s", "candidate.s");
  if (!assembly)
    return tl::unexpected(assembly.error());
  const auto loops = innermost_loops(*assembly);
  const auto found = q.have.find(artefact_kind::loops);
  const auto hot =
      found == q.have.end() ? std::nullopt : hottest_loop(nlohmann::json::parse(found->second, nullptr, false));
  const auto* l = chosen_loop(loops, hot);
  pass_result out;
  if (l == nullptr) {
    out.skipped = "the compiled code has no loop";
    return out;
  }
  nlohmann::json ports{{"function", l->function}, {"mix", json_of(l->mix)}, {"code_bytes", l->code_bytes}};
  uint32_t first = 0;
  uint32_t last = 0;
  for (const auto& [line, count] : l->lines) {
    first = first == 0 ? line : first;
    last = line;
  }
  ports["line"] = hot ? hot->line : first;
  ports["last"] = hot ? std::max(hot->last, hot->line) : last;
  out.made[artefact_kind::assembly] = text_of(*l, most_shown);
  if (l->instructions.size() <= most_modelled) {
    const auto report = model(q, "loop", l->instructions);
    if (!report)
      return tl::unexpected(report.error());
    ports["cycles_per_iteration"] = report->cycles;
    ports["throughput_cycles"] = report->throughput_cycles;
    ports["chain_cycles"] = report->bottleneck() == "dependency" ? report->cycles : 0.0;
    ports["uops"] = report->micro_operations;
    ports["dispatch_width"] = report->dispatch_width;
    ports["ports"] = report->ports;
    ports["busiest"] = report->busiest;
    ports["busiest_cycles"] = report->busiest_cycles;
    ports["bottleneck"] = report->bottleneck();
    ports["processor"] = report->processor;
    if (l->mix.partial_writes > 0)
      if (const auto freed = model(q, "freed", without_partial_writes(l->instructions)))
        ports["cycles_without_partial_writes"] = freed->cycles;
  }
  out.made[artefact_kind::ports] = ports.dump();
  return out;
}

} // namespace

profile_pass cpu_ports_pass() {
  profile_pass p;
  p.name = "cpu.ports";
  p.summary = "llvm-mca on the hottest loop's assembly: ports, dependency chain, bottleneck";
  p.targets = {"cpu"};
  p.reads = {artefact_kind::source};
  p.uses = {artefact_kind::loops};
  p.makes = {artefact_kind::ports, artefact_kind::assembly};
  p.use = pass_use::compiler;
  p.available = available;
  p.estimate_s = [](const pass_request&) { return 0.3; };
  p.run = run;
  return p;
}

} // namespace kevolve
