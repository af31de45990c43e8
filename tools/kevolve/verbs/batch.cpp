// kevolve batch: a campaign's evaluations as a file, for a machine that no node reaches.
#include "backends/target.hpp"
#include "runtime/node/admin/batch_json.hpp"
#include "runtime/node/batch/batch_outlook.hpp"
#include "runtime/node/rejudge.hpp"
#include "store/store.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/kevolve/client/batch_work.hpp"
#include "tools/kevolve/client/only_campaign.hpp"
#include "tools/kevolve/node_call.hpp"
#include "tools/kevolve/output/campaign_text.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <functional>
#include <memory>

namespace kevolve {

namespace {

constexpr auto file_limit = std::chrono::minutes{10};

struct batch_options {
  common_options common;
  node_address where;
  std::string id;
  std::string file;
  std::string by;
  bool again = false;
  bool all = false;
};
using batch_options_ptr = std::shared_ptr<batch_options>;

std::string absolute_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

std::string asks(const batch_options& o) {
  return o.by.empty() ? caller_name() : o.by;
}

// Through the node that has the directory, or in the directory when none has.
result<json> through(const batch_options& o, const std::function<result<json>(connection&)>& node,
                     const std::function<result<json>(store&)>& directory) {
  auto link = connection::open(o.where, false);
  if (link) {
    (*link)->allow(file_limit);
    auto answer = node(**link);
    // A node that was killed leaves its announcement behind.
    if (answer || answer.error().code != errc::unavailable || !o.where.url.empty())
      return answer;
  } else if (link.error().code != errc::unavailable || !o.where.url.empty())
    return tl::unexpected(link.error());
  store_options options;
  options.create = false;
  auto data = store::open(o.where.data, options);
  return data ? directory(**data) : tl::unexpected(data.error());
}

result<id128> meant(const store& data, const std::string& said) {
  if (!said.empty())
    return find_campaign(data, said);
  auto all = data.scan(table::index, "campaign/", 2);
  if (!all)
    return tl::unexpected(all.error());
  if (all->size() != 1)
    return fail(errc::bad_input, "name the campaign that is meant: kevolve list");
  return id_of(std::string_view{all->front().first}.substr(std::string_view{"campaign/"}.size()));
}

result<json> export_here(store& data, const batch_options& o, const std::string& path) {
  auto id = meant(data, o.id);
  if (!id)
    return tl::unexpected(id.error());
  auto marked = mark_away(data, *id, asks(o));
  auto bundle = take_batch(data, *id); // away since before: the file once more
  const bool may = marked || (o.again && bundle);
  if (!may)
    return tl::unexpected(marked.error());
  const auto free = bundle ? may_write(path, *bundle, o.again && !marked) : result<void>{};
  auto bytes = !bundle ? tl::unexpected(bundle.error())
               : !free ? tl::unexpected(free.error())
                       : write_batch(path, *bundle);
  if (bytes)
    return export_json(*bundle, path, *bytes);
  if (marked)
    cancel_away(data, *id, asks(o));
  return tl::unexpected(bytes.error());
}

void print_export(const json& x, const std::string& where) {
  const auto file = text_at(x, "file");
  print_out(fmt::format(
      "{}: {} and {} in {}, {}\n  there: kevolve batch work {}\n  here, then: kevolve batch import {}.done{}\n",
      text_at(x, "name"), human_number(x["candidates"].get<size_t>(), "candidate"),
      human_number(x["events"].get<size_t>(), "event"), file, human_bytes(number_at(x, "bytes")),
      std::filesystem::path{file}.filename().string(), file, where));
}

int export_file(const batch_options& o) {
  const auto path = absolute_path(o.file);
  auto done = through(
      o,
      [&](connection& node) -> result<json> {
        auto id = campaign_or_only(node, o.id);
        if (!id)
          return tl::unexpected(id.error());
        return node.post("/v1/campaigns/" + percent_encoded(*id) + "/batch/export",
                         {{"out", path}, {"again", o.again ? "yes" : "no"}, {"by", asks(o)}});
      },
      [&](store& data) { return export_here(data, o, path); });
  const auto& w = o.where;
  const auto where = !w.url.empty() ? " --url " + w.url + (w.token_file.empty() ? "" : " --token-file " + w.token_file)
                     : w.data != node_address{}.data ? " --data " + w.data
                                                     : "";
  return tell(o.common, done, [&](const json& x) { print_export(x, where); });
}

// Returns every campaign of the node, or of the directory: id and name.
result<json> all_campaigns(const batch_options& o) {
  return through(
      o, [](connection& node) { return node.get("/v1/campaigns?limit=1000"); },
      [](store& data) -> result<json> {
        auto rows = data.scan(table::index, "campaign/", 1000);
        if (!rows)
          return tl::unexpected(rows.error());
        json out{{"items", json::array()}};
        for (const auto& [key, value] : *rows)
          out["items"].push_back({{"id", to_string(id_of(std::string_view{key}.substr(9)))}});
        return out;
      });
}

void print_all(const json& x) {
  std::vector<std::vector<std::string>> rows{{"CAMPAIGN", "CANDIDATES", "EXPECTED", "FILE"}};
  for (const auto& b : x["batches"])
    rows.push_back({text_at(b, "name"), std::to_string(b["candidates"].get<uint64_t>()),
                    b["seconds"].is_number() ? fmt::format("{:.0f} s", b["seconds"].get<double>()) : "unknown",
                    text_at(b, "file")});
  print_out(rows.size() > 1 ? table_text(rows) + "  there: kevolve batch work " + text_at(x, "folder") + "\n"
                            : "no campaign waits for a batch\n");
}

// Writes one file for each campaign that waits, in a folder. A campaign that does not wait is left out.
int export_all(const batch_options& o) {
  const auto folder = absolute_path(o.file);
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);
  auto campaigns = all_campaigns(o);
  if (!campaigns)
    return report(campaigns.error(), o.common.json);
  json written = json::array();
  std::vector<batch_outlook> outlooks;
  for (const auto& c : (*campaigns)["items"]) {
    const auto id = text_at(c, "id");
    const auto path = folder + "/" + id.substr(0, 16) + ".batch";
    auto done = through(
        o,
        [&](connection& node) {
          return node.post("/v1/campaigns/" + percent_encoded(id) + "/batch/export",
                           {{"out", path}, {"again", o.again ? "yes" : "no"}, {"by", asks(o)}});
        },
        [&](store& data) {
          auto one = o;
          one.id = id;
          return export_here(data, one, path);
        });
    if (!done && done.error().code == errc::conflict)
      continue;
    auto batch = done ? read_batch(path) : tl::unexpected(done.error());
    if (!batch)
      return report(batch.error(), o.common.json);
    outlooks.push_back(outlook_of(*batch));
    const bool predicted = runs_on_device(batch->target) && outlooks.back().seconds > 0.0;
    written.push_back({{"name", batch->name},
                       {"campaign", id},
                       {"candidates", batch->candidates},
                       {"seconds", predicted ? json(outlooks.back().seconds) : json(nullptr)},
                       {"file", path}});
  }
  json ordered = json::array();
  for (const auto i : order_by_gain(outlooks))
    ordered.push_back(written[i]);
  return tell(o.common, result<json>{json{{"folder", folder}, {"batches", std::move(ordered)}}}, print_all);
}

void print_import(const json& x) {
  if (!x["added"].get<bool>()) {
    print_out(text_at(x, "name") + ": this batch was imported before: nothing is added\n");
    return;
  }
  std::string best;
  if (x["best"].is_object())
    best = fmt::format("; the best is candidate {}: {}", candidate_at(x["best"]),
                       human_speedup(number_at(x["best"], "speedup")));
  const auto left = x["left"].get<uint64_t>();
  print_out(fmt::format("{}: {} judged, {} left{}\n", text_at(x, "name"),
                        human_number(x["candidates"].get<size_t>(), "candidate"), left, best));
  if (left > 0)
    print_out(
        "  the batch is closed with that: what is left goes along with the next kevolve batch export, and a later "
        "file of this one cannot be added\n");
}

int import_file(const batch_options& o) {
  const auto path = absolute_path(o.file);
  auto done = through(
      o, [&](connection& node) { return node.post("/v1/batch/import", {{"file", path}, {"by", asks(o)}}); },
      [&](store& data) -> result<json> {
        auto back = read_batch(path);
        if (!back)
          return tl::unexpected(back.error());
        auto added = import_batch(data, *back, asks(o));
        if (!added)
          return fail(added.error().code, path + ": " + added.error().detail);
        return to_json(*added);
      });
  return tell(o.common, done, print_import);
}

void print_batch(const json& x) {
  auto out = fmt::format("{}  {}  {}\n", text_at(x, "campaign"), text_at(x, "name"), text_at(x, "state"));
  if (auto why = text_at(x, "reason"); !why.empty())
    out += "  reason      " + why + "\n";
  std::vector<std::vector<std::string>> rows{{"  BATCH", "IS", "CANDIDATES", "BY", "SINCE"}};
  for (const auto& b : x["batches"])
    rows.push_back({"  " + text_at(b, "batch").substr(0, 8), text_at(b, "action"),
                    std::to_string(b["candidates"].get<uint64_t>()), text_at(b, "by"), text_at(b, "time")});
  print_out(out + (rows.size() > 1 ? table_text(rows) : "  no batch yet\n"));
}

int batch_status(const batch_options& o) {
  auto node = connection::open(o.where, true);
  if (!node)
    return report(node.error(), o.common.json);
  auto id = campaign_or_only(**node, o.id);
  if (!id)
    return report(id.error(), o.common.json);
  return tell(o.common, (*node)->get("/v1/campaigns/" + percent_encoded(*id) + "/batch"), print_batch);
}

void print_cancelled(const json&) {
  print_out("given up: the campaign goes on without what the batch would have brought\n");
}

int cancel_batch(const batch_options& o) {
  auto done = through(
      o,
      [&](connection& node) -> result<json> {
        auto id = campaign_or_only(node, o.id);
        if (!id)
          return tl::unexpected(id.error());
        return node.post("/v1/campaigns/" + percent_encoded(*id) + "/batch/cancel", {{"by", asks(o)}});
      },
      [&](store& data) -> result<json> {
        auto id = meant(data, o.id);
        auto r = id ? cancel_away(data, *id, asks(o)) : tl::unexpected(id.error());
        return r ? result<json>{to_json(*r)} : tl::unexpected(r.error());
      });
  return tell(o.common, done, print_cancelled);
}

declared_verb* add_batch_verb(declared_verb& batch, const char* name, const char* about, const char* footer,
                              const batch_options_ptr& o, bool campaign) {
  auto* verb = batch.add_subcommand(name, about);
  verb->footer(footer);
  if (campaign)
    verb->add_option("ID", o->id, "the campaign's id, or at least 4 of its first digits (default: the only one)");
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  return verb;
}

void add_by_whom(declared_verb& verb, const batch_options_ptr& o) {
  verb.add_option("--by", o->by, "who asks, kept with the event (default: $USER)");
}

void add_work(declared_verb& batch, verb_action& chosen) {
  auto o = std::make_shared<batch_work_options>();
  auto* work = batch.add_subcommand("work", "Judge what a batch brought, without a daemon; the same command goes on");
  work->footer("Example: kevolve batch work gemm.batch --wall 9m\n"
               "What is judged is written every few seconds, and at the end, however that comes.\n"
               "Exit codes: 0 all is judged, 1 it cannot go on, 7 the time is over, 130 interrupted.");
  work->add_option("FILE", o->file, "what kevolve batch export has written; or a folder of such files")->required();
  work->add_option("--out", o->out, "the file to write (default: FILE.done)");
  work->add_option("--data", o->data, "where to work; kept (default: FILE.work, removed when all is judged)");
  work->add_option("--wall", o->wall, "end after this time by the clock: 90s, 9m, 2h");
  work->add_option("--compilers", o->compilers, "compiling at once (default: one per core that is not timing)")
      ->check(in_range(1, 1024));
  work->add_option("--at-once", o->at_once,
                   "batches of a folder that are judged at a time: the device judges one while another compiles")
      ->check(in_range(1, 64))
      ->capture_default_str();
  work->add_option("--memory-mib", o->target.candidate_memory_mib,
                   "of a candidate beside its arguments, as limits.memory_mib")
      ->check(in_range(1, 1 << 20));
  work->add_option("--disk-reserve-mib", o->disk_reserve_mib,
                   "free space to keep: with less, nothing starts or goes on")
      ->check(in_range(int64_t{0}, int64_t{1'000'000'000}))
      ->capture_default_str();
  add_weak_sandbox(*work, o->target.allow_weak_sandbox);
  add_common(*work, o->common);
  work->callback([o, &chosen] { chosen = [o] { return work_on_batch(*o); }; });
}

} // namespace

void add_batch(declared_verb& app, verb_action& chosen) {
  auto* batch = app.add_subcommand("batch", "Evaluations as a file, for a machine that no node reaches");
  batch->footer("Example: kevolve batch export 1a2b --out gemm.batch\n"
                "[[device]] batch = true, or kevolve run --batch, lets a campaign's evaluations wait for it.");
  batch->require_subcommand(1);
  auto o = std::make_shared<batch_options>();
  auto* out =
      add_batch_verb(*batch, "export", "Write a campaign and what it awaits; it stands still until that is back",
                     "Example: kevolve batch export 1a2b --out gemm.batch\n"
                     "Prompts and replies stay at home. Exit 5: it is exported already, or nothing waits.",
                     o, true);
  out->add_option("--out", o->file, "the file to write; with --all, the folder")->required();
  out->add_flag("--all", o->all, "every campaign that waits, a file each, in the order of expected gain a second");
  out->add_flag("--again", o->again, "the file once more, though it is exported");
  add_by_whom(*out, o);
  out->callback([o, &chosen] { chosen = [o] { return o->all ? export_all(*o) : export_file(*o); }; });
  add_work(*batch, chosen);
  auto* back =
      add_batch_verb(*batch, "import", "Add what was judged to its campaign, all or nothing; it goes on then",
                     "Example: kevolve batch import gemm.batch.done --data kevolve-data\n"
                     "Twice is once. A file that holds a part closes its batch: what is left goes along with the\n"
                     "next export. Exit 5: the campaign is not the one that was exported.",
                     o, false);
  back->add_option("FILE", o->file, "what kevolve batch work has written")->required();
  add_by_whom(*back, o);
  back->callback([o, &chosen] { chosen = [o] { return import_file(*o); }; });
  auto* status = add_batch_verb(*batch, "status", "A campaign's exported batch, and the batches before it",
                                "Example: kevolve batch status 1a2b", o, true);
  status->callback([o, &chosen] { chosen = [o] { return batch_status(*o); }; });
  auto* cancel = add_batch_verb(*batch, "cancel", "Cancel an exported batch; its results are refused then",
                                "Example: kevolve batch cancel 1a2b", o, true);
  add_by_whom(*cancel, o);
  cancel->callback([o, &chosen] { chosen = [o] { return cancel_batch(*o); }; });
}

} // namespace kevolve
