// kevolve dispatch: the fastest kernel of a campaign's tree by the sizes, in one C file; the reference where no kernel
// is shown to be as fast.
#include "backends/target.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/program_directory.hpp"
#include "tools/kevolve/bundle/bundle_object.hpp"
#include "tools/kevolve/bundle/bundle_reading.hpp"
#include "tools/kevolve/bundle/bundle_writing.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/client/only_campaign.hpp"
#include "tools/kevolve/dispatch/dispatch_bundle.hpp"
#include "tools/kevolve/dispatch/dispatch_text.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/load.hpp"
#include "tools/kevolve/new_file.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

constexpr size_t usual_kernels = 4;
constexpr size_t most_kernels = 16;

struct dispatch_options {
  common_options common;
  node_address where;
  std::string id;
  std::string out;
  std::string bundle;
  std::string flags;
  size_t kernels = usual_kernels;
  double margin_percent = 3.0;
  std::string outside = "kernel";
  std::vector<std::string> weak_sandbox;
};

result<void> free_file(const std::string& out) {
  std::error_code ec;
  if (out.empty())
    return {};
  const fs::path path = fs::absolute(out, ec);
  if (fs::exists(fs::symlink_status(path, ec)))
    return fail(errc::conflict, "--out: there is a file " + printable(out) + ": name one that is absent");
  if (!fs::is_directory(path.parent_path(), ec))
    return fail(errc::bad_input, "--out: there is no directory " + printable(path.parent_path().string())
                                     + " to write it in: make that first");
  return {};
}

result<void> known_flags(const std::string& flags) {
  auto hardware = make_target("cpu", helper_directory());
  if (!hardware)
    return tl::unexpected(hardware.error());
  std::vector<std::string> names;
  for (const auto& f : (*hardware)->flag_menu())
    names.push_back(f.name);
  if (std::find(names.begin(), names.end(), flags) == names.end())
    return fail(errc::bad_input, "--flags " + printable(flags) + ": no such flag set" + suggestion(flags, names));
  return {};
}

result<dispatch_result> make_dispatcher(const dispatch_options& o, const dispatch_material& m, dispatch_judge& judge,
                                        const std::string& flags) {
  auto reference =
      dispatch::read_part("reference", "what is to be computed", m.task.reference_source, m.task.task.entry);
  if (!reference)
    return fail(errc::unsupported, "the reference: " + reference.error().detail);
  dispatch_result out;
  out.campaign = m.campaign;
  out.flags = flags;
  out.rule = judge.rule();
  if (const auto beside = judge.beside(); beside.judged + beside.probes > 0)
    judge.setup().tell(fmt::format("judging {} between the task's own and {} beyond them, too",
                                   human_number(beside.judged, "shape"), human_number(beside.probes, "shape")));
  if (const auto unseen = judge.beside().unseen.size(); unseen > 0)
    judge.setup().tell(
        fmt::format("{} between the task's own would take more than {:.0f} times what its largest takes: not "
                    "judged, the reference runs there; declare such a shape if it matters",
                    human_number(unseen, "shape"), dispatch::most_beyond));
  const auto policy = dispatch::policy_of(m.task.task, o.outside == "reference");
  if (policy == dispatch::outside_policy::not_defined)
    judge.setup().tell("the task allows its declared sizes alone: nothing is judged at others, and beyond them the "
                       "reference runs, whatever --outside says");
  auto kernels = judge_kernels(judge, worth_judging(m, o.kernels), policy == dispatch::outside_policy::kernel);
  if (!kernels)
    return tl::unexpected(kernels.error());
  out.kernels = std::move(*kernels);
  if (out.kernels.kernels.empty())
    return fail(errc::not_found, fmt::format("nothing to dispatch: candidate {}: {}", out.kernels.refused.front().node,
                                             out.kernels.refused.front().why));
  auto proof = prove_dispatcher(judge, *reference, out.kernels);
  if (!proof)
    return tl::unexpected(proof.error());
  out.proof = std::move(*proof);
  out.own_shapes = dispatch::own_shapes(judge.task(), judge.beside());
  out.probes = judge.beside().probes;
  if (!out.proof.holds())
    return out;
  auto single = compare_with_single(judge, out.proof, out.kernels);
  if (!single)
    return tl::unexpected(single.error());
  out.single = *single;
  const auto& alone = out.kernels.judgements[single->kernel];
  if (single->loses())
    out.kept_because =
        dispatch::why_not_alone(judge.task(), alone.by_shape, alone.why_not_outside, policy, judge.beside());
  return out;
}

// The answers of the campaign's node; the connection to it is closed before anything is judged.
struct told {
  dispatch_material material;
  std::optional<bundle_input> bundle;
};

result<told> ask_node(const dispatch_options& o) {
  auto node = connection::open(o.where, true);
  if (!node)
    return tl::unexpected(node.error());
  auto id = campaign_or_only(**node, o.id);
  if (!id)
    return tl::unexpected(id.error());
  auto material = read_dispatch_material(**node, *id);
  if (!material)
    return tl::unexpected(material.error());
  told out{std::move(*material), {}};
  if (o.bundle.empty())
    return out;
  auto bundle = read_bundle(**node, *id);
  if (!bundle)
    return tl::unexpected(bundle.error());
  if (auto files = bundle_files(*bundle); !files) // known before the judge is asked
    return tl::unexpected(files.error());
  out.bundle = std::move(*bundle);
  return out;
}

result<void> write_all(const dispatch_options& o, std::optional<bundle_input> bundle, dispatch_result& made) {
  if (!o.out.empty()) {
    if (auto written = write_new_file(o.out, made.source()); !written)
      return written;
    made.out = o.out;
  }
  if (!bundle)
    return {};
  auto place = free_place("--bundle", o.bundle);
  if (!place)
    return tl::unexpected(place.error());
  const auto& k = made.kernels;
  const auto alone = made.single.kernel;
  if (auto taken = made.hands_out_single() ? take_kernel(*bundle, k.kernels[alone], k.judgements[alone], made.flags)
                                           : take_dispatcher(*bundle, made.proof, k.kernels, made.flags, made.rule);
      !taken)
    return taken;
  auto files = bundle_with_package(*bundle, {});
  if (!files)
    return tl::unexpected(files.error());
  made.bundle = *place;
  return publish("--bundle", *place, *files);
}

// Returns true for the same path, however it is written.
bool same_place(const std::string& a, const std::string& b) {
  std::error_code ec;
  return fs::weakly_canonical(fs::absolute(a, ec), ec) == fs::weakly_canonical(fs::absolute(b, ec), ec);
}

result<void> check_options(const dispatch_options& o) {
  if (!o.out.empty() && !o.bundle.empty() && same_place(o.out, o.bundle))
    return fail(errc::bad_input, "--out and --bundle name the same place, " + printable(o.out)
                                     + ": the one is a file, the other a directory (whose kernel.c is that file)");
  if (auto free = free_file(o.out); !free)
    return free;
  if (!o.bundle.empty())
    if (auto place = free_place("--bundle", o.bundle); !place)
      return tl::unexpected(place.error());
  return o.flags.empty() ? result<void>{} : known_flags(o.flags);
}

int run(const dispatch_options& o) {
  if (auto fine = check_options(o); !fine)
    return report(fine.error(), o.common.json);
  const stop_signal stop; // before the first thread
  auto asked = ask_node(o);
  if (!asked)
    return report(asked.error(), o.common.json);
  auto flags = o.flags;
  for (const auto& k : asked->material.kernels)
    if (flags.empty() && k.node == asked->material.best)
      flags = k.flags;
  log::configure({log::level::error, false, ""}); // the notes of the task's admission stand among the progress
  const judge_setup setup{flags, o.weak_sandbox, stop, o.common.quiet};
  dispatch_judge judge{spec_around(asked->material.task, "cpu"),
                       setup,
                       {o.margin_percent / 100.0},
                       dispatch::policy_of(asked->material.task.task, o.outside == "reference")
                           == dispatch::outside_policy::kernel};
  auto made = make_dispatcher(o, asked->material, judge, flags);
  if (!made)
    return report(made.error(), o.common.json);
  if (made->proof.holds())
    if (auto written = write_all(o, std::move(asked->bundle), *made); !written)
      return report(written.error(), o.common.json);
  if (o.common.json)
    print_out(to_text(dispatch_json(*made, judge.task())) + "\n");
  else
    print_out(dispatch_text(*made, judge.task()));
  return made->proof.holds() ? exit_code::ok : exit_code::failed;
}

} // namespace

void add_dispatch(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<dispatch_options>();
  auto* verb = app.add_subcommand("dispatch", "The fastest kernels of a campaign by the sizes, in one C file");
  verb->footer(
      "Example: kevolve dispatch 1a2b --out kernel.c --margin 2\nThe judge is asked anew, on this machine. A "
      "kernel runs only where it is shown to be at most the margin slower than the reference; beyond the "
      "task's sizes it is judged at a quarter of the smallest and at twice and four times the largest. If the "
      "fastest kernel alone beats the dispatcher by more than the margin, that kernel is written, unless it is "
      "inferior to the reference at some shape or --outside reference is given. Exit 1, and no file: a shape "
      "is inferior to the reference all the same.\nFor a GPU: kevolve bundle, then python -m NAME tune in its "
      "package.");
  verb->add_option("ID", o->id, "the campaign's id, or at least 4 of its first digits (default: the only one)");
  verb->add_option("--out", o->out, "the C file to write; must be absent (default: none is written)");
  verb->add_option("--bundle", o->bundle,
                   "the directory to make of it, as `kevolve bundle` does of the best; must be absent or empty");
  verb->add_option("--kernels", o->kernels, "judge so many kernels of the tree at most")
      ->capture_default_str()
      ->check(in_range(size_t{1}, most_kernels));
  verb->add_option("--margin", o->margin_percent, "percent that a call may be slower and still count as no regression")
      ->capture_default_str()
      ->check(in_range(0.1, 50.0));
  verb->add_option("--outside", o->outside,
                   "what runs beyond the task's sizes: the fastest kernel measured there, or the reference")
      ->capture_default_str()
      ->check(one_of({"kernel", "reference"}));
  verb->add_option("--flags", o->flags, "build all with this entry of the flag menu (default: the best's)");
  add_weak_sandbox(*verb, o->weak_sandbox);
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

} // namespace kevolve
