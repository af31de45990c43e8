// report.md: the proof for a person, from what the node has recorded.
#include "backends/cpu/flags.hpp"
#include "backends/cpu/machine.hpp"
#include "backends/cpu/prelude.hpp"
#include "backends/cpu/toolchain.hpp"
#include "tools/kevolve/campaign_result.hpp"
#include "tools/kevolve/terminal.hpp"

#include <fmt/core.h>

#include <sys/utsname.h>

#include <algorithm>

namespace kevolve {

namespace {

std::string row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const auto& c : cells) {
    out += " ";
    for (auto x : printable(c))
      out += x == '|' ? std::string{"\\|"} : std::string(1, x);
    out += " |";
  }
  return out + "\n";
}

std::string head(const std::vector<std::string>& cells) {
  auto out = row(cells) + "|";
  for (size_t i = 0; i < cells.size(); ++i)
    out += "---|";
  return out + "\n";
}

double median(std::vector<double> xs) {
  if (xs.empty())
    return 0;
  std::sort(xs.begin(), xs.end());
  auto half = xs.size() / 2;
  return xs.size() % 2 == 1 ? xs[half] : (xs[half - 1] + xs[half]) / 2;
}

std::string machine_text(const target& hardware) {
  utsname os{};
  ::uname(&os);
  std::string out =
      fmt::format("- machine: {}, {} {}, {}\n", processor_field(0, "model name"), os.sysname, os.release, os.machine);
  std::string facts;
  for (const auto& [key, value] : hardware.hardware())
    facts += fmt::format("{}{} {}", facts.empty() ? "" : ", ", key, value);
  return out + "- hardware facts: " + facts + "\n";
}

std::string baseline_of(const target& hardware) {
  for (const auto& f : hardware.flag_menu())
    if (f.baseline)
      return f.name + ": " + f.summary;
  return "the target's baseline";
}

std::string shapes_table(const std::vector<shape_timing>& shapes) {
  auto out = head({"shape", "use", "weight", "reference", "candidate", "speedup", "95 % interval", "pairs"});
  for (const auto& t : shapes)
    out += row({t.shape, t.held_out ? "held out" : "declared", fmt::format("{:g}", t.weight),
                human_ns(median(t.rival_ns)), human_ns(median(t.candidate_ns)), human_speedup(t.speedup),
                t.ci_low > 0 ? fmt::format("{:.3f} to {:.3f}", t.ci_low, t.ci_high) : "not timed",
                std::to_string(t.candidate_ns.size())});
  return out;
}

std::string how_judged(const campaign_result& r) {
  std::string out = "## How it was judged\n\n";
  const evaluation_record* last = nullptr;
  for (const auto& e : r.evaluations)
    if (e.stage != "compile")
      last = &e;
  if (last != nullptr) {
    const auto& c = last->outcome.correctness;
    size_t pairs = 0;
    for (const auto& t : last->outcome.timings)
      pairs += t.candidate_ns.size();
    out += fmt::format("- last stage: {}; {} pairs of timed calls, candidate and rival interleaved in random order\n",
                       last->stage, pairs);
    out += fmt::format("- correctness: {} cases over {} seeds, every output compared in full; largest error {:.3g} "
                       "absolute, {:.3g} relative, {:.3g} ulp (the reference's own: {:.3g} absolute){}\n",
                       c.cases, c.seeds, c.max_abs, c.max_rel, c.max_ulp, c.reference_max_abs,
                       c.bit_equal ? "; bit-equal to the reference" : "");
    out += "- sandbox: " + (last->outcome.sandbox_level.empty() ? "not reported" : last->outcome.sandbox_level) + "\n";
  }
  if (r.fixed)
    out += fmt::format("- fingerprints: harness {}, toolchain {}, device {}\n", r.fixed->harness, r.fixed->toolchain,
                       r.fixed->device);
  return out + "\n";
}

std::string compiler_text() {
  auto tools = find_toolchain();
  std::string out;
  for (const auto& version : {tools.clang_version, tools.gcc_version, tools.linker_version})
    if (!version.empty())
      out += (out.empty() ? "" : "; ") + version;
  return "- toolchain: " + out + "\n";
}

std::string quoted(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& w : words)
    out += " " + w;
  return out;
}

} // namespace

std::string report_text(const campaign_result& r, const target& hardware) {
  const auto& s = r.status;
  const auto& task = r.spec.task.task;
  std::string out = fmt::format("# {}: {}\n\n", task.name, task.summary);
  if (has_winner(s))
    out += fmt::format("**{} faster than the reference**, 95 % interval {:.3f} to {:.3f}{}.\n\n",
                       human_speedup(s.speedup), s.ci_low, s.ci_high,
                       s.final_confirmed ? ", measured directly against the reference in fresh processes"
                                         : "; a chain of races, not confirmed directly against the reference");
  else
    out += "No candidate was shown to be faster than the reference.\n\n";
  out += fmt::format("- campaign {}, {} ({}{}) after {} of wall time\n", to_string(s.id), s.state, s.stop_reason,
                     s.reason.empty() ? "" : ": " + printable(s.reason), human_duration(s.wall_s));
  out += "- prototype: `" + c_prototype(task) + "`\n";
  out += "- reference: " + r.spec.task.reference_path + ", built with " + baseline_of(hardware) + "\n";
  out += machine_text(hardware) + (s.target == "cpu" ? compiler_text() : "");
  out += fmt::format("- trust tier: {}\n\n", to_string(hardware.trust()));
  if (!s.shapes.empty())
    out += "## Shapes\n\n" + shapes_table(s.shapes) + "\n";
  if (r.best) {
    const auto& p = r.best->proposal;
    out += fmt::format("## The winner: node {}\n\n- flags `{}`, generator `{}`\n", s.best, p.flags, p.generator);
    if (!p.genome.empty())
      out += "- moves from the reference: `" + printable(p.genome) + "`\n";
    out += "\nIts line in the tree:\n\n";
    for (const auto& [index, step] : r.moves)
      out += fmt::format("1. node {}: {}\n", index, printable(step));
    out += "\n" + how_judged(r);
  }
  out += "## Candidates\n\n" + head({"verdict", "candidates"});
  for (const auto& [verdict, n] : r.by_verdict)
    out += row({verdict == "none" ? "nothing left to propose" : verdict, std::to_string(n)});
  out += "\n## Best so far\n\n" + head({"after", "candidates", "node", "speedup"});
  for (const auto& p : r.curve)
    out +=
        row({human_duration(p.wall_s), std::to_string(p.candidates), std::to_string(p.node), human_speedup(p.speedup)});
  return out;
}

std::string build_script(const campaign_result& r) {
  if (r.status.target != "cpu" || !r.best)
    return {};
  const auto& p = r.best->proposal;
  const auto* entry = find_flags(p.flags);
  if (entry == nullptr)
    return {};
  auto tools = find_toolchain();
  auto clang = tools.family_for(*entry) == compiler_family::clang;
  auto cpp = p.language == "cpp";
  auto threads = r.spec.task.task.threads;
  auto compiler = clang ? tools.clang + (cpp ? " --driver-mode=g++" : "") : tools.gcc;
  std::string compile = compiler + (cpp ? " -x c++ -std=gnu++20" : " -x c -std=gnu17") + " -fPIC"
                        + quoted(clang ? entry->clang : entry->gcc) + (clang ? "" : " -fno-semantic-interposition")
                        + (threads ? " -fopenmp" : " -fopenmp-simd") + " -include \"$work/prelude.h\" -c "
                        + (cpp ? "kernel.cpp" : "kernel.c") + " -o \"$work/kernel.o\"";
  // The link never hears of -ffast-math: it would pull in a start file that changes the rounding of the process.
  std::string link = compiler + " -shared -o kernel.so \"$work/kernel.o\" -lm" + (threads ? " -fopenmp" : "")
                     + (cpp ? " -lstdc++" : "");
  return fmt::format(
      "#!/bin/sh\n"
      "# Builds kernel.so as the judge built it: flag set {}. -march=native means the machine it runs on.\n"
      "set -eu\n"
      "cd \"$(dirname \"$0\")\"\n"
      "work=$(mktemp -d)\n"
      "trap 'rm -rf \"$work\"' EXIT\n"
      "cat > \"$work/prelude.h\" <<'END'\n{}END\n"
      "{}\n{}\n"
      "echo \"$PWD/kernel.so\"\n",
      p.flags, prelude_text(p.language), compile, link);
}

} // namespace kevolve
