// kevolve run: a node in the foreground that runs one campaign to its end.
#include "actors/messages/enums.hpp"
#include "backends/target.hpp"
#include "config/node.hpp"
#include "config/task.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/load.hpp"
#include "tools/kevolve/new_task.hpp"
#include "tools/kevolve/node_reader.hpp"
#include "tools/kevolve/output/campaign_result.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/interval_text.hpp"
#include "tools/kevolve/output/progress.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/stop_signal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

namespace kevolve {

namespace {

struct run_options {
  common_options common;
  std::string file;
  std::vector<std::string> overrides;
  std::string data = "kevolve-data";
  int64_t disk_reserve_mib = usual_disk_reserve_mib;
  std::vector<std::string> weak_sandbox;
  std::string node_file;
  bool batch = false;
  bool fresh = false;
};

// Until the campaign ends, a signal comes or the node breaks. `last` is the latest status.
result<void> follow(node& where, const id128& id, progress& view, const stop_signal& stop, campaign_status& last) {
  node_reader reader{where};
  campaign_actor whom; // asked for once: it is a question less at each look
  for (;;) {
    if (auto s = reader.status(id, whom)) {
      last = std::move(*s);
      view.show(last);
      if (has_ended(std::string_view{last.state}))
        return {};
    } else if (s.error().code == errc::unavailable || s.error().code == errc::timed_out)
      whom = nullptr;
    else
      return tl::unexpected(s.error());
    if (auto why = where.broken(); !why.empty())
      return fail(errc::internal, why);
    if (stop.wait_for(view.pace()))
      return fail(errc::cancelled, "stopped; the same command resumes it");
  }
}

constexpr const char* how_to_go_on = "a larger budget goes on from here: the same command with --set budget.wall=10m";

// Returns the command that shows the candidates of an ended campaign.
std::string tree_command(const id128& id, const std::string& data) {
  return "kevolve tree " + short_string(id) + " --data " + printable(data);
}

void print_notes(const campaign_result& r, const target& hardware) {
  for (const auto& note : notes_of(r, hardware))
    print_out("  note: " + printable(note) + "\n");
}

void print_outcome(const campaign_result& r, const target& hardware, const std::string& folder,
                   const std::string& data) {
  const auto& s = r.status;
  if (s.state == to_string(campaign_phase::failed))
    print_out(
        fmt::format("{}: {}\n", s.name, printable_lines(s.reason.empty() ? to_string(s.stop_reason) : s.reason, "  ")));
  else if (!has_winner(s)) {
    auto why = s.reason.empty() ? to_string(s.stop_reason) : s.reason;
    const auto nearest = r.fastest > 0.0 ? "; the fastest came to " + human_speedup(r.fastest) : std::string{};
    print_out(fmt::format("{}: no candidate was shown to be faster ({} candidates, {} valid{}; {})\n", s.name,
                          s.candidates, s.valid, nearest, printable(why)));
    print_notes(r, hardware);
    if (s.stop_reason == end_reason::budget)
      print_out(fmt::format("  {}\n", how_to_go_on));
    print_out("  a kernel of your own goes into it by `kevolve inject`, a model by a [[generator]] of kind \"llm\"\n");
    if (s.valid == 0 && s.candidates != 0)
      print_out("  what became of each candidate: " + tree_command(s.id, data) + "\n");
  } else if (!s.final_confirmed) {
    print_out(
        fmt::format("{}: {}; the best so far, candidate {}, is {} faster by what was measured on the way; the final "
                    "confirmation was not made\n",
                    s.name, to_string(s.stop_reason), s.best, human_speedup(s.speedup)));
  } else {
    size_t declared = 0;
    for (const auto& t : s.shapes)
      declared += t.held_out ? 0U : 1U;
    const auto reference =
        fmt::format("{} faster than the reference, {}", human_speedup(s.speedup), interval_sentence(s, basis_of(s)));
    const auto beside = baseline_headline(s.baselines);
    print_out(s.name + ": " + (beside.empty() ? reference : printable(beside) + "\n  " + reference) + "\n");
    for (const auto& line : baseline_lines(s.baselines))
      print_out("  " + printable(line) + "\n");
    if (const auto both = outputs_sentence(s.outputs, s.speedup); !both.empty())
      print_out("  " + both + "\n");
    if (!s.disturbed.empty())
      print_out(disturbed_text(s.disturbed));
    if (s.reused_from)
      print_out("  its figures are " + reused_text({{"reused_from", to_json(s.reused_from)}})
                + "; --fresh measures anew\n");
    if (s.stop_reason == end_reason::budget && s.speedup < r.spec.stop.speedup)
      print_out(fmt::format("  its budget ended before its goal of {} was reached ({}); {}\n",
                            human_speedup(r.spec.stop.speedup), printable(s.reason), how_to_go_on));
    print_notes(r, hardware);
    print_out(fmt::format(
        "  right in fresh processes on {} and {}: candidate {}, of {}\n", human_number(declared, "declared shape"),
        human_number(s.shapes.size() - declared, "held-out shape"), s.best, human_number(s.candidates, "candidate")));
    print_out("  kernel  " + folder + "/kernel" + source_extension(r.best->proposal.language) + "\n");
    print_out("  build   sh " + folder + "/build.sh\n");
  }
  print_out("  report  " + folder + "/report.md\n");
  if (has_winner(s))
    print_out(fmt::format("  climb   {}\n  winner  candidate {} of {}\n", climb_text(r.curve), s.best, s.candidates));
}

int exit_code_of(const campaign_status& s) {
  if (has_winner(s) && s.final_confirmed)
    return exit_code::ok;
  return s.stop_reason == end_reason::budget && s.valid == 0 ? exit_code::nothing_in_budget : exit_code::failed;
}

int conclude(node& where, const run_options& o, const campaign_spec& spec, const campaign_status& status) {
  auto r = read_result(where, spec, status);
  if (!r)
    return report(r.error(), o.common.json);
  auto hardware = where.find_target(spec.target);
  auto folder = write_result(*r, *hardware, o.data);
  if (!folder)
    print_err("kevolve: the result could not be written: " + folder.error().detail + "\n");
  auto place = folder ? *folder : std::string{};
  if (o.common.json)
    print_out(to_text(run_json(*r, *hardware, place)) + "\n");
  else
    print_outcome(*r, *hardware, place, o.data);
  return folder ? exit_code_of(status) : exit_code::failed;
}

int interrupted(node& where, const run_options& o, const campaign_spec& spec, const campaign_status& last) {
  if (o.common.json) {
    campaign_result r;
    r.status = last;
    print_out(to_text(run_json(r, *where.find_target(spec.target), "")) + "\n");
  }
  print_err("stopped; the same command resumes it\n");
  return exit_code::interrupted;
}

int run_in(node& where, const run_options& o, const campaign_spec& spec, const stop_signal& stop) {
  auto id = id_of_content(spec);
  {
    node_reader reader{where};
    auto begun = reader.ask<campaign_status>(where.campaigns(), atom::submit_v, id, submission_of(spec));
    if (!begun)
      return report(begun.error(), o.common.json);
    // Paused in an earlier session: whoever runs it now wants it to go on. Refused if it was not; the status is told
    // once it is known.
    if (reader.status(id))
      reader.resume(id);
  }
  campaign_status last;
  last.id = id;
  last.name = spec.task.task.name;
  last.target = spec.target;
  progress view{STDERR_FILENO, o.common.quiet};
  auto ended = follow(where, id, view, stop, last);
  view.end();
  if (ended)
    return conclude(where, o, spec, last);
  if (ended.error().code == errc::cancelled)
    return interrupted(where, o, spec, last);
  return report(ended.error(), o.common.json);
}

// A task alone gets a campaign of defaults, which stands in the data directory.
result<std::string> campaign_around(const std::string& task, const std::string& data, bool quiet) {
  std::error_code ec;
  const auto folder = std::filesystem::path{data} / "defaults";
  std::filesystem::create_directories(folder, ec);
  const auto file = folder / (std::filesystem::path{task}.stem().stem().string() + ".toml");
  std::ofstream out{file, std::ios::trunc};
  const auto loaded = load_task(task);
  const auto* target = loaded ? default_target(loaded->task.language) : "cpu"; // the campaign reports the errors
  const auto text = default_campaign(std::filesystem::absolute(task, ec).lexically_normal().string(), target, 60.0);
  out << text;
  out.close();
  if (!out)
    return fail(errc::io, "'" + file.string() + "' cannot be written");
  if (!quiet)
    print_err("a task alone runs with defaults, kept in " + printable(file.string()) + ": target " + target
              + (runs_on_device(target)
                     ? ", the relay (kevolve relay next), 60 candidates, ended after 30 without a gain\n"
                     : ", the embedded generator, 60 s, ended after 200 candidates without a gain\n"));
  return file.string();
}

int run_campaign(const run_options& given) {
  auto o = given;
  std::error_code exists;
  if (o.file.ends_with(".task.toml") && std::filesystem::exists(o.file, exists)) {
    auto campaign = campaign_around(o.file, o.data, o.common.quiet);
    if (!campaign)
      return report(campaign.error(), o.common.json);
    o.file = std::move(*campaign);
  }
  auto spec = load_campaign_or_tell(o.file, with_fresh(o.overrides, o.fresh), o.common.json);
  if (!spec)
    return exit_code::usage;
  node_options options;
  if (!o.node_file.empty()) {
    auto settings = load_node(o.node_file);
    if (!settings) {
      tell(settings.error(), o.common.json);
      return exit_code::usage;
    }
    options.providers = std::move(settings->providers);
    options.knowledge_folders = std::move(settings->knowledge.folders);
    options.code_roots = std::move(settings->code_search.roots);
  }
  stop_signal stop; // before the first thread
  options.data_dir = o.data;
  options.targets = {spec->target};
  options.require_helpers = true;
  options.disk_reserve_mib = o.disk_reserve_mib;
  options.decisions[spec->target].allow_weak_sandbox = o.weak_sandbox;
  if (o.batch)
    options.batch.insert(spec->target);
  auto n = node::start(std::move(options));
  if (!n)
    return report(n.error(), o.common.json);
  if (!o.common.quiet && is_terminal(STDERR_FILENO)) // the block is redrawn where log lines would stand
    log::configure({log::level::info, false, o.data + "/kevolve.log"});
  if (!o.common.quiet)
    print_err("node at " + (*n)->admin_url() + ", data in " + o.data + "\n");
  return run_in(**n, o, *spec, stop);
}

} // namespace

int run_file(const common_options& common, const std::string& file, const std::string& data) {
  run_options o;
  o.common = common;
  o.file = file;
  o.data = data;
  return run_campaign(o);
}

void add_run(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<run_options>();
  auto* verb = app.add_subcommand("run", "Run a campaign to its end; the same command resumes it");
  verb->footer("Example: kevolve run config/examples/gemm.toml --set budget.wall=30s --data my-data");
  verb->add_option("FILE", o->file, "the campaign file, or a task file to run with defaults")->required();
  verb->add_option("--data", o->data, "data directory (default: ./kevolve-data)");
  verb->add_option("--node", o->node_file, "a node's settings: its [[provider]]s, [knowledge] and [code_search]");
  verb->add_flag("--batch", o->batch,
                 "no device of the target can be reached: its evaluations wait for kevolve batch export, work, import");
  verb->add_option("--disk-reserve-mib", o->disk_reserve_mib,
                   "free space to keep: with less, nothing starts or goes on")
      ->check(in_range(int64_t{0}, int64_t{1'000'000'000}))
      ->capture_default_str();
  verb->add_flag("--fresh", o->fresh, fresh_help);
  verb->add_option("--set", o->overrides, "key=value, over the file's")->allow_extra_args(false);
  add_weak_sandbox(*verb, o->weak_sandbox);
  add_common(*verb, o->common);
  verb->callback([o, &chosen] { chosen = [o] { return run_campaign(*o); }; });
}

} // namespace kevolve
