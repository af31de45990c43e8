// kevolve eval: the judge alone, on one candidate.
#include "backends/judge/outcome_figures.hpp"
#include "backends/missing_helper.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/base/verdict_text.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "tools/kevolve/client/candidate_file.hpp"
#include "tools/kevolve/client/compile_alone.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/client/judge_alone.hpp"
#include "tools/kevolve/duration.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/load.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/interval_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/scratch_directory.hpp"
#include "tools/kevolve/stop_signal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

struct eval_options {
  common_options common;
  std::string task;
  std::string candidate;
  std::string target = "cpu";
  std::string flags;
  std::string data;
  std::string wall;
  std::vector<std::string> weak_sandbox;
};

using eval_clock = std::chrono::steady_clock;
// The part of --wall that PyTorch's modes beside the candidate may take.
constexpr double baselines_share = 0.5;

// Returns medians added up over the declared shapes.
json total_ns(const std::vector<shape_timing>& shapes, const std::vector<double> shape_timing::* samples) {
  double total = 0;
  size_t count = 0;
  for (const auto& t : shapes)
    if (!t.held_out && !(t.*samples).empty()) {
      total += spread_json(t.*samples)["median"].get<double>();
      count += (t.*samples).size();
    }
  if (count == 0)
    return nullptr;
  return {{"median", total}, {"samples", count}};
}

json timing_json(const judge_outcome& o) {
  if (o.timings.empty())
    return nullptr;
  json out{{"reference_ns", total_ns(o.timings, &shape_timing::baseline_ns)},
           {"candidate_ns", total_ns(o.timings, &shape_timing::candidate_ns)},
           {"speedup", o.speedup},
           {"outputs", outputs_json(outputs_of(o), o.speedup)},
           {"shapes", shapes_json(o, true)}};
  add_interval(out, o, basis_of(o));
  add_baselines(out, baselines_of(o.evidence));
  return out;
}

std::string bound_of(const judge_outcome& o) {
  const auto found = o.evidence.find("bound");
  return found == o.evidence.end() ? std::string{} : found->second;
}

// Returns admission's remarks on a task that it accepts, such as that its calls are short.
json notes_of(const judge_outcome& admission) {
  auto out = json::array();
  for (const auto& [name, note] : admission.evidence)
    if (name.starts_with("note."))
      out.push_back(note);
  return out;
}

json document_of(const campaign_spec& spec, const candidate& what, const target& hardware, const single_evaluation& x) {
  auto admitted = x.fixed.admission.result == verdict::pass;
  const auto& e = x.outcome;
  const auto& last = e.last;
  const auto& trouble = admitted ? e.trouble : x.fixed.admission.trouble;
  return {{"task", spec.task.task.name},
          {"candidate", to_string(candidate_id(what))},
          {"target", spec.target},
          {"trust", to_string(hardware.trust())},
          {"verdict", admitted && e.result != verdict::none ? json(to_string(e.result)) : json(nullptr)},
          {"fault", to_json(trouble)},
          {"rule", or_null(admitted ? e.rule : "admission: " + x.fixed.admission.rule)},
          {"detail", admitted ? e.detail : "the task is refused: " + x.fixed.admission.detail},
          {"correctness", last.correctness.cases > 0 ? to_json(last.correctness) : json(nullptr)},
          {"tried", tried_json(last.evidence)},
          {"not_tried", not_tried_json(last.evidence)},
          {"timing", timing_json(last)},
          {"diagnosis",
           {{"bound", or_null(bound_of(last))},
            {"evidence", evidence_json(admitted ? last.evidence : x.fixed.admission.evidence)}}},
          {"fingerprint", {{"harness", x.fixed.harness}, {"toolchain", x.fixed.toolchain}, {"device", x.fixed.device}}},
          {"evaluation_id", e.evaluations.empty() ? json(nullptr) : json(to_string(e.evaluations.back()))},
          {"notes", notes_of(x.fixed.admission)},
          {"judged_before", time_json(x.judged_before_ns)},
          {"reused_from", to_json(e.reused_from)},
          {"flags", what.flags},
          {"sandbox_level", or_null(last.sandbox_level)}};
}

// The largest errors are those of ordinary inputs. A refusal may be about others, so that its text has no errors.
std::string correctness_text(const json& c, bool right) {
  const auto cases = human_number(c["cases"].get<size_t>(), "case");
  const auto seeds = human_number(c["seeds"].get<size_t>(), "set") + " of random inputs";
  if (!right)
    return fmt::format("looked at {}, over {}\n", cases, seeds);
  auto out = fmt::format("right in all {}, over {}", cases, seeds);
  const auto same = c["bit_equal"].get<bool>() ? "; wherever both were run, equal to the reference bit by bit" : "";
  return out
         + fmt::format("{}; largest error, edge cases aside, {:.3g} absolute, {:.3g} relative, {:.3g} ulp; the "
                       "reference's own is {:.3g}\n",
                       same, c["max_abs"].get<double>(), c["max_rel"].get<double>(), c["max_ulp"].get<double>(),
                       c["reference_max_abs"].get<double>());
}

std::string speed_text(const judge_outcome& o) {
  const auto beside = baselines_of(o.evidence);
  auto out = baseline_headline(beside);
  out += (out.empty() ? "speedup " : "\nagainst the reference: ") + human_speedup(o.speedup);
  if (o.ci_low > 0.0)
    out += ", " + interval_sentence(o, basis_of(o));
  const auto both = outputs_sentence(outputs_of(o), o.speedup);
  out += "\n" + (both.empty() ? "" : "  " + both + "\n");
  for (const auto& line : baseline_lines(beside))
    out += "  " + printable(line) + "\n";
  return out;
}

// Held-out shapes are counted and no more: who reads this may be the one who writes the next candidate.
std::string shapes_text(const json& shapes) {
  std::vector<std::vector<std::string>> rows{
      {"SHAPE", "REFERENCE", "CANDIDATE", "SPEEDUP, CALLS ALONE", "INTERVAL", "COVERAGE", "PAIRS"}};
  size_t held_out = 0;
  for (const auto& s : shapes) {
    if (s["held_out"].get<bool>()) {
      ++held_out;
      continue;
    }
    auto median = [&](const char* key) { return s[key].is_object() ? human_ns(s[key]["median"].get<double>()) : "-"; };
    rows.push_back({s["shape"].get<std::string>(), median("reference_ns"), median("candidate_ns"),
                    human_speedup(s["speedup"].get<double>()),
                    s["interval"].is_array() ? fmt::format("{:.3f} to {:.3f}", s["interval"][0].get<double>(),
                                                           s["interval"][1].get<double>())
                                             : "-",
                    s["coverage"].is_number() ? fmt::format("{:.3g} %", 100.0 * s["coverage"].get<double>()) : "-",
                    s["pairs"].is_number() ? std::to_string(s["pairs"].get<uint64_t>()) : "-"});
  }
  return table_text(rows) + (held_out > 0 ? "and " + human_number(held_out, "held-out shape") + "\n" : "");
}

// Prints the verdict, how fast, how right; what the judge went by is in --json.
void print_text(const json& d, const judge_outcome& last) {
  const auto verdict = d["verdict"].is_string() ? d["verdict"].get<std::string>() : std::string{"no verdict"};
  auto out = fmt::format("{} on {}: {}\n", d["task"].get<std::string>(), d["target"].get<std::string>(), verdict);
  if (d["fault"].is_object())
    out += "fault: " + d["fault"]["kind"].get<std::string>() + ": " + printable(d["fault"]["detail"].get<std::string>())
           + "\n";
  if (d["rule"].is_string())
    out += "rule: " + printable(d["rule"].get<std::string>()) + "\n";
  std::istringstream detail{d["detail"].get<std::string>()};
  for (std::string line; std::getline(detail, line);)
    out += "  " + printable(line) + "\n";
  const auto& t = d["timing"];
  if (t.is_object())
    out += speed_text(last);
  if (const auto& seen = d["diagnosis"]["evidence"]; t.is_object() && seen.contains("disturbed"))
    out += disturbed_text(seen["disturbed"].get<std::string>());
  if (const auto& seen = d["diagnosis"]["evidence"]; t.is_object() && seen.contains("heavy_tail"))
    out += "  " + printable(seen["heavy_tail"].get<std::string>()) + "\n";
  if (const auto& seen = d["diagnosis"]["evidence"]; seen.is_object() && seen.contains("redrawn"))
    out += "  " + printable(seen["redrawn"].get<std::string>()) + "\n";
  if (const auto& c = d["correctness"]; c.is_object())
    out += correctness_text(c, is_pass(verdict));
  if (d["tried"].is_object())
    out += printable(d["tried"]["text"].get<std::string>()) + " " + printable(d["not_tried"].get<std::string>()) + "\n";
  if (const auto& seen = d["diagnosis"]["evidence"]; seen.is_object())
    for (const auto& [name, why] : seen.items())
      if (name.starts_with("edge."))
        out += "  edge '" + printable(name.substr(5)) + "': " + printable(why.get<std::string>()) + "\n";
  if (const auto& seen = d["diagnosis"]["evidence"]; seen.is_object())
    out += sanitised_text(seen, "  ");
  if (t.is_object())
    out += shapes_text(t["shapes"]);
  if (const auto reused = reused_text(d); !reused.empty())
    out += reused + ", by the same judge on this machine: nothing was run now; without --data it is judged anew\n";
  if (d["judged_before"].is_string())
    out += "stored on " + d["judged_before"].get<std::string>().substr(0, 19)
           + " UTC by the same judge on this machine: nothing was run now; without --data it is judged anew\n";
  print_out(out);
}

int judge_in(node& where, const eval_options& o, const campaign_spec& spec, const candidate& what,
             const stop_signal& stop, scratch_directory& data, eval_clock::time_point until) {
  auto judged = judge_alone(where, spec, what, {stop, {&data}, o.common.quiet, o.common.json, until});
  if (!judged)
    return report(judged.error(), o.common.json);
  auto document = document_of(spec, what, *where.find_target(o.target), *judged);
  if (o.common.json)
    print_out(to_text(document) + "\n");
  else
    print_text(document, judged->outcome.last);
  return is_pass(text_at(document, "verdict")) ? exit_code::ok : exit_code::failed;
}

int evaluate(const eval_options& o) {
  auto until = eval_clock::time_point::max();
  std::optional<double> wall_s;
  if (!o.wall.empty()) {
    if (wall_s = duration_in_seconds(o.wall); !wall_s)
      return report({errc::bad_input, "--wall: not '" + printable(o.wall) + "': write 90s, 15m, 2h or 1d"},
                    o.common.json);
    until =
        eval_clock::now() + std::chrono::duration_cast<eval_clock::duration>(std::chrono::duration<double>{*wall_s});
  }
  auto task = load_task_or_tell(o.task, o.common.json);
  if (!task)
    return exit_code::usage;
  auto hardware = make_target(o.target, helper_directory());
  if (!hardware)
    return report({errc::bad_input,
                   hardware.error().code == errc::not_found
                       ? "--target: no target '" + printable(o.target) + "'" + suggestion(o.target, target_names())
                       : "--target: " + hardware.error().detail},
                  o.common.json);
  if (const auto known = (*hardware)->reference_languages();
      !known.empty() && std::find(known.begin(), known.end(), task->task.language) == known.end())
    return report({errc::bad_input, printable(o.task) + ": reference.language: '" + printable(task->task.language)
                                        + "' is not usable with target '" + o.target
                                        + fmt::format("'; there are: {}", fmt::join(known, ", "))},
                  o.common.json);
  auto what = candidate_of_file(o.candidate, o.flags, **hardware);
  if (!what)
    return report(what.error(), o.common.json);
  if (const auto missing = missing_helper(**hardware, !(*hardware)->compiles_only()); !missing.empty())
    return report({errc::bad_input, missing}, o.common.json);
  if (const auto missing_requirements = (*hardware)->missing_requirements();
      (*hardware)->compiles_only() || !missing_requirements.empty())
    return compile_alone(task->task, **hardware, *what, (*hardware)->compiles_only() ? "" : missing_requirements,
                         o.common.json);
  auto spec = spec_around(std::move(*task), o.target);
  if (wall_s)
    spec.baselines_limit_s = std::min(spec.baselines_limit_s, baselines_share * *wall_s);
  if (o.common.quiet) // what the task's admission has to note stands in --json
    log::configure({log::level::error, false, ""});
  stop_signal stop;
  scratch_directory data{o.data};
  auto folder = data.make();
  if (!folder)
    return report(folder.error(), o.common.json);
  auto n = start_judge(*folder, o.target, o.weak_sandbox);
  if (!n)
    return report(n.error(), o.common.json);
  return judge_in(**n, o, spec, *what, stop, data, until);
}

} // namespace

void add_eval(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<eval_options>();
  auto* verb = app.add_subcommand("eval", "The judge alone, on one candidate file: no search");
  verb->footer("Example: kevolve eval config/tasks/gemm.task.toml my_gemm.c --flags Ofast --json");
  verb->add_option("TASK", o->task, "the task file")->required();
  verb->add_option("CANDIDATE", o->candidate,
                   "a file that implements the task: .c or .cpp of cpu, .cu of cuda, .py of triton, .py or .hip of hip")
      ->required();
  verb->add_option("--target", o->target, "the hardware to judge on")->capture_default_str();
  verb->add_option("--flags", o->flags, "an entry of the target's flag menu (default: the reference's)");
  verb->add_option(
      "--data", o->data,
      "keep the result in this data directory, where the same command finds it again (default: a temporary one)");
  verb->add_option(
      "--wall", o->wall,
      "end after this time by the clock, with nothing judged: 90s, 9m; half of it is for PyTorch's modes, and "
      "those that do not fit are named");
  add_weak_sandbox(*verb, o->weak_sandbox);
  add_common(*verb, o->common);
  verb->callback([o, &chosen] { chosen = [o] { return evaluate(*o); }; });
}

} // namespace kevolve
