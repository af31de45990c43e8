// report.md: the proof for a person, from what the node has recorded.
#include "actors/evaluation/plan.hpp"
#include "backends/judge/draw_coverage.hpp"
#include "backends/judge/outcome_figures.hpp"
#include "backends/target.hpp"
#include "runtime/base/verdict.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "tools/kevolve/bundle/escape.hpp"
#include "tools/kevolve/output/campaign_result.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/interval_text.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <set>

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

// Returns the last evaluation that ran something; null: none did.
const evaluation_record* last_run(const campaign_result& r) {
  const evaluation_record* last = nullptr;
  for (const auto& e : r.evaluations)
    if (!is_build(parse_enum<stage>(e.stage).value_or(stage::screening)))
      last = &e;
  return last;
}

// Where the evaluations say where they ran, that is the machine: a batch's is not this one.
std::string machine_text(const target& hardware, const evaluation_record* last) {
  std::string ran_on;
  if (last != nullptr)
    if (const auto on = last->outcome.evidence.find("machine"); on != last->outcome.evidence.end())
      ran_on = printable(on->second);
  std::string out;
  for (const auto& [what, value] : hardware.about())
    out += "- " + what + ": " + (what == "machine" && !ran_on.empty() ? ran_on : value) + "\n";
  std::string facts;
  for (const auto& [key, value] : hardware.hardware())
    facts += fmt::format("{}{} {}", facts.empty() ? "" : ", ", key, value);
  return facts.empty() ? out : out + "- hardware facts: " + facts + "\n";
}

std::string baseline_of(const target& hardware) {
  for (const auto& f : hardware.flag_menu())
    if (f.baseline)
      return f.name + ": " + f.summary;
  return "the target's baseline";
}

std::string shapes_table(const std::vector<shape_timing>& shapes) {
  auto out = head({"shape", "use", "weight", "reference", "candidate", "speedup", "interval", "coverage", "pairs"});
  for (const auto& t : shapes)
    out += row({t.shape, t.held_out ? "held out" : "declared", fmt::format("{:g}", t.weight),
                human_ns(median(t.baseline_ns)), human_ns(median(t.candidate_ns)), human_speedup(t.speedup),
                t.ci_low > 0 ? fmt::format("{:.3f} to {:.3f}", t.ci_low, t.ci_high) : "not timed",
                coverage_text(basis_of(t)), std::to_string(t.candidate_ns.size())});
  return out
         + "\nEach shape's interval is of its own pairs, within sessions. It and the times are of the calls alone.\n";
}

std::string baselines_table(const baseline_figures& all, const evaluation_record* last) {
  auto out = head({"baseline", "its time", "candidate", "speedup", "interval", "coverage", "note"});
  for (const auto& x : all)
    out += x.speedup > 0.0 ? row({x.name, human_ns(x.time_ns), human_ns(x.candidate_ns), human_speedup(x.speedup),
                                  fmt::format("{:.3f} to {:.3f}", x.ci_low, x.ci_high),
                                  fmt::format("{:.3g} %", 100.0 * x.coverage), x.note})
                           : row({x.name, "-", "-", "not timed", "-", "-", x.note});
  if (last != nullptr)
    if (const auto how = last->outcome.evidence.find("baselines.conditions"); how != last->outcome.evidence.end())
      out += "\nConditions: " + printable(how->second) + ".\n";
  return out;
}

// Returns the number of pairs on each shape: "180 on each declared shape, 8 on each held-out one".
std::string pairs_text(const judge_outcome& o) {
  std::string out;
  for (const bool held_out : {false, true}) {
    std::set<size_t> counts;
    for (const auto& t : o.timings)
      if (t.held_out == held_out)
        counts.insert(pairs_on(o, t));
    if (counts.empty())
      continue;
    out += out.empty() ? "" : ", ";
    out += std::to_string(*counts.begin());
    if (counts.size() > 1)
      out += " to " + std::to_string(*counts.rbegin());
    out += held_out ? " on each held-out shape" : " on each declared shape";
  }
  return out.empty() ? "none" : out;
}

std::string how_judged(const campaign_result& r) {
  std::string out = "## How it was judged\n\n";
  if (const auto* last = last_run(r)) {
    const auto& c = last->outcome.correctness;
    out += fmt::format("- last stage: {} against {}; pairs of timed calls, interleaved in random order: {}\n",
                       stage_text(last->stage),
                       last->baseline && r.best ? fmt::format("candidate {}", r.best->baseline) : "the reference",
                       pairs_text(last->outcome));
    out += fmt::format("- correctness: {} cases over {} seeds, every output compared in full; largest error {:.3g} "
                       "absolute, {:.3g} relative, {:.3g} ulp (the reference's own: {:.3g} absolute){}\n",
                       c.cases, c.seeds, c.max_abs, c.max_rel, c.max_ulp, c.reference_max_abs,
                       c.bit_equal ? "; bit-equal to the reference" : "");
    out += sanitised_text(last->outcome.evidence, "- ");
    if (const auto checked = coverage_text(last->outcome.evidence); !checked.empty())
      out += "- inputs: " + printable(checked) + "\n";
    out += "- sandbox: " + (last->outcome.sandbox_level.empty() ? "not reported" : last->outcome.sandbox_level) + "\n";
  }
  if (r.fixed)
    out += fmt::format("- fingerprints: harness {}, toolchain {}, device {}\n", r.fixed->harness, r.fixed->toolchain,
                       r.fixed->device);
  return out + "\n";
}

} // namespace

std::string report_text(const campaign_result& r, const target& hardware) {
  const auto& s = r.status;
  const auto& task = r.spec.task.task;
  std::string out = "# " + task.name + (task.summary.empty() ? "" : ": " + markdown(task.summary)) + "\n\n";
  if (const auto first = baseline_headline(s.baselines); has_winner(s) && !first.empty())
    out += "**" + markdown(first) + "**.\n\n";
  if (has_winner(s))
    out += fmt::format("**{} faster than the reference**, {}{}.\n\n", human_speedup(s.speedup),
                       interval_sentence(s, basis_of(s)),
                       s.final_confirmed ? ", measured directly against the reference in fresh processes"
                                         : "; by what was measured on the way, the final confirmation was not made");
  if (has_winner(s) && s.reused_from)
    out += "These figures are " + reused_text({{"reused_from", to_json(s.reused_from)}})
           + " of this data directory: this campaign has not measured them. `kevolve run --fresh` measures anew.\n\n";
  if (const auto both = outputs_sentence(s.outputs, s.speedup); has_winner(s) && !both.empty())
    out += both + "\n\n";
  if (has_winner(s) && !s.disturbed.empty())
    out += "The machine was disturbed while this was measured, each time again (" + printable(s.disturbed)
           + "): take it for an estimate.\n\n";
  if (!has_winner(s))
    out += "No candidate was shown to be faster than the reference.\n\n";
  out += fmt::format("- campaign {}, {} ({}{}) after {} of wall time\n", to_string(s.id), s.state,
                     to_string(s.stop_reason), s.reason.empty() ? "" : ": " + printable(s.reason),
                     human_duration(s.wall_s));
  out += "- prototype: `" + c_prototype(task) + "`\n";
  out += "- reference: " + r.spec.task.reference_path
         + (hardware.form(task).from_reference ? ", built with " + baseline_of(hardware) : ", in " + task.language)
         + "\n";
  out += machine_text(hardware, last_run(r));
  out += fmt::format("- trust tier: {}\n\n", to_string(hardware.trust()));
  if (!s.shapes.empty())
    out += "## Shapes\n\n" + shapes_table(s.shapes) + "\n";
  if (has_winner(s) && !s.baselines.empty())
    out += "## Beside PyTorch\n\n" + baselines_table(s.baselines, last_run(r)) + "\n";
  for (const auto& note : notes_of(r, hardware))
    out += "- " + printable(note) + "\n";
  if (r.fixed)
    if (auto own = r.fixed->admission.evidence.find("call_overhead_ns"); own != r.fixed->admission.evidence.end())
      out += "- of every time told, of both, " + human_ns(std::atof(own->second.c_str()))
             + " a call are the judge's own: waking and freezing the process\n\n";
  if (r.best) {
    const auto& p = r.best->proposal;
    const auto script = hardware.build_script({p.language, p.flags, task.threads, task.libraries, task.entry});
    out += fmt::format("## The winner: candidate {}\n\n- flags `{}`, generator `{}`{}\n", s.best, p.flags, p.generator,
                       script.empty() ? "" : "; `build.sh` beside this file builds it");
    out += "- to judge it again: `kevolve eval " + printable(r.spec.task.path) + " kernel"
           + source_extension(p.language) + " --flags " + p.flags
           + (hardware.name() == "cpu" ? "" : " --target " + hardware.name()) + "`\n";
    if (!p.genome.empty())
      out += "- moves from the reference: `" + printable(p.genome) + "`\n";
    out += "\nIts line in the tree:\n\n";
    for (const auto& [index, step] : r.moves)
      out += fmt::format("1. candidate {}: {}\n", index, printable(step));
    out += "\n" + how_judged(r);
  }
  out += "## Candidates\n\n" + head({"verdict", "candidates"});
  for (const auto& [verdict, n] : r.by_verdict)
    out += row({verdict == to_string(kevolve::verdict::none) ? "no candidate came of it" : verdict, std::to_string(n)});
  if (r.reused > 0)
    out += fmt::format("\n{} reused from other campaigns of this data directory; `kevolve tree` shows which.\n",
                       human_number(r.reused, "verdict"));
  out += "\n## Best so far\n\n" + head({"after", "candidates", "node", "speedup"});
  for (const auto& p : r.curve)
    out +=
        row({human_duration(p.wall_s), std::to_string(p.candidates), std::to_string(p.node), human_speedup(p.speedup)});
  return out;
}

} // namespace kevolve
