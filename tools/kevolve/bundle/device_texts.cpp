#include "tools/kevolve/bundle/device_texts.hpp"

#include "runtime/base/kinds.hpp"
#include "tools/kevolve/bundle/device_package.hpp"
#include "tools/kevolve/bundle/escape.hpp"
#include "tools/kevolve/bundle/text_parts.hpp"
#include "tools/kevolve/output/interval_text.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/format.h>

namespace kevolve {

namespace {

std::string kernel_file(const bundle_input& b) {
  return "kernel" + std::string{find_language(b.language).extension};
}

std::string headline(const bundle_input& b) {
  if (b.campaign.empty())
    return "A kernel from a file. **Nobody has judged it**: this bundle holds no figures, and its tests are all there "
           "is.\n\n";
  std::string out = b.beside_pytorch.empty() ? "" : "Beside PyTorch: **" + markdown(b.beside_pytorch) + "**.\n\n";
  out += fmt::format("A kernel that a search found: **{} as fast as the reference**{}{}.\n\n",
                     markdown(fmt::format("{:.2f} times", b.speedup)),
                     b.ci_low > 0 ? ", " + interval_sentence(b, b.basis) : "",
                     b.final_confirmed ? ", measured directly against eager PyTorch in fresh processes"
                                       : "; by what was measured on the way, the final confirmation was not made");
  if (!b.disturbed.empty())
    out += "The machine was disturbed while this was measured (" + markdown(b.disturbed)
           + "): take it for an estimate.\n\n";
  return out;
}

// Returns each kernel's speed-up at a shape, as far as it is known.
std::string figures_at(const bundle_input& b, size_t shape) {
  std::string out;
  for (const auto& k : b.kernels)
    if (shape < k.speedups.size() && k.speedups[shape] > 0)
      out += fmt::format("{}{}: {:.2f}", out.empty() ? "" : ", ", k.node, k.speedups[shape]);
  return out.empty() ? "not timed" : out;
}

// Returns the table of shapes with the kernel that runs at each.
std::string choices_text(const bundle_input& b) {
  auto out = "## Which kernel runs\n\n" + head({"shape", "use", "runs", "candidates, times as fast as the reference"});
  const auto choices = kernel_choices(b);
  for (size_t i = 0; i < b.task.shapes.size(); ++i) {
    const auto& s = b.task.shapes[i];
    out += row({s.name, s.held_out ? "held out" : "declared",
                choices[i] ? "candidate " + std::to_string(b.kernels[*choices[i]].node) : "the reference",
                figures_at(b, i)});
  }
  return out
         + fmt::format("\nA kernel that was measured below {} times the reference is chosen for no shape. Shapes that "
                       "were not timed get the best kernel; `python -m {} tune` times them on your GPU.\n\n",
                       least_speedup, b.package.empty() ? "NAME" : b.package);
}

} // namespace

std::string device_readme_text(const bundle_input& b) {
  const auto& task = b.task;
  auto out = "# " + markdown(task.name) + (task.summary.empty() ? "" : ": " + markdown(task.summary)) + "\n\n"
             + headline(b) + package_text(b);
  if (b.package.empty() && !b.module)
    out += "There is no Python package in this bundle: " + markdown(b.without_package) + ".\n\n";
  out += choices_text(b);
  if (!b.campaign.empty())
    out += "## What was measured\n\n" + shapes_table(b) + "\n" + shapes_notes(b);
  for (const auto& [what, text] : b.machine)
    out += "- " + markdown(what) + ": " + markdown(text) + "\n";
  if (!b.machine.empty() && !b.same_device)
    out += "- **This is the machine that wrote the bundle, not the one that measured**: their fingerprints differ.\n";
  out +=
      "- flag set " + markdown_code(b.flag_set)
      + "\n- [results.json](results.json) has every figure, the evidence as it was stored, and the fingerprints.\n\n";
  if (!b.campaign.empty())
    out += fmt::format("## How it was found\n\nCampaign {} ({}): {} candidates, {} of them valid; this is {}.\n\n",
                       markdown(b.campaign.substr(0, 8)), markdown(b.state), b.candidates, b.valid, origin_text(b));
  if (!b.summary.empty())
    out += "Its last step: " + markdown(b.summary) + "\n\n";
  out += "## What is promised, and what is not\n\n"
         "- On the judged shapes the kernel gave what the exact result asks for, within the task's tolerance, on many "
         "random inputs. The tests check ordinary ones of the same kinds again"
         + edges_text(task)
         + ".\n- The machine code runs on the architecture above alone; no compiler is used.\n"
           "- Another GPU, driver or shape gives other times.\n- Overlapping arrays were never tried.\n"
           "- The kernel was written by a machine and read by nobody: read it before you rely on it.\n\n";
  return out + "Written by kevolve " + markdown(b.version) + ".\n";
}

std::vector<bundle_file> device_bundle_files(const bundle_input& b) {
  std::vector<bundle_file> out{{kernel_file(b), b.kernel_source},
                               {"reference.py", b.module ? b.module_source : b.reference_source},
                               {"README.md", device_readme_text(b)},
                               {"results.json", to_pretty_text(results_json(b)) + "\n"}};
  if (!b.progress.empty())
    out.push_back({"progress.svg", progress_svg(b)});
  return out;
}

} // namespace kevolve
