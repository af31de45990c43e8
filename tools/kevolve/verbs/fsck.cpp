// kevolve fsck: what is damaged in a data directory, and a mended copy of it.
#include "store/fsck.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/node/admin/json.hpp"
#include "runtime/node/references.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace kevolve {

namespace {

struct fsck_verb {
  common_options common;
  std::string directory;
  bool repair = false;
};

struct examination {
  rescue_report store;
  std::vector<dangling_name> dangling; // of a store without damage
};

// Records that are whole may still name others that are gone.
result<void> look_for_dangling(const std::string& directory, examination& x) {
  if (!x.store.report.findings.empty())
    return {};
  store_options options;
  options.read_only = true;
  auto data = store::open(directory, options);
  if (!data)
    return tl::unexpected(data.error());
  auto found = dangling_names(**data);
  if (!found)
    return tl::unexpected(found.error());
  x.dangling = std::move(*found);
  return {};
}

json to_json(const examination& x) {
  const auto& r = x.store;
  auto dangling = json::array();
  for (const auto& d : x.dangling)
    dangling.push_back({{"where", printable(d.where)}, {"names", printable(d.what)}});
  auto findings = json::array();
  for (const auto& f : r.report.findings)
    findings.push_back({{"where", printable(f.where)}, {"what", printable(f.what)}, {"done", or_null(f.done)}});
  return {{"clean", r.report.findings.empty()},
          {"records", r.report.records},
          {"quarantined", r.report.quarantined_before},
          {"findings", std::move(findings)},
          {"dangling", std::move(dangling)},
          {"copy", or_null(r.copy)}};
}

void print(const fsck_verb& o, const examination& x) {
  const auto& r = x.store;
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
  constexpr size_t told = 10;
  for (size_t i = 0; i < std::min(told, x.dangling.size()); ++i)
    out += printable(x.dangling[i].where) + " names " + printable(x.dangling[i].what) + ", which is not there\n";
  if (x.dangling.size() > told)
    out += fmt::format("… and {} more such names (--json has them all)\n", x.dangling.size() - told);
  if (!x.dangling.empty())
    out += "A result that is not there is measured again when its campaign needs it; a text is lost.\n";
  if (r.report.quarantined_before > 0)
    out += fmt::format("{} records lie in quarantine since an earlier repair\n", r.report.quarantined_before);
  print_out(out);
}

result<examination> examine_still(const std::string& directory) {
  auto looked = fsck(directory);
  if (!looked)
    return tl::unexpected(looked.error());
  examination out;
  out.store.report = std::move(*looked);
  auto named = look_for_dangling(directory, out);
  return named ? result<examination>{std::move(out)} : tl::unexpected(named.error());
}

// A node has the directory: it makes a copy, and that is looked at. Damage of the files is copied with them.
result<examination> examine_copy(const fsck_verb& o, const failure& held) {
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
  auto looked = examine_still(copy);
  std::error_code ec;
  std::filesystem::remove_all(copy, ec);
  if (looked)
    for (auto& f : looked->store.report.findings)
      if (auto at = f.where.find(copy); at != std::string::npos)
        f.where.replace(at, copy.size(), o.directory);
  return looked;
}

result<examination> examine_mended(const fsck_verb& o) {
  auto rescued = rescue(o.directory);
  if (!rescued)
    return tl::unexpected(rescued.error());
  examination out;
  out.store = std::move(*rescued);
  auto named = look_for_dangling(o.directory, out);
  return named ? result<examination>{std::move(out)} : tl::unexpected(named.error());
}

int examine(const fsck_verb& o) {
  if (o.directory.empty())
    return report({errc::bad_input, "which data directory? Such as: kevolve fsck kevolve-data"}, o.common.json);
  auto x = o.repair ? examine_mended(o) : examine_still(o.directory);
  if (!o.repair && !x && x.error().code == errc::conflict)
    x = examine_copy(o, x.error());
  if (!x)
    return report(x.error(), o.common.json);
  if (o.common.json)
    print_out(to_text(to_json(*x)) + "\n");
  else
    print(o, *x);
  return x->store.report.findings.empty() ? exit_code::ok : exit_code::failed;
}

} // namespace

void add_fsck(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<fsck_verb>();
  auto* verb = app.add_subcommand("fsck", "Check a data directory for damage; mend a copy of it");
  verb->footer("Example: kevolve fsck kevolve-data --repair\nExit codes: 0 no damage, 1 damaged (also when a copy was "
               "mended), 3 no store there, 5 in use.");
  verb->add_option("DIR,--data", o->directory,
                   "the data directory; of one that a node uses, a copy is made and checked");
  verb->add_flag("--repair", o->repair,
                 "if damaged: copy what can be saved to DIR.rescued; DIR stays as it is, and the exit code 1");
  add_common(*verb, o->common);
  verb->callback([o, &chosen] { chosen = [o] { return examine(*o); }; });
}

} // namespace kevolve
