// kevolve suite: many campaigns under one budget, and one table of them.
#include "config/document.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/duration.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/import_tasks.hpp"
#include "tools/kevolve/new_task.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/suite/suite_reading.hpp"
#include "tools/kevolve/suite/suite_runner.hpp"
#include "tools/kevolve/verbs.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

namespace kevolve {

namespace {

constexpr std::string_view kernelbench_suite = "kernelbench";

namespace fs = std::filesystem;

struct suite_options {
  common_options common;
  node_address where;
  std::string name; // "kernelbench", "aten", or a folder
  int level = 0;
  std::string from; // KernelBench's files
  std::string campaign;
  std::string wall;
  std::string device;
  std::string each;
  uint64_t tokens = 0;
  std::string target = "cpu";
  std::string export_to;
  suite_run_options run;
};

std::string name_of(const suite_options& o) {
  return suite_name(o.name, o.level);
}

bool is_collection(const suite_options& o) {
  return o.name == kernelbench_suite || o.name == "aten";
}

// The tasks of a collection lie in the data directory; they are made where they are missing.
result<std::string> folder_of(const suite_options& o) {
  std::error_code ec;
  if (!is_collection(o)) {
    if (!fs::is_directory(o.name, ec))
      return fail(errc::not_found,
                  "'" + o.name + "' is no folder of tasks; give one, or kernelbench --level 1, or aten");
    return o.name;
  }
  auto out = (fs::path{o.where.data} / "tasks" / name_of(o)).string();
  auto common = o.common;
  common.json = false;
  if (o.name == kernelbench_suite) {
    if (o.level == 0)
      return fail(errc::bad_input, "give KernelBench's --level: 1, 2 or 3");
    if (o.from.empty() && !fs::is_directory(out, ec))
      return fail(errc::bad_input, "give --from, the folder of KernelBench's files, such as KernelBench/level1");
    if (!o.from.empty())
      import_kernelbench(common, o.from, out, o.target, true);
  } else if (tasks_below(out, "").empty() && import_aten(common, out, {}, true) != exit_code::ok)
    return fail(errc::unavailable, "the tasks of ATen operators could not be made");
  return out;
}

// The campaign file is copied once: one that is edited later would be another campaign.
result<std::string> campaign_of(const suite_options& o, const suite_state& s) {
  auto file = fs::path{suite_file(o.where.data, s.name)}.replace_extension(".toml").string();
  std::error_code ec;
  if (fs::exists(file, ec) && o.campaign.empty())
    return file;
  std::string text = default_campaign(s.items.front().task, o.target, s.each_s);
  if (!o.campaign.empty()) {
    std::ifstream in{o.campaign, std::ios::binary};
    text.assign(std::istreambuf_iterator<char>{in}, {});
    if (!in)
      return fail(errc::not_found, "there is no campaign file '" + o.campaign + "'");
  }
  fs::create_directories(fs::path{file}.parent_path(), ec);
  std::ofstream written{file, std::ios::binary | std::ios::trunc};
  written << text;
  written.close();
  return written ? result<std::string>{file} : fail(errc::io, "'" + file + "' cannot be written");
}

std::string target_of(const std::string& campaign, const std::string& otherwise) {
  const auto text = read_text_file(campaign);
  const auto root = text ? parse_document(*text, campaign) : tl::unexpected(text.error());
  const auto* named = root ? root->find("target") : nullptr;
  return named != nullptr && !named->text.empty() ? named->text : otherwise;
}

result<double> seconds(const std::string& text, const char* option) {
  const auto s = duration_in_seconds(text);
  return s ? result<double>{*s}
           : fail(errc::bad_input, std::string{option} + ": '" + text + "' is no time such as 90s, 15m or 2h");
}

// Takes the budgets that are given; the others stay as they were.
result<void> take_budgets(const suite_options& o, suite_state& s) {
  for (const auto& [text, option, to] : {std::tuple{&o.wall, "--wall", &s.budget.wall_s},
                                         {&o.device, "--device", &s.budget.device_s},
                                         {&o.each, "--each", &s.each_s}})
    if (!text->empty()) {
      auto read = seconds(*text, option);
      if (!read)
        return tl::unexpected(read.error());
      *to = *read;
    }
  if (o.tokens != 0)
    s.budget.tokens = o.tokens;
  return {};
}

result<suite_state> prepared(const suite_options& o) {
  auto folder = folder_of(o);
  if (!folder)
    return tl::unexpected(folder.error());
  suite_state s;
  s.name = name_of(o);
  auto known = load_suite(o.where.data, s.name);
  if (known)
    s = std::move(*known);
  else if (known.error().code != errc::not_found)
    return tl::unexpected(known.error());
  if (auto taken = take_budgets(o, s); !taken)
    return tl::unexpected(taken.error());
  merge_tasks(s, tasks_below(*folder, is_collection(o) ? "" : o.where.data));
  if (s.items.empty())
    return fail(errc::not_found, "there are no task files (*.task.toml) below '" + *folder + "'");
  return s;
}

int show_table(const suite_options& o, const suite_state& s) {
  const auto rows = read_rows(o.where, s);
  if (!rows)
    return report(rows.error(), o.common.json);
  if (!o.export_to.empty())
    if (auto done = export_kernelbench(o.export_to, *rows); !done)
      return report(done.error(), o.common.json);
  print_out(o.common.json ? to_text(suite_json(s.name, *rows)) + "\n" : suite_text(s.name, *rows));
  return exit_code::ok;
}

int show_status(const suite_options& o, const suite_state& s) {
  const auto rows = read_rows(o.where, s);
  if (!rows)
    return report(rows.error(), o.common.json);
  std::map<std::string, size_t> states;
  for (const auto& r : *rows)
    ++states[r.state];
  const auto limit = [](double x) { return x > 0.0 ? json(x) : json(nullptr); };
  auto whole = suite_json(s.name, *rows);
  if (o.common.json) {
    print_out(to_text(json{{"suite", s.name},
                           {"tasks", rows->size()},
                           {"states", states},
                           {"correct", whole["correct"]},
                           {"wall_s", s.wall_s},
                           {"spent", whole["spent"]},
                           {"budget",
                            {{"wall_s", limit(s.budget.wall_s)},
                             {"device_s", limit(s.budget.device_s)},
                             {"tokens", limit(static_cast<double>(s.budget.tokens))},
                             {"each_s", s.each_s}}}})
              + "\n");
    return exit_code::ok;
  }
  std::string line = printable(s.name) + ": " + human_number(rows->size(), "task");
  for (const auto& [state, n] : states)
    line += ", " + std::to_string(n) + " " + state;
  line += "; " + std::to_string(whole["correct"].get<size_t>()) + " correct; " + human_duration(s.wall_s);
  line += s.budget.wall_s > 0.0 ? " of " + human_duration(s.budget.wall_s) : "";
  print_out(line + " of wall time, " + human_duration(number_at(whole["spent"], "device_s")) + " of device time\n");
  return exit_code::ok;
}

int run(suite_options o) {
  auto s = prepared(o);
  if (!s)
    return report(s.error(), o.common.json);
  auto campaign = campaign_of(o, *s);
  if (!campaign)
    return report(campaign.error(), o.common.json);
  o.run.campaign = *campaign;
  o.run.data = o.where.data;
  o.run.target = target_of(*campaign, o.target);
  o.run.quiet = o.common.quiet;
  auto ended = run_suite(*s, o.run);
  if (!ended)
    return report(ended.error(), o.common.json);
  if (const auto code = show_table(o, *s); code != exit_code::ok)
    return code;
  if (*ended == suite_end::interrupted) {
    print_err("stopped; the same command resumes it\n");
    return exit_code::interrupted;
  }
  const auto rows = read_rows(o.where, *s);
  if (rows && std::any_of(rows->begin(), rows->end(), [](const auto& r) { return r.correct; }))
    return exit_code::ok;
  return *ended == suite_end::used_up ? exit_code::nothing_in_budget : exit_code::failed;
}

using shown_by = int (*)(const suite_options&, const suite_state&);

int show(const suite_options& o, shown_by how) {
  auto s = load_suite(o.where.data, name_of(o));
  return s ? how(o, *s) : report(s.error(), o.common.json);
}

void add_name(declared_verb& verb, suite_options& o) {
  verb.add_option("NAME", o.name, "kernelbench, aten, or a folder with task files")->required();
  verb.add_option("--level", o.level, "of KernelBench")->check(in_range(1, 4));
}

void add_shown(declared_verb& group, const std::string& name, const char* about, shown_by how, verb_action& chosen) {
  auto s = std::make_shared<suite_options>();
  auto* verb = group.add_subcommand(name, about);
  verb->footer("Example: kevolve suite " + name + " my-tasks --data my-data");
  add_name(*verb, *s);
  if (how == &show_table)
    verb->add_option("--export", s->export_to, "folder for eval_results.json and timings as KernelBench reads them");
  add_address(*verb, s->where);
  add_common(*verb, s->common);
  verb->callback([s, how, &chosen] { chosen = [s, how] { return show(*s, how); }; });
}

} // namespace

void add_suite(declared_verb& app, verb_action& chosen) {
  auto* group = app.add_subcommand("suite", "Run a campaign for each of many tasks under one budget");
  group->require_subcommand(1);
  auto o = std::make_shared<suite_options>();
  auto* verb = group->add_subcommand("run", "Run the campaigns of a suite; the same command goes on");
  verb->footer("Example: kevolve suite run my-tasks --each 15s --wall 1h --data my-data");
  add_name(*verb, *o);
  verb->add_option("--from", o->from, "KernelBench's files of this level, of which missing tasks are made");
  verb->add_option("--wall", o->wall, "time of the whole suite, such as 2h (default: unlimited)");
  verb->add_option("--device", o->device, "device time of the whole suite (default: unlimited)");
  verb->add_option("--tokens", o->tokens, "tokens of models of the whole suite (default: unlimited)");
  verb->add_option("--each", o->each,
                   "wall time of one campaign's search (default: 60s); confirming its best comes on top");
  verb->add_option("--campaign", o->campaign, "a campaign file that is run with each task in place of its own");
  verb->add_option("--target", o->target, "the hardware, unless --campaign names it")->capture_default_str();
  verb->add_option("--at-once", o->run.at_once, "campaigns at a time")->check(in_range(1, 256))->capture_default_str();
  verb->add_option("--set", o->run.overrides, "key=value, over the campaigns' keys")->allow_extra_args(false);
  verb->add_option("--node", o->run.node_file, "a node's settings whose [[provider]]s llm generators may ask");
  verb->add_flag("--batch", o->run.batch, "no device is reached: evaluations wait for kevolve batch");
  verb->add_option("--data", o->where.data, "data directory (default: ./kevolve-data)");
  verb->add_option("--export", o->export_to, "folder for eval_results.json and timings as KernelBench reads them");
  add_weak_sandbox(*verb, o->run.weak_sandbox);
  add_common(*verb, o->common);
  verb->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
  add_shown(*group, "status", "Show how far a suite is", &show_status, chosen);
  add_shown(*group, "table", "Show a suite's speed-ups, fast_p and cost", &show_table, chosen);
}

} // namespace kevolve
