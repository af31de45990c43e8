// kevolve dispatch: the fastest kernel of a campaign's tree by the sizes, the reference elsewhere, in one C file.
#include "backends/target.hpp"
#include "runtime/base/log.hpp"
#include "tools/kevolve/campaign_text.hpp"
#include "tools/kevolve/connection.hpp"
#include "tools/kevolve/dispatch_judging.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/load.hpp"
#include "tools/kevolve/new_file.hpp"
#include "tools/kevolve/only_campaign.hpp"
#include "tools/kevolve/programs.hpp"
#include "tools/kevolve/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

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
  std::string flags;
  size_t kernels = usual_kernels;
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
  auto hardware = make_target("cpu", program_directory());
  if (!hardware)
    return tl::unexpected(hardware.error());
  std::vector<std::string> names;
  for (const auto& f : (*hardware)->flag_menu())
    names.push_back(f.name);
  if (std::find(names.begin(), names.end(), flags) == names.end())
    return fail(errc::bad_input, "--flags " + printable(flags) + ": no such flag set" + suggestion(flags, names));
  return {};
}

std::string name_of(const judged_kernels& k, const dispatch::choice& c) {
  return c ? "node " + std::to_string(k.kernels[*c].node) : "reference";
}

json node_or_null(const judged_kernels& k, const dispatch::choice& c) {
  return c ? json(k.kernels[*c].node) : json(nullptr);
}

json interval_or_null(double low, double high) {
  return high > 0 ? json{low, high} : json(nullptr);
}

struct dispatch_result {
  std::string campaign;
  std::string flags;
  judged_kernels kernels;
  dispatch::proof proof;
  std::string out; // where it was written; empty: nowhere
};

json document_of(const dispatch_result& r, const contract& task) {
  auto kernels = json::array();
  for (auto k : dispatch::kernels_in(r.proof.where))
    kernels.push_back({{"node", r.kernels.kernels[k].node}, {"summary", r.kernels.kernels[k].summary}});
  auto refused = json::array();
  for (const auto& x : r.kernels.refused)
    refused.push_back({{"node", x.node}, {"reason", x.why}});
  auto alone = json::array();
  for (size_t k = 0; k < r.kernels.kernels.size(); ++k) {
    auto figures = json::array();
    for (const auto& f : r.kernels.figures[k])
      figures.push_back({{"speedup", dispatch::is_timed(f) ? json(f.speedup) : json(nullptr)},
                         {"ci95", interval_or_null(f.low, f.high)}});
    alone.push_back({{"node", r.kernels.kernels[k].node}, {"shapes", std::move(figures)}});
  }
  auto rows = json::array();
  for (const auto& x : dispatch::rows_of(r.proof.where))
    rows.push_back({{"when", x.when}, {"node", node_or_null(r.kernels, x.kernel)}});
  auto shapes = json::array();
  for (size_t s = 0; s < task.shapes.size(); ++s) {
    const auto& f = r.proof.judged.by_shape[s];
    shapes.push_back({{"shape", task.shapes[s].name},
                      {"held_out", task.shapes[s].held_out},
                      {"node", node_or_null(r.kernels, dispatch::kernel_at(r.proof.where, task.shapes[s].sizes))},
                      {"speedup", dispatch::is_timed(f) ? json(f.speedup) : json(nullptr)},
                      {"ci95", interval_or_null(f.low, f.high)},
                      {"slower", dispatch::is_slower(f)}});
  }
  const auto& j = r.proof.judged;
  return {{"campaign", r.campaign},
          {"task", task.name},
          {"flags", r.flags},
          {"holds", r.proof.holds()},
          {"detail", j.why},
          {"speedup", j.passes ? json(j.speedup) : json(nullptr)},
          {"ci95", j.passes ? interval_or_null(j.ci_low, j.ci_high) : json(nullptr)},
          {"disturbed", or_null(j.disturbed)},
          {"rounds", r.proof.rounds},
          {"kernels", std::move(kernels)},
          {"judged_alone", std::move(alone)},
          {"refused", std::move(refused)},
          {"regions", std::move(rows)},
          {"shapes", std::move(shapes)},
          {"out", or_null(r.out)},
          {"source", r.proof.source}};
}

std::string text_of(const dispatch_result& r, const contract& task) {
  const auto used = dispatch::kernels_in(r.proof.where).size();
  auto out = fmt::format("{}: {} and the reference, flag set {}\n\n", printable(task.name),
                         human_number(used, "kernel"), printable(r.flags));
  std::vector<std::vector<std::string>> regions{{"SIZES", "RUNS"}};
  for (const auto& x : dispatch::rows_of(r.proof.where))
    regions.push_back({x.when, name_of(r.kernels, x.kernel)});
  out += table_text(regions) + "\n";
  for (const auto& x : r.kernels.refused)
    out += fmt::format("node {} takes no part: {}\n", x.node, printable(x.why));
  const auto& j = r.proof.judged;
  if (!j.passes)
    return out + "the dispatcher is refused by the judge: " + printable(j.why) + "\n";
  std::vector<std::vector<std::string>> shapes{{"SHAPE", "USE", "RUNS", "SPEEDUP", "95 % INTERVAL"}};
  size_t untimed = 0;
  for (size_t s = 0; s < task.shapes.size(); ++s) {
    const auto& f = j.by_shape[s];
    untimed += dispatch::is_timed(f) ? 0U : 1U;
    shapes.push_back({printable(task.shapes[s].name), task.shapes[s].held_out ? "held out" : "declared",
                      name_of(r.kernels, dispatch::kernel_at(r.proof.where, task.shapes[s].sizes)),
                      dispatch::is_timed(f) ? human_speedup(f.speedup) : "-",
                      dispatch::is_timed(f)
                          ? fmt::format("{:.3f} to {:.3f}{}", f.low, f.high, dispatch::is_slower(f) ? "  slower" : "")
                          : "not timed"});
  }
  out += table_text(shapes);
  out += fmt::format("\nspeedup {}, 95 % interval {:.3f} to {:.3f}; judged in {}\n", human_speedup(j.speedup), j.ci_low,
                     j.ci_high, human_number(r.proof.rounds, "round"));
  if (!j.disturbed.empty())
    out += disturbed_text(j.disturbed);
  out += r.proof.slower.empty()
             ? fmt::format("by the judge, none of the {} timed is slower than the reference\n",
                           human_number(task.shapes.size() - untimed, "shape"))
             : human_number(r.proof.slower.size(), "shape") + " slower than the reference by the judge: not written\n";
  return out + (r.out.empty() ? "" : printable(r.out) + " is written\n");
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
  if (auto begun = judge.begin(); !begun)
    return tl::unexpected(begun.error());
  auto kernels = judge_kernels(judge, worth_judging(m, o.kernels));
  if (!kernels)
    return tl::unexpected(kernels.error());
  out.kernels = std::move(*kernels);
  if (out.kernels.kernels.empty())
    return fail(errc::not_found, fmt::format("nothing to dispatch: node {}: {}", out.kernels.refused.front().node,
                                             out.kernels.refused.front().why));
  auto proof = prove_dispatcher(judge, *reference, out.kernels);
  if (!proof)
    return tl::unexpected(proof.error());
  out.proof = std::move(*proof);
  return out;
}

int run(const dispatch_options& o) {
  if (auto free = free_file(o.out); !free)
    return report(free.error(), o.common.json);
  if (!o.flags.empty())
    if (auto known = known_flags(o.flags); !known)
      return report(known.error(), o.common.json);
  const stop_signal stop; // before the first thread
  auto material = [&]() -> result<dispatch_material> {
    auto node = connection::open(o.where, true);
    if (!node)
      return tl::unexpected(node.error());
    return campaign_or_only(**node, o.id).and_then([&](const std::string& id) {
      return read_dispatch_material(**node, id);
    });
  }();
  if (!material)
    return report(material.error(), o.common.json);
  auto flags = o.flags;
  for (const auto& k : material->kernels)
    if (flags.empty() && k.node == material->best)
      flags = k.flags;
  if (o.common.quiet) // what the task's admission has to note is no news
    log::configure({log::level::error, false, ""});
  dispatch_judge judge{spec_around(material->task, "cpu"), flags, o.weak_sandbox, stop, o.common.quiet};
  auto made = make_dispatcher(o, *material, judge, flags);
  if (!made)
    return report(made.error(), o.common.json);
  if (made->proof.holds() && !o.out.empty()) {
    if (auto written = write_new_file(o.out, made->proof.source); !written)
      return report(written.error(), o.common.json);
    made->out = o.out;
  }
  if (o.common.json)
    print_out(to_text(document_of(*made, judge.task())) + "\n");
  else
    print_out(text_of(*made, judge.task()));
  return made->proof.holds() ? exit_code::ok : exit_code::failed;
}

} // namespace

void add_dispatch(CLI::App& app, action& chosen) {
  auto o = std::make_shared<dispatch_options>();
  auto* verb = app.add_subcommand("dispatch", "The fastest kernels of a campaign by the sizes, in one C file");
  verb->footer("Example: kevolve dispatch 1a2b --out kernel.c\nThe judge is asked anew, on this machine. Outside the "
               "sizes that it times, and where nothing is faster there, the reference runs. Exit 1, and no file: a "
               "shape is slower than the reference all the same.");
  verb->add_option("ID", o->id, "the campaign's id, or at least 4 of its first digits (default: the only one)");
  verb->add_option("--out", o->out, "the C file to write; must be absent (default: none is written)");
  verb->add_option("--kernels", o->kernels, "judge so many kernels of the tree at most")
      ->capture_default_str()
      ->check(CLI::Range(size_t{1}, most_kernels));
  verb->add_option("--flags", o->flags, "build all with this entry of the flag menu (default: the best's)");
  add_weak_sandbox(*verb, o->weak_sandbox);
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

} // namespace kevolve
