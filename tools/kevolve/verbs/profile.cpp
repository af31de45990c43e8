// kevolve profile: why a candidate is slow, by passes that run now or ran before.
#include "actors/evaluation/diagnosis.hpp"
#include "actors/evaluation/profile_run.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/node/admin/profile_json.hpp"
#include "tools/kevolve/client/candidate_file.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/client/only_campaign.hpp"
#include "tools/kevolve/client/profile_file.hpp"
#include "tools/kevolve/duration.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/load.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/profile_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <filesystem>
#include <fstream>
#include <memory>

namespace kevolve {

namespace {

constexpr auto answer_limit = std::chrono::minutes{15};

struct profile_options {
  common_options common;
  node_address where;
  std::string id;
  std::string index;
  std::string budget = "2s";
  std::string shape;
  std::string trace;
  std::string target = "cpu";
  std::string flags;
  std::string artefacts;
  std::vector<std::string> passes;
  std::vector<std::string> weak_sandbox;
  bool again = false;
  bool plan = false;
  bool stored = false;
};

result<std::string> text_of_profile(const json& profile, const std::string& trace) {
  if (!trace.empty() && profile["diagnosis"].is_object()) {
    std::ofstream out{trace, std::ios::binary};
    out << chrome_trace(profile["diagnosis"]).dump() << "\n";
    if (!out.flush())
      return fail(errc::io, "cannot write " + trace);
  }
  return profile_text(profile);
}

// Shows the profile, and writes its trace.
int show(const profile_options& o, const json& profile) {
  auto text = text_of_profile(profile, o.trace);
  if (!text)
    return report(text.error(), o.common.json);
  print_out(o.common.json ? to_text(profile) + "\n" : *text);
  return exit_code::ok;
}

profiler_settings settings_of(const profile_options& o) {
  profiler_settings settings;
  settings.helper_dir = helper_directory();
  for (const auto& name : target_names())
    settings.decisions[name].allow_weak_sandbox = o.weak_sandbox;
  return settings;
}

// Tells a person which pass runs.
std::function<void(const std::string&)> teller(const profile_options& o) {
  return [&o](const std::string& pass) {
    if (!o.common.quiet && !o.common.json)
      print_err("kevolve: pass " + printable(pass) + "\n");
  };
}

int show_plan(const profile_options& o, const result<job_plan>& plan) {
  if (!plan)
    return report(plan.error(), o.common.json);
  print_out(o.common.json ? to_text(to_json(*plan)) + "\n" : plan_text(to_json(*plan)));
  return exit_code::ok;
}

// Writes an artefact as a file named by its kind.
result<void> write_artefact(const std::string& folder, const std::string& kind, const std::string& content) {
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);
  std::ofstream out{folder + "/" + kind, std::ios::binary};
  out << content;
  return out.flush() ? result<void>{} : fail(errc::io, "cannot write " + kind + " in " + folder);
}

result<void> write_artefacts(const std::string& folder, const artefacts& made) {
  for (const auto& [kind, content] : made)
    if (auto ok = folder.empty() ? result<void>{} : write_artefact(folder, to_string(kind), content); !ok)
      return ok;
  return {};
}

// Writes the artefacts that a stored profile lists. `read` returns one by its digest.
result<void> write_listed_artefacts(const std::string& folder, const json& profile,
                                    const std::function<result<std::string>(const std::string& digest)>& read) {
  if (folder.empty())
    return {};
  for (const auto& p : profile["passes"])
    for (const auto& [kind, digest] : p["artefacts"].items()) {
      if (!parse_enum<artefact_kind>(kind)) // a name from elsewhere is no file's
        continue;
      const auto content = read(digest.get<std::string>());
      if (!content)
        return tl::unexpected(content.error());
      if (auto ok = write_artefact(folder, kind, *content); !ok)
        return ok;
    }
  return {};
}

// Profiles a candidate's file, which no campaign has.
int run_on_file(const profile_options& o, const profile_order& order) {
  auto task = load_task_or_tell(o.id, o.common.json);
  if (!task)
    return exit_code::usage;
  auto hardware = make_target(o.target, helper_directory());
  if (!hardware)
    return report({errc::bad_input, "--target: " + hardware.error().detail}, o.common.json);
  const auto what = candidate_of_file(o.index, o.flags, **hardware);
  if (!what)
    return report(what.error(), o.common.json);
  const auto subject = subject_of_file(*task, **hardware, *what, order.shape);
  if (!subject)
    return report(subject.error(), o.common.json);
  if (o.plan)
    return show_plan(o, plan_subject(*subject, order));
  const auto made = profile_unstored(settings_of(o), *subject, order, teller(o));
  if (!made)
    return report(made.error(), o.common.json);
  if (auto ok = write_artefacts(o.artefacts, made->made); !ok)
    return report(ok.error(), o.common.json);
  return show(o, to_json(made->record, made->diagnosis));
}

// Profiles in a directory that no node has.
int run_here(const profile_options& o, const profile_order& order) {
  store_options look;
  look.create = false;
  look.read_only = o.plan;
  auto data = store::open(o.where.data, look);
  if (!data)
    return report(data.error(), o.common.json);
  const profiling_place place{**data, settings_of(o)};
  if (o.plan)
    return show_plan(o, plan_profile(place, order));
  const auto made = profile_candidate(place, order, teller(o));
  if (!made)
    return report(made.error(), o.common.json);
  const auto text = (*data)->blob(made->diagnosis);
  const auto profile = to_json(*made, text && *text ? **text : std::string{});
  const auto written =
      write_listed_artefacts(o.artefacts, profile, [&](const std::string& digest) -> result<std::string> {
        auto content = (*data)->blob(digest);
        if (!content)
          return tl::unexpected(content.error());
        return *content ? result<std::string>{std::move(**content)}
                        : fail(errc::not_found, "artefact " + digest + " is not stored");
      });
  return written ? show(o, profile) : report(written.error(), o.common.json);
}

// Shows a profile that came over the connection, and writes its artefacts.
int show_answer(const profile_options& o, connection& node, const std::string& path, const result<json>& profile) {
  if (!profile)
    return report(profile.error(), o.common.json);
  const auto written =
      write_listed_artefacts(o.artefacts, *profile, [&](const std::string& digest) -> result<std::string> {
        const auto artefact = node.get(path + "/artefacts/" + digest);
        return artefact ? artefact_content(*artefact) : tl::unexpected(artefact.error());
      });
  return written ? show(o, *profile) : report(written.error(), o.common.json);
}

int run(const profile_options& o, profile_order order) {
  auto node = connection::open(o.where, true);
  if (!node)
    return report(node.error(), o.common.json);
  auto named = campaign_or_only(**node, o.id);
  if (!named)
    return report(named.error(), o.common.json);
  const auto campaign = (*node)->get("/v1/campaigns/" + percent_encoded(*named));
  if (!campaign)
    return report(campaign.error(), o.common.json);
  const auto id = text_at(*campaign, "id");
  order.campaign = parse_id(id);
  const auto path = "/v1/campaigns/" + id + "/candidates/" + std::to_string(order.index) + "/profile";
  if (o.stored) {
    const auto profile = (*node)->get(path);
    if (profile && profile->at("passes").empty())
      return report({errc::not_found, "candidate " + std::to_string(order.index)
                                          + " has no profile yet: leave out --stored to make one"},
                    o.common.json);
    return show_answer(o, **node, path, profile);
  }
  if ((*node)->offline()) {
    node->reset(); // its share of the directory's lock
    return run_here(o, order);
  }
  if (o.plan)
    return report({errc::unsupported, "--plan needs a directory that no node has"}, o.common.json);
  (*node)->allow(answer_limit);
  json body{{"budget_s", order.budget_s}};
  if (!order.shape.empty())
    body["shape"] = order.shape;
  if (!order.only.empty())
    body["passes"] = order.only;
  if (order.again)
    body["again"] = "yes";
  return show_answer(o, **node, path, (*node)->post(path, body));
}

int profile(profile_options o) {
  if (o.index.empty()) // one word alone is the candidate's index in the only campaign
    std::swap(o.id, o.index);
  const auto of_file = o.id.ends_with(".toml");
  if (of_file && o.stored)
    return report({errc::unsupported, "--stored: the profile of a file is not stored"}, o.common.json);
  const auto is_index =
      !o.index.empty() && o.index.find_first_not_of("0123456789") == std::string::npos && o.index.size() <= 18;
  if (!of_file && !is_index)
    return report(
        {errc::bad_input, "profile wants a candidate's index in the tree, a whole number; 0 is the reference"},
        o.common.json);
  const auto budget = duration_in_seconds(o.budget);
  if (!budget)
    return report({errc::bad_input, "--budget: '" + printable(o.budget) + "' is no time, such as 2s or 1m"},
                  o.common.json);
  profile_order order;
  order.index = of_file ? 0 : std::stoull(o.index);
  order.budget_s = *budget;
  order.shape = o.shape;
  order.only = o.passes;
  order.again = o.again;
  return of_file ? run_on_file(o, order) : run(o, std::move(order));
}

} // namespace

void add_profile(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<profile_options>();
  auto* verb = app.add_subcommand("profile", "Why a candidate is slow: profilers, and the diagnosis they lead to");
  verb->footer("Example: kevolve profile 1a2b 17 --budget 5s --trace call.json\n"
               "         kevolve profile row.task.toml row.cu --target cuda\n"
               "The profile is stored with the candidate. Its figures reach no verdict and no speed-up.");
  verb->add_option("ID", o->id,
                   "the campaign's id, or at least 4 of its first digits (default: the only one); or a task's file");
  verb->add_option(
      "INDEX", o->index,
      "the candidate's index in the tree; 0 is the reference. One word alone is INDEX. After a task's file: "
      "a candidate's file, which is compiled and not judged");
  verb->add_option("--target", o->target, "the hardware of a candidate's file")->capture_default_str();
  verb->add_option("--flags", o->flags, "an entry of the target's flag menu, for a candidate's file");
  verb->add_option("--budget", o->budget, "time for passes that use a compiler, the core or the device (default: 2s)");
  verb->add_option("--pass", o->passes, "only this pass, and those that it reads from; may be repeated")
      ->allow_extra_args(false);
  verb->add_option("--shape", o->shape, "a declared shape (default: the one with the longest call)");
  verb->add_option("--trace", o->trace, "write Chrome trace events of one call to this file");
  verb->add_option("--artefacts", o->artefacts,
                   "write what the passes made to this folder, a file each, named by its kind");
  verb->add_flag("--again", o->again, "reuse no stored result");
  verb->add_flag("--plan", o->plan, "only show which passes would run, and which not and why");
  verb->add_flag("--stored", o->stored, "only show the stored profile; run nothing");
  add_weak_sandbox(*verb, o->weak_sandbox);
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->callback([o, &chosen] { chosen = [o] { return profile(*o); }; });
}

} // namespace kevolve
