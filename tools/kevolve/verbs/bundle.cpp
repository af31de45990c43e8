// kevolve bundle: a campaign's winner with all that a stranger needs to build, test and judge it.
#include "tools/kevolve/bundle/bundle_object.hpp"
#include "tools/kevolve/bundle/bundle_reading.hpp"
#include "tools/kevolve/bundle/bundle_writing.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/client/only_campaign.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/core.h>

#include <memory>

namespace kevolve {

namespace {

struct bundle_options {
  common_options common;
  node_address where;
  std::string id;
  std::string out;
  std::string name;
};

int run(const bundle_options& o) {
  if (auto fine = check_package_name(o.name); !fine)
    return report(fine.error(), o.common.json);
  auto place = free_place("--out", o.out);
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
  auto files = bundle_with_package(*b, o.name);
  if (!files)
    return report(files.error(), o.common.json);
  if (auto done = publish("--out", *place, *files); !done)
    return report(done.error(), o.common.json);
  if (o.common.json) {
    auto names = json::array();
    for (const auto& f : *files)
      names.push_back(f.name);
    print_out(to_text(json{{"bundle", *place},
                           {"campaign", b->campaign},
                           {"candidate", b->node},
                           {"node", b->node},
                           {"speedup", b->speedup},
                           {"final", b->final_confirmed},
                           {"package", or_null(b->package)},
                           {"without_package", or_null(b->without_package)},
                           {"files", std::move(names)}})
              + "\n");
  } else if (!o.common.quiet) {
    print_out(
        fmt::format("{}: {}{}, candidate {}, {} files; cmake -B b && cmake --build b && ctest --test-dir b builds and "
                    "tests it there\n",
                    printable(*place), human_speedup(b->speedup),
                    b->final_confirmed ? "" : " by what was measured on the way, the final confirmation was not made",
                    b->node, files->size()));
    if (!b->package.empty())
      print_out("pip install " + printable(*place) + " makes the Python package " + b->package + "\n");
    else if (b->module)
      print_out("no Python package: " + printable(b->without_package) + "\n");
  }
  return exit_code::ok;
}

} // namespace

void add_bundle(CLI::App& app, verb_action& chosen) {
  auto o = std::make_shared<bundle_options>();
  auto* verb = app.add_subcommand("bundle", "The winner as a folder that builds and tests without kevolve");
  verb->footer("Example: kevolve bundle 1a2b --out my-kernel\nThen, there: cmake -B b && cmake --build b && ctest "
               "--test-dir b");
  verb->add_option("ID", o->id, "the campaign's id, or at least 4 of its first digits (default: the only one)");
  verb->add_option("--out", o->out, "the directory to make; must be absent or empty")->required();
  verb->add_option("--name", o->name, "name of the Python package, for a task with a [module] (default: the task's)");
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

} // namespace kevolve
