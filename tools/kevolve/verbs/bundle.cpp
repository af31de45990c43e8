// kevolve bundle: a campaign's winner with all that a stranger needs to build, test and judge it.
#include "tools/kevolve/bundle/bundle_object.hpp"
#include "tools/kevolve/bundle/bundle_reading.hpp"
#include "tools/kevolve/bundle/bundle_writing.hpp"
#include "tools/kevolve/bundle/device_reading.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/client/only_campaign.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <memory>
#include <vector>

namespace kevolve {

namespace {

struct bundle_options {
  common_options common;
  node_address where;
  std::string id;
  std::string out;
  std::string name;
  std::string recording;
  std::string task;
  std::vector<std::string> candidates;
  std::string target = "cuda";
  size_t kernels = 4;
};

// Returns the input from the place that the options name.
result<bundle_input> read(const bundle_options& o) {
  if (!o.recording.empty())
    return read_recorded_bundle(o.recording);
  if (!o.candidates.empty())
    return unjudged_bundle(o.target, o.task, o.candidates);
  auto node = connection::open(o.where, true);
  if (!node)
    return tl::unexpected(node.error());
  auto id = campaign_or_only(**node, o.id);
  if (!id)
    return tl::unexpected(id.error());
  return read_bundle(**node, *id, o.kernels);
}

// Returns the line that says what was written.
std::string summary_of(const bundle_input& b, const std::string& place, size_t files) {
  if (b.campaign.empty())
    return fmt::format("{}: {} and {} files; nobody has judged them\n", printable(place),
                       human_number(b.kernels.size(), "kernel"), files);
  const auto figure =
      (b.beside_pytorch.empty() ? "" : b.beside_pytorch + "; over the reference ") + human_speedup(b.speedup)
      + (b.final_confirmed ? "" : " by what was measured on the way, the final confirmation was not made");
  if (!b.kernels.empty())
    return fmt::format("{}: {}, candidate {}, {} and {} files\n", printable(place), figure, b.node,
                       human_number(b.kernels.size(), "kernel"), files);
  return fmt::format("{}: {}, candidate {}, {} files; cmake -B b && cmake --build b && ctest --test-dir b builds and "
                     "tests it there\n",
                     printable(place), figure, b.node, files);
}

int run(const bundle_options& o) {
  if (auto fine = check_package_name(o.name); !fine)
    return report(fine.error(), o.common.json);
  auto place = free_place("--out", o.out);
  if (!place)
    return report(place.error(), o.common.json);
  auto b = read(o);
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
                           {"beside_pytorch", b->beside_pytorch.empty() ? json(nullptr) : json(b->beside_pytorch)},
                           {"final", b->final_confirmed},
                           {"package", or_null(b->package)},
                           {"without_package", or_null(b->without_package)},
                           {"files", std::move(names)}})
              + "\n");
  } else if (!o.common.quiet) {
    print_out(summary_of(*b, *place, files->size()));
    if (!b->package.empty())
      print_out("pip install " + printable(*place) + " makes the Python package " + b->package + "\n");
    else if (b->module || !b->kernels.empty())
      print_out("no Python package: " + printable(b->without_package) + "\n");
  }
  return exit_code::ok;
}

} // namespace

void add_bundle(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<bundle_options>();
  auto* verb = app.add_subcommand("bundle", "The winner as a folder that builds and tests without kevolve");
  verb->footer("Example: kevolve bundle 1a2b --out my-kernel\nThen, there: cmake -B b && cmake --build b && ctest "
               "--test-dir b");
  verb->add_option("ID", o->id, "the campaign's id, or at least 4 of its first digits (default: the only one)");
  verb->add_option("--out", o->out, "the directory to make; must be absent or empty")->required();
  verb->add_option("--name", o->name, "name of the Python package, for a task with a [module] (default: the task's)");
  verb->add_option("--kernels", o->kernels, "for GPUs: most kernels among which the package chooses (default: 4)")
      ->check(in_range(1, 64));
  auto* recording = verb->add_option("--recording", o->recording, "a GPU campaign as kevolve record wrote it");
  auto* task = verb->add_option("--task", o->task, "a GPU task's file, for candidates that nobody has judged");
  auto* files = verb->add_option("--candidate", o->candidates, "a file with a candidate for that task, several times");
  verb->add_option("--target", o->target, "of --candidate: cuda or triton (default: cuda)");
  task->needs(files)->excludes(recording);
  files->needs(task)->excludes(recording);
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

} // namespace kevolve
