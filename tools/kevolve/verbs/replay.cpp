// kevolve record, kevolve replay: a campaign as one file, and run again from it.
#include "runtime/base/verdict.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "runtime/node/recording.hpp"
#include "runtime/node/rejudge.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <fstream>
#include <memory>
#include <sstream>

namespace kevolve {

namespace {

struct record_options {
  common_options common;
  std::string data = "kevolve-data";
  std::string campaign;
  std::string file;
};

result<json> record(const record_options& o) {
  store_options look;
  look.create = false;
  look.read_only = true;
  auto data = store::open(o.data, look);
  if (!data) {
    auto why = data.error();
    if (why.code == errc::conflict)
      why.detail += "; to record while a node runs: kevolve backup --data " + o.data
                    + " --out COPY, then record with --data COPY";
    return tl::unexpected(std::move(why));
  }
  auto id = find_campaign(**data, o.campaign);
  if (!id)
    return tl::unexpected(id.error());
  auto r = take_recording(**data, *id);
  if (!r)
    return tl::unexpected(r.error());
  std::ofstream out{o.file, std::ios::binary | std::ios::trunc};
  out << to_json_text(*r);
  out.close();
  if (!out)
    return fail(errc::io, "cannot write " + printable(o.file));
  return json{
      {"campaign", to_string(*id)}, {"events", r->events.size()}, {"exchanges", r->exchanges.size()}, {"file", o.file}};
}

int write_record(const record_options& o) {
  auto done = record(o);
  if (!done)
    return report(done.error(), o.common.json);
  if (o.common.json)
    print_out(to_text(*done) + "\n");
  else if (!o.common.quiet)
    print_out(fmt::format("{}: {} and {} in {}\n", text_at(*done, "campaign"),
                          human_number((*done)["events"].get<size_t>(), "event"),
                          human_number((*done)["exchanges"].get<size_t>(), "exchange"), printable(o.file)));
  return exit_code::ok;
}

int replay_file(const record_options& o) {
  std::ifstream in{o.file, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  if (!in)
    return report({errc::not_found, "cannot read " + printable(o.file)}, o.common.json);
  auto r = parse_recording(text.str());
  if (!r)
    return report({r.error().code, printable(o.file) + ": " + r.error().detail}, o.common.json);
  const auto seen = replay(*r);
  auto candidates = json::array();
  for (const auto& n : seen.candidates)
    candidates.push_back({{"candidate", n.index},
                          {"node", n.index},
                          {"generator", or_null(n.generator)},
                          {"verdict", or_null(n.verdict == to_string(verdict::none) ? "" : n.verdict)},
                          {"rule", or_null(n.rule)},
                          {"speedup", n.speedup},
                          {"best", n.best},
                          {"rounds", n.rounds},
                          {"prompt_tokens", n.prompt_tokens},
                          {"reply_tokens", n.reply_tokens}});
  const auto& end = seen.finish;
  json best;
  if (end.best != 0) {
    best = {{"candidate", end.best}, {"node", end.best}, {"speedup", end.speedup}};
    add_interval(best, end, basis_of(end));
  }
  if (o.common.json)
    print_out(to_text({{"campaign", to_string(r->campaign)},
                       {"name", r->name},
                       {"nodes", seen.nodes},
                       {"choices", seen.choices},
                       {"replies", seen.replies},
                       {"refused", seen.refused},
                       {"tree_hash", to_string(seen.tree_hash)},
                       {"difference", or_null(seen.difference)},
                       {"stop_reason", or_null(to_string(end.stop_reason))},
                       {"best", std::move(best)},
                       {"candidates", std::move(candidates)}})
              + "\n");
  else if (!o.common.quiet)
    print_out(
        fmt::format("{}: {}, {} made again, {} read again, {} of them without a candidate; tree {}: {}\n",
                    printable(r->name), human_number(seen.nodes, "candidate"), human_number(seen.choices, "choice"),
                    human_number(seen.replies, "answer"), seen.refused, short_string(seen.tree_hash),
                    seen.difference.empty() ? "identical" : "not the recorded one: " + printable(seen.difference)));
  return seen.difference.empty() ? exit_code::ok : exit_code::failed;
}

} // namespace

void add_replay(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<record_options>();
  auto* keep = app.add_subcommand("record", "Write a campaign's events, prompts and replies into one file");
  keep->footer("Example: kevolve record 1a2b --data my-data softmax.recording.json\n"
               "Whatever looks like a key is taken out, as are paths and the names of those who answered.");
  keep->add_option("CAMPAIGN", o->campaign, "its id, or its first digits")->required();
  keep->add_option("FILE", o->file, "the file to write")->required();
  keep->add_option("--data", o->data, "data directory, or a backup of one (default: ./kevolve-data)");
  add_common(*keep, o->common);
  keep->callback([o, &chosen] { chosen = [o] { return write_record(*o); }; });

  auto* again = app.add_subcommand("replay", "Run a recorded campaign again, without network, machine and judge");
  again->footer("Example: kevolve replay softmax.recording.json\n"
                "Every choice of the policy is made again and every reply read again. Exit 1: the tree is not the "
                "recorded one.");
  again->add_option("FILE", o->file, "as kevolve record wrote it")->required();
  add_common(*again, o->common);
  again->callback([o, &chosen] { chosen = [o] { return replay_file(*o); }; });
}

} // namespace kevolve
