// kevolve task check, campaign validate, campaign plan: what files say, before anything runs.
#include "runtime/base/kinds.hpp"
#include "runtime/node/admin/json.hpp"
#include "tools/kevolve/client/assertion_draws.hpp"
#include "tools/kevolve/client/reference_check.hpp"
#include "tools/kevolve/client/reference_outputs.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/load.hpp"
#include "tools/kevolve/output/task_facts.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <memory>

namespace kevolve {

namespace {

struct check_options {
  common_options common;
  std::string file;
  std::vector<std::string> overrides;
  std::string data = "kevolve-data";
};

int check_task(const check_options& o) {
  auto task = load_task_or_tell(o.file, o.common.json);
  if (!task)
    return exit_code::usage;
  const auto& c = task->task;
  if (const auto broken = contradicting_draws(*task); !broken.empty()) {
    tell(broken, o.common.json);
    return exit_code::usage;
  }
  auto wrong = check_reference(*task);
  if (wrong && !wrong->empty()) {
    tell(*wrong, o.common.json);
    return exit_code::usage;
  }
  const auto only_read = find_language(c.language).runs_in_framework; // it runs where its GPU is
  const auto outputs = wrong && only_read ? trace_outputs(*task) : traced_outputs{};
  if (!outputs.wrong.empty()) {
    tell(outputs.wrong, o.common.json);
    return exit_code::usage;
  }
  const auto unchecked = !wrong ? wrong.error().detail : only_read ? unchecked_text(outputs) : std::string{};
  const auto reading = wrong && !only_read ? read_by_generator(*task) : fail(errc::unsupported, "");
  const auto of_order = out_of_order(c, reading);
  const auto of_size = too_large(c);
  auto warnings = of_order;
  warnings.insert(warnings.end(), of_size.begin(), of_size.end());
  const auto code = wrong ? exit_code::ok : exit_code::failed; // half a check is none to who builds on it
  if (o.common.json) {
    print_out(to_text(json{{"ok", wrong.has_value()},
                           {"compiled", wrong.has_value() && !only_read},
                           {"not_compiled", or_null(unchecked)},
                           {"outputs_traced", outputs.traced},
                           {"task", c.name},
                           {"family", c.family},
                           {"prototype", c_prototype(c)},
                           {"entry", c.entry},
                           {"language", c.language},
                           {"reference", task->reference_path},
                           {"oracle", or_null(task->oracle_path)},
                           {"threads", c.threads},
                           {"goal_speedup", task->goal_speedup > 0 ? json(task->goal_speedup) : json(nullptr)},
                           {"tolerances", tolerances_json(c)},
                           {"generator", reading_json(reading)},
                           {"device", device_json(c)},
                           {"warnings", warnings},
                           {"shapes", shapes_json(c)}})
              + "\n");
    return code;
  }
  if (!unchecked.empty())
    print_err("kevolve: not checked: whether the reference "
              + std::string{only_read ? "runs" : "compiles and fits the prototype"} + ": " + printable(unchecked)
              + "\n");
  for (const auto& warning : of_order)
    print_err("kevolve: warning: " + printable(task->reference_path) + ": " + printable(warning) + "\n");
  for (const auto& warning : of_size)
    print_err("kevolve: warning: " + printable(o.file) + ": " + printable(warning) + "\n");
  if (o.common.quiet)
    return code;
  print_out(fmt::format(
      "{}{}{}\n\n  {};\n\nreference {} ({}), oracle {}, threads {}{}\n\n", c.name, c.summary.empty() ? "" : ": ",
      printable(c.summary), c_prototype(c), printable(task->reference_path), c.language,
      task->oracle_path.empty() ? "the reference in double"
                                : printable(task->oracle_path) + ": " + c_prototype(oracle_contract(*task)),
      c.threads ? "allowed" : "not allowed",
      task->goal_speedup > 0 ? ", goal " + human_speedup(task->goal_speedup) : ""));
  print_out(tolerances_text(c));
  print_out(shapes_text(c));
  if (const auto demand = device_demand_of(c))
    print_out("on an H200: " + to_string(*demand) + "\n");
  print_out(reading_text(reading, printable(task->reference_path)));
  return code;
}

int validate_campaign(const check_options& o) {
  auto spec = load_campaign_or_tell(o.file, o.overrides, o.common.json);
  if (!spec)
    return exit_code::usage;
  if (o.common.json)
    print_out(to_text(json{{"ok", true}, {"task", spec->task.task.name}, {"target", spec->target}}) + "\n");
  else if (!o.common.quiet)
    print_out(fmt::format("{}: ok (task {}, target {})\n", o.file, spec->task.task.name, spec->target));
  return exit_code::ok;
}

json plan_json(const campaign_spec& s, const std::string& data) {
  auto limit = [](double x) { return x > 0 ? json(x) : json(nullptr); };
  json generators = json::object();
  auto uses_model = false;
  for (const auto& g : s.generators) {
    generators[g.kind] = g.weight;
    uses_model = uses_model || calls_providers(g);
  }
  auto target_speedup = s.stop.speedup > 0 ? s.stop.speedup : s.task.goal_speedup;
  return {{"ok", true},
          {"task", s.task.task.name},
          {"target", s.target},
          {"seed", s.seed},
          {"generators", std::move(generators)},
          {"network", uses_model},
          {"policies", s.search.policies},
          {"drafts", s.draft_candidates},
          {"in_flight", s.search.in_flight},
          {"budget",
           {{"candidates", limit(static_cast<double>(s.budget.candidates))},
            {"wall_s", limit(s.budget.wall_s)},
            {"device_s", limit(s.budget.device_s)},
            {"tokens", limit(static_cast<double>(s.budget.tokens))},
            {"cost", limit(s.budget.cost)}}},
          {"judge",
           {{"false_discovery", s.judge.false_discovery},
            {"keep_samples", s.judge.keep_samples},
            {"compile_limit_s", s.compile_limit_s},
            {"fresh", s.fresh}}},
          {"stop", {{"speedup", limit(target_speedup)}, {"stall", limit(static_cast<double>(s.stop.stall))}}},
          {"writes",
           {data + "/store", data + "/token", data + "/admin.json", data + "/helpers.log", data + "/builds",
            data + "/results"}}};
}

std::string weights_text(const json& weights) {
  std::string out;
  for (const auto& [name, weight] : weights.items())
    out += fmt::format("{}{} ({:g})", out.empty() ? "" : ", ", name, weight.get<double>());
  return out;
}

int plan_campaign(const check_options& o) {
  auto spec = load_campaign_or_tell(o.file, o.overrides, o.common.json);
  if (!spec)
    return exit_code::usage;
  auto plan = plan_json(*spec, o.data);
  if (o.common.json) {
    print_out(to_text(plan) + "\n");
    return exit_code::ok;
  }
  auto limits = [](const json& x) {
    std::string out;
    for (const auto& [key, value] : x.items())
      if (value.is_number())
        out += fmt::format("{}{} {:g}", out.empty() ? "" : ", ", key, value.get<double>());
    return out.empty() ? std::string{"none"} : out;
  };
  std::string out = fmt::format("task        {}, target {}, seed {}\n", plan["task"].get<std::string>(),
                                plan["target"].get<std::string>(), spec->seed);
  out += "generators  " + weights_text(plan["generators"]) + "\n";
  out += fmt::format("search      {}, {} drafts, {} candidates in flight\n", weights_text(plan["policies"]),
                     spec->draft_candidates, spec->search.in_flight);
  out += "ends at     budget: " + limits(plan["budget"]) + "; stop: " + limits(plan["stop"]) + "\n";
  out += "network     " + std::string{plan["network"].get<bool>() ? "the model's provider" : "none"} + "\n";
  const auto& shapes = spec->task.task.shapes;
  const auto held_out =
      static_cast<size_t>(std::count_if(shapes.begin(), shapes.end(), [](const auto& s) { return s.held_out; }));
  out +=
      fmt::format("per candidate: 1 compile; {} checked and timed; the promising also {}\n",
                  human_number(shapes.size() - held_out, "declared shape"), human_number(held_out, "held-out shape"));
  out += "writes      ";
  for (const auto& w : plan["writes"])
    out += w.get<std::string>() + " ";
  print_out(out + "\n\n" + shapes_text(spec->task.task));
  return exit_code::ok;
}

} // namespace

void add_checks(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<check_options>();
  auto* task = app.add_subcommand("task", "Task files");
  task->require_subcommand(1);
  task->footer("Example: kevolve task check config/tasks/gemm.task.toml");
  auto* check =
      task->add_subcommand("check", "Every error of a task file and of its reference; else its C prototype and shapes");
  check->footer(
      "Example: kevolve task check config/tasks/gemm.task.toml\nThe reference is compiled together with a "
      "call of the declared arguments, and not run: kevolve eval does that.\nExit codes: 0 all of it is right, "
      "1 what the reference needs is missing here, so that it was not compiled, 2 errors.");
  check->add_option("FILE", o->file, "the task file")->required();
  add_common(*check, o->common);
  check->callback([o, &chosen] { chosen = [o] { return check_task(*o); }; });

  auto* campaign = app.add_subcommand("campaign", "Campaign files");
  campaign->require_subcommand(1);
  campaign->footer("Example: kevolve campaign plan config/examples/gemm.toml");
  auto add = [&](const char* name, const char* about, int (*f)(const check_options&)) {
    auto* verb = campaign->add_subcommand(name, about);
    verb->footer(std::string{"Example: kevolve campaign "} + name + " config/examples/gemm.toml --set budget.wall=30s");
    verb->add_option("FILE", o->file, "the campaign file")->required();
    verb->add_option("--set", o->overrides, "key=value, over the file's")->allow_extra_args(false);
    add_common(*verb, o->common);
    verb->callback([o, &chosen, f] { chosen = [o, f] { return f(*o); }; });
    return verb;
  };
  add("validate", "Every error of a campaign file, its task and its reference", validate_campaign)->alias("check");
  add("plan", "What would be called, spent and written; touches nothing", plan_campaign)
      ->add_option("--data", o->data, "data directory");
}

} // namespace kevolve
