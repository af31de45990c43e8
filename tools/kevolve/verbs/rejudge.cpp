// kevolve rejudge: what an older harness has judged, judged again with this one.
#include "runtime/node/rejudge.hpp"
#include "backends/target.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/node/admin/json.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "store/store.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/stop_signal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>

namespace kevolve {

namespace {

constexpr auto one_limit = std::chrono::seconds{1'800};

struct rejudge_options {
  common_options common;
  std::string what;
  std::string data = "kevolve-data";
  bool dry_run = false;
  size_t limit = 0;
  std::vector<std::string> weak_sandbox;
};

// One row per node: as it stood, and what was said of it now.
struct row {
  stale_node old;
  std::optional<rejudgement> now;
  std::string fault;
};

json to_json(const row& r) {
  auto out = json{{"campaign", to_string(r.old.campaign)},
                  {"name", printable(r.old.campaign_name)},
                  {"candidate", r.old.record.index},
                  {"node", r.old.record.index},
                  {"best", r.old.best},
                  {"confirmed", r.old.record.confirmed},
                  {"verdict", to_string(r.old.record.result)},
                  {"speedup", r.old.record.speedup},
                  {"harness", r.old.harness},
                  {"fault", or_null(r.fault)},
                  {"now", nullptr}};
  if (const auto& n = r.now) {
    auto evaluations = json::array();
    for (const auto& e : n->evaluations)
      evaluations.push_back(to_string(e));
    out["now"] = {{"harness", n->harness},
                  {"verdict", n->result == verdict::none ? json(nullptr) : json(to_string(n->result))},
                  {"rule", or_null(n->rule)},
                  {"detail", n->detail},
                  {"speedup", n->speedup},
                  {"holds", n->objection.empty()},
                  {"objection", or_null(n->objection)},
                  {"evaluations", std::move(evaluations)}};
    add_interval(out["now"], *n, n->basis);
  }
  return out;
}

std::string line_of(const row& r) {
  auto what =
      fmt::format("{} candidate {}{}: {} {}, by harness {}", printable(r.old.campaign_name), r.old.record.index,
                  r.old.best               ? " (best)"
                  : r.old.record.confirmed ? " (confirmed)"
                                           : "",
                  to_string(r.old.record.result), human_speedup(r.old.record.speedup), r.old.harness.substr(0, 12));
  if (!r.fault.empty())
    return what + "; not judged: " + printable(r.fault) + "\n";
  if (!r.now)
    return what + "\n";
  if (r.now->objection.empty())
    return what + fmt::format("; holds: {} {}\n", to_string(r.now->result), human_speedup(r.now->speedup));
  return what + "; DOES NOT HOLD: " + printable(r.now->objection) + "\n";
}

int conclude(const rejudge_options& o, const std::vector<row>& rows, size_t stale,
             const std::map<std::string, std::string>& current) {
  auto bad = std::count_if(rows.begin(), rows.end(),
                           [](const row& r) { return !r.fault.empty() || (r.now && !r.now->objection.empty()); });
  auto judged = std::count_if(rows.begin(), rows.end(), [](const row& r) { return r.now.has_value(); });
  if (o.common.json) {
    auto items = json::array();
    for (const auto& r : rows)
      items.push_back(to_json(r));
    print_out(to_text(json{{"harness", current},
                           {"stale", stale},
                           {"judged", judged},
                           {"unsound", bad},
                           {"dry_run", o.dry_run},
                           {"items", std::move(items)}})
              + "\n");
  } else
    print_out(fmt::format("{} candidates were judged by another harness; {} judged again, {} of them do not hold\n",
                          stale, judged, bad));
  return bad == 0 ? exit_code::ok : exit_code::failed;
}

result<std::map<std::string, std::string>> harnesses() {
  std::map<std::string, std::string> out;
  for (const auto& name : targets_here()) {
    auto t = make_target(name, helper_directory());
    if (!t)
      return tl::unexpected(t.error());
    out[name] = (*t)->harness_fingerprint();
  }
  return out;
}

// Lists what would be judged: only looks, beside other readers.
int list(const rejudge_options& o, const std::map<std::string, std::string>& current) {
  store_options look;
  look.create = false;
  look.read_only = true;
  auto data = store::open(o.data, look);
  if (!data)
    return report(data.error(), o.common.json);
  std::optional<id128> only;
  if (o.what != "all") {
    auto id = find_campaign(**data, o.what);
    if (!id)
      return report(id.error(), o.common.json);
    only = *id;
  }
  auto stale = find_stale(**data, only, current);
  if (!stale)
    return report(stale.error(), o.common.json);
  std::vector<row> rows;
  for (auto& s : *stale)
    if (o.limit == 0 || rows.size() < o.limit) {
      rows.push_back({std::move(s), std::nullopt, ""});
      if (!o.common.json)
        print_out(line_of(rows.back()));
    }
  return conclude(o, rows, stale->size(), current);
}

int judge_again(const rejudge_options& o, const std::map<std::string, std::string>& current) {
  stop_signal stop; // before the first thread
  node_options options;
  options.data_dir = o.data;
  options.targets = targets_here();
  options.require_helpers = true;
  options.listen.clear();
  for (const auto& name : options.targets)
    options.decisions[name].allow_weak_sandbox = o.weak_sandbox;
  auto n = node::start(std::move(options));
  if (!n)
    return report(n.error(), o.common.json);
  const auto& data = store_of(**n);
  std::optional<id128> only;
  if (o.what != "all") {
    auto id = find_campaign(data, o.what);
    if (!id)
      return report(id.error(), o.common.json);
    only = *id;
  }
  auto stale = find_stale(data, only, current);
  if (!stale)
    return report(stale.error(), o.common.json);
  std::vector<row> rows;
  for (const auto& s : *stale) {
    if (o.limit != 0 && rows.size() == o.limit)
      break;
    auto waiting = std::async(std::launch::async, [&] { return rejudge(**n, s, one_limit); });
    while (waiting.wait_for(std::chrono::milliseconds{50}) != std::future_status::ready)
      if (stop.seen()) {
        // Finished judgements are stored; an unfinished one ends with this process.
        print_err("kevolve: interrupted; the same command goes on\n");
        std::_Exit(exit_code::interrupted);
      }
    auto now = waiting.get();
    rows.push_back({s, now ? std::optional<rejudgement>{*now} : std::nullopt, now ? "" : to_string(now.error())});
    if (!o.common.json)
      print_out(line_of(rows.back()));
  }
  return conclude(o, rows, stale->size(), current);
}

int run(const rejudge_options& o) {
  auto current = harnesses();
  if (!current)
    return report(current.error(), o.common.json);
  std::error_code ec;
  if (!std::filesystem::is_directory(o.data, ec)) // a node would make it
    return report({errc::not_found, o.data + ": no such directory"}, o.common.json);
  return o.dry_run ? list(o, *current) : judge_again(o, *current);
}

} // namespace

void add_rejudge(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<rejudge_options>();
  auto* verb = app.add_subcommand("rejudge", "Judge again, with this judge, what another one has judged");
  verb->footer("Example: kevolve rejudge all --dry-run\n"
               "The best of a campaign comes first, then what was confirmed, what passed, and the rest.\n"
               "Exit codes: 0 all of it holds, 1 something does not or could not be judged, 3 no such campaign,\n"
               "5 a node has the directory.");
  verb->add_option("CAMPAIGN", o->what, "a campaign's id, the beginning of it, or its name; or all")->required();
  verb->add_option("--data", o->data, "data directory (default: ./kevolve-data)");
  verb->add_flag("--dry-run", o->dry_run, "only list what would be judged again");
  verb->add_option("--limit", o->limit, "at most so many candidates (default: all)");
  add_weak_sandbox(*verb, o->weak_sandbox);
  add_common(*verb, o->common);
  verb->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

} // namespace kevolve
