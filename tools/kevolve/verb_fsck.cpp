// kevolve fsck: what is damaged in a data directory, and a mended copy of it.
#include "runtime/base/ids.hpp"
#include "runtime/node/admin/json.hpp"
#include "store/fsck.hpp"
#include "tools/kevolve/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/core.h>

#include <filesystem>
#include <memory>

namespace kevolve {

namespace {

struct fsck_verb {
  common_options common;
  std::string directory;
  bool repair = false;
};

json to_json(const rescue_report& r) {
  auto findings = json::array();
  for (const auto& f : r.report.findings)
    findings.push_back({{"where", printable(f.where)}, {"what", printable(f.what)}, {"done", or_null(f.done)}});
  return {{"clean", r.report.findings.empty()},
          {"records", r.report.records},
          {"quarantined", r.report.quarantined_before},
          {"findings", std::move(findings)},
          {"copy", or_null(r.copy)}};
}

void print(const fsck_verb& o, const rescue_report& r) {
  std::string out;
  for (const auto& f : r.report.findings)
    out += printable(f.where) + ": " + printable(f.what) + (f.done.empty() ? "" : "; " + printable(f.done)) + "\n";
  auto records = std::to_string(r.report.records) + " records";
  if (r.report.findings.empty())
    out += fmt::format("{}: {} read, no damage\n", o.directory, records);
  else if (r.copy.empty())
    out += fmt::format("{}: damaged; 'kevolve fsck {} --repair' makes a mended copy beside it\n", o.directory,
                       o.directory);
  else
    out += fmt::format("{}: damaged, and left as it is; what can be saved is in {} ({}): use it with --data {}\n",
                       o.directory, r.copy, records, r.copy);
  if (r.report.quarantined_before > 0)
    out += fmt::format("{} records lie in quarantine since an earlier repair\n", r.report.quarantined_before);
  print_out(out);
}

// A node has the directory: it makes a copy, and that is looked at. Damage of the files is copied with them.
result<fsck_report> examine_copy(const fsck_verb& o, const failure& held) {
  node_address where;
  where.data = o.directory;
  auto link = connection::open(where, false);
  if (!link)
    return tl::unexpected(held);
  (*link)->allow(std::chrono::hours{1});
  auto copy = std::filesystem::absolute(o.directory).lexically_normal().string() + "/fsck-" + short_string(random_id());
  auto made = (*link)->post("/v1/backup", json{{"out", copy}, {"purpose", "check"}});
  if (!made)
    return tl::unexpected(made.error());
  auto looked = fsck(copy);
  std::error_code ec;
  std::filesystem::remove_all(copy, ec);
  if (looked)
    for (auto& f : looked->findings)
      if (auto at = f.where.find(copy); at != std::string::npos)
        f.where.replace(at, copy.size(), o.directory);
  return looked;
}

int examine(const fsck_verb& o) {
  rescue_report r;
  if (o.repair) {
    auto rescued = rescue(o.directory);
    if (!rescued)
      return report(rescued.error(), o.common.json);
    r = std::move(*rescued);
  } else {
    auto looked = fsck(o.directory);
    if (!looked && looked.error().code == errc::conflict)
      looked = examine_copy(o, looked.error());
    if (!looked)
      return report(looked.error(), o.common.json);
    r.report = std::move(*looked);
  }
  if (o.common.json)
    print_out(to_text(to_json(r)) + "\n");
  else
    print(o, r);
  return r.report.findings.empty() ? exit_code::ok : exit_code::failed;
}

} // namespace

void add_fsck(CLI::App& app, action& chosen) {
  auto o = std::make_shared<fsck_verb>();
  auto* verb = app.add_subcommand("fsck", "Check a data directory for damage; mend a copy of it");
  verb->footer("Example: kevolve fsck kevolve-data --repair\nExit codes: 0 no damage, 1 damaged (also when a copy was "
               "mended), 3 no store there, 5 in use.");
  verb->add_option("DIR,--data", o->directory,
                   "the data directory; of one that a node uses, a copy is made and checked")
      ->required();
  verb->add_flag("--repair", o->repair,
                 "if damaged: copy what can be saved to DIR.rescued; DIR stays as it is, and the exit code 1");
  add_common(*verb, o->common);
  verb->callback([o, &chosen] { chosen = [o] { return examine(*o); }; });
}

} // namespace kevolve
