// kevolve backup, restore: a copy of a data directory while a node uses it, and a data directory from a copy.
#include "store/backup.hpp"
#include "runtime/node/admin/json.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <memory>

namespace kevolve {

namespace {

constexpr auto copy_limit = std::chrono::hours{1};

struct backup_verb {
  common_options common;
  node_address where;
  std::string out;
};
struct restore_verb {
  common_options common;
  std::string from;
  std::string data = "kevolve-data";
};

json to_json(const backup_report& r) {
  return {{"directory", r.directory}, {"files", r.files}, {"bytes", r.bytes}, {"last_event", r.last_event}};
}

void print(const json& r, const char* what, bool as_json) {
  if (as_json)
    print_out(to_text(r) + "\n");
  else
    print_out(fmt::format("{} {}: {} files, {:.1f} MiB, up to event {}\n", what, r["directory"].get<std::string>(),
                          r["files"].get<uint64_t>(), r["bytes"].get<double>() / (1U << 20U),
                          r["last_event"].get<uint64_t>()));
}

// Through the node that has the directory, or from the directory when none has.
result<json> make(const backup_verb& o) {
  auto out = std::filesystem::absolute(o.out).lexically_normal().string();
  auto link = connection::open(o.where, false);
  if (link) {
    (*link)->allow(copy_limit);
    return (*link)->post("/v1/backup", json{{"out", out}});
  }
  if (link.error().code != errc::unavailable || !o.where.url.empty())
    return tl::unexpected(link.error());
  store_options options;
  options.create = false;
  auto data = store::open(o.where.data, options);
  if (!data)
    return tl::unexpected(data.error());
  auto done = backup(**data, out);
  if (!done)
    return tl::unexpected(done.error());
  return to_json(*done);
}

int run(const backup_verb& o) {
  if (o.out.empty())
    return report({errc::bad_input, "--out: name the directory to make, such as --out /backups/monday"}, o.common.json);
  auto made = make(o);
  if (!made)
    return report(made.error(), o.common.json);
  print(*made, "backed up to", o.common.json);
  return exit_code::ok;
}

int run(const restore_verb& o) {
  auto done = restore(o.from, o.data);
  if (!done)
    return report(done.error(), o.common.json);
  print(to_json(*done), "restored to", o.common.json);
  return exit_code::ok;
}

} // namespace

void add_backup(declared_verb& app, verb_action& chosen) {
  auto b = std::make_shared<backup_verb>();
  auto* verb = app.add_subcommand("backup", "Copy a data directory's store, also while a node uses it");
  verb->footer("Example: kevolve backup --data kevolve-data --out /backups/monday\nThe copy holds the digest of every "
               "file (sha256sum -c backup.sha256); the token is not in it.");
  add_common(*verb, b->common);
  add_address(*verb, b->where);
  verb->add_option("--out", b->out, "the directory to make, outside the data directory; must be absent or empty")
      ->required();
  verb->callback([b, &chosen] { chosen = [b] { return run(*b); }; });

  auto r = std::make_shared<restore_verb>();
  verb = app.add_subcommand("restore", "Make a data directory from a backup, after checking it");
  verb->footer("Example: kevolve restore /backups/monday --data kevolve-data");
  add_common(*verb, r->common);
  verb->add_option("BACKUP", r->from, "what kevolve backup has made")->required();
  verb->add_option("--data", r->data, "the directory to make; must be absent or empty (default: ./kevolve-data)");
  verb->callback([r, &chosen] { chosen = [r] { return run(*r); }; });
}

} // namespace kevolve
