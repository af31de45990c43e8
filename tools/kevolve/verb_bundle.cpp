// kevolve bundle: a campaign's winner with all that a stranger needs to build, test and judge it.
#include "runtime/base/ids.hpp"
#include "tools/kevolve/bundle_reading.hpp"
#include "tools/kevolve/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/new_file.hpp"
#include "tools/kevolve/only_campaign.hpp"
#include "tools/kevolve/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/core.h>

#include <sys/stat.h>

#include <filesystem>
#include <memory>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

struct bundle_options {
  common_options common;
  node_address where;
  std::string id;
  std::string out;
};

// Nothing may stand where the bundle goes, but an empty directory.
result<std::string> free_place(const std::string& out) {
  if (out.empty())
    return fail(errc::bad_input, "--out: name the directory to make, such as --out my-kernel");
  std::error_code ec;
  auto path = fs::absolute(out, ec).lexically_normal();
  if (!path.has_filename())
    path = path.parent_path();
  const auto there = fs::symlink_status(path, ec);
  if (fs::exists(there) && (!fs::is_directory(there) || !fs::is_empty(path, ec) || ec))
    return fail(errc::conflict, "--out: " + printable(path.string())
                                    + (fs::is_directory(there) ? " is not empty" : " is no directory")
                                    + ": name one that is absent or empty");
  if (!fs::is_directory(path.parent_path(), ec))
    return fail(errc::bad_input, "--out: there is no directory " + printable(path.parent_path().string())
                                     + " to make it in: make that first");
  return path.string();
}

// Whole or not at all: written beside its place and renamed.
result<void> publish(const std::string& place, const std::vector<bundle_file>& files) {
  const auto draft = place + ".part-" + short_string(random_id());
  if (::mkdir(draft.c_str(), 0777) != 0)
    return tl::unexpected(from_errno(errno, "--out: making " + draft));
  result<void> done;
  for (const auto& f : files)
    if (done = write_new_file(draft + "/" + f.name, f.text); !done)
      break;
  if (done && ::rename(draft.c_str(), place.c_str()) != 0)
    done =
        errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR
            ? fail(errc::conflict, "--out: " + printable(place) + " was made by somebody else meanwhile: name another")
            : tl::unexpected(from_errno(errno, "--out: making " + place));
  if (!done) {
    std::error_code ec;
    fs::remove_all(draft, ec);
  }
  return done;
}

int run(const bundle_options& o) {
  auto place = free_place(o.out);
  if (!place)
    return report(place.error(), o.common.json);
  auto node = connection::open(o.where, true);
  if (!node)
    return report(node.error(), o.common.json);
  auto id = campaign_or_only(**node, o.id);
  if (!id)
    return report(id.error(), o.common.json);
  auto b = read_bundle(**node, *id);
  if (!b)
    return report(b.error(), o.common.json);
  auto files = bundle_files(*b);
  if (!files)
    return report(files.error(), o.common.json);
  if (auto done = publish(*place, *files); !done)
    return report(done.error(), o.common.json);
  if (o.common.json) {
    auto names = json::array();
    for (const auto& f : *files)
      names.push_back(f.name);
    print_out(to_text(json{{"bundle", *place},
                           {"campaign", b->campaign},
                           {"node", b->node},
                           {"speedup", b->speedup},
                           {"final", b->final_confirmed},
                           {"files", std::move(names)}})
              + "\n");
  } else if (!o.common.quiet)
    print_out(fmt::format("{}: {}, node {}, {} files; cmake -B b && cmake --build b && ctest --test-dir b builds and "
                          "tests it there\n",
                          printable(*place), human_speedup(b->speedup), b->node, files->size()));
  return exit_code::ok;
}

} // namespace

void add_bundle(CLI::App& app, action& chosen) {
  auto o = std::make_shared<bundle_options>();
  auto* verb = app.add_subcommand("bundle", "The winner as a folder that builds and tests without kevolve");
  verb->footer("Example: kevolve bundle 1a2b --out my-kernel\nThen, there: cmake -B b && cmake --build b && ctest "
               "--test-dir b");
  verb->add_option("ID", o->id, "the campaign's id, or at least 4 of its first digits (default: the only one)");
  verb->add_option("--out", o->out, "the directory to make; must be absent or empty")->required();
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

} // namespace kevolve
