#include "tools/kevolve/bundle/text_parts.hpp"

#include "backends/judge/sequential_test.hpp"
#include "tools/kevolve/bundle/escape.hpp"
#include "tools/kevolve/output/interval_text.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kevolve {

std::string row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const auto& c : cells)
    out += " " + markdown(c) + " |";
  return out + "\n";
}

std::string head(const std::vector<std::string>& cells) {
  auto out = row(cells) + "|";
  for (size_t i = 0; i < cells.size(); ++i)
    out += "---|";
  return out + "\n";
}

interval_basis basis_of(const bundle_shape& s) {
  return s.ci_low > 0 ? interval_basis{coverage_of_median(s.pairs), static_cast<uint32_t>(s.pairs), 1}
                      : interval_basis{};
}

namespace {

bool is_slower(const bundle_shape& s) {
  return s.ci_high > 0.0 && s.ci_high < 1.0;
}

std::string shape_row(const bundle_shape& s, const std::string& use) {
  return row({s.name, use, s.reference_ns > 0 ? human_ns(s.reference_ns) : "-",
              s.kernel_ns > 0 ? human_ns(s.kernel_ns) : "-", s.speedup > 0 ? human_speedup(s.speedup) : "-",
              s.ci_low > 0 ? fmt::format("{:.3f} to {:.3f}{}", s.ci_low, s.ci_high, is_slower(s) ? ", slower" : "")
                           : "not timed",
              coverage_text(basis_of(s)), std::to_string(s.pairs)});
}

} // namespace

std::string shapes_table(const bundle_input& b) {
  auto out = head({"shape", "use", "reference", "kernel", "speedup", "interval", "coverage", "pairs"});
  for (const auto& s : b.shapes)
    out += shape_row(s, s.held_out ? "held out" : "declared");
  for (const auto& s : b.between)
    out += shape_row(s, "between");
  for (const auto& s : b.beyond)
    out += shape_row(s, "beyond");
  return out;
}

std::string shapes_notes(const bundle_input& b) {
  std::string out = "The figures of a shape are of the calls alone, and its interval is of its own pairs, within "
                    "sessions.\n\n";
  const auto slower = std::count_if(b.shapes.begin(), b.shapes.end(), is_slower);
  if (slower > 0 && b.dispatches.empty() && b.kernels.empty())
    out += fmt::format("**On {} of these shapes it is slower than the reference**: `kevolve dispatch` makes a kernel "
                       "of which the reference runs there.\n\n",
                       slower);
  if (std::none_of(b.shapes.begin(), b.shapes.end(), [](const bundle_shape& s) { return s.speedup > 0; }))
    out += "No shape has a time beside the reference's: this kernel was compared with an earlier best only, as one is "
           "until its campaign ends and confirms it.\n\n";
  if (b.call_overhead_ns > 0)
    out += "Of every time in the table, of both, " + human_ns(b.call_overhead_ns)
           + " are the judge's own, waking and freezing the process: without them the ratio of short calls is larger."
             "\n\n";
  return out;
}

std::string regions_text(const bundle_input& b) {
  if (b.regions.empty())
    return "";
  auto out = "## Which sizes run what\n\n" + head({"sizes", "runs"});
  for (const auto& r : b.regions)
    out += row({r.when, r.runs});
  return out
         + "\nBorders lie between sizes that were judged, or before a corner that nobody judged and that is the "
           "reference's; sizes marked *between* are corners of the box around the task's shapes, sizes marked "
           "*beyond* lie outside it. Inside a region nothing else was judged.\n\n"
         + (b.no_regression.empty() ? "" : markdown(b.no_regression) + "\n\n");
}

std::string package_text(const bundle_input& b) {
  if (!b.module)
    return "";
  if (b.package.empty())
    return "There is no Python package in this bundle: " + markdown(b.without_package) + ".\n\n";
  const auto name = b.package;
  const bool on_gpu = !b.kernels.empty();
  const std::string where = on_gpu ? "a GPU of " + b.kernels.front().architecture : "a CPU";
  return "## Use it in PyTorch\n\n```sh\npip install .\n```\n\n```python\nfrom " + name
         + " import ModelNew   # the constructor, parameters and state_dict of " + markdown(b.module->entry)
         + "\n```\n\n`pip install .` needs no network and no compiler, only a Python that has PyTorch; "
           "`pip install --no-build-isolation .` works as well. `torch.ops."
         + name + "." + name
         + "` is the operator. It works under `torch.compile(fullgraph=True)` and `torch.export`, and has gradients: "
           "its "
           "backward computes the reference again.\n\n"
         + (b.dispatches.empty() ? "The kernel runs for the judged shapes below"
                                 : "The kernel runs for all shapes that the task describes")
         + ", on contiguous arrays of the judged types on " + where
         + ", in a module that is set as it was judged. Anything else is computed by the reference"
         + (on_gpu ? ", with one warning of each kind" : "")
         + ": other shapes, types, devices and settings, autocast, and modules with hooks "
           "inside.\n\n```sh\npython -m "
         + name + " bench      # eager and torch.compile beside the kernel, in alternating pairs\npython -m " + name
         + (on_gpu ? " tune       # chooses a kernel for each shape by times on your GPU"
                   : " build      # compiles the kernel for another processor")
         + "\npython -m unittest discover tests   # or pytest\n"
           "```\n\n";
}

std::string origin_text(const bundle_input& b) {
  if (b.dispatches.empty())
    return fmt::format("candidate {}, by generator {}", b.node, markdown_code(b.generator));
  std::string nodes;
  for (auto n : b.dispatches)
    nodes += (nodes.empty() ? "" : ", ") + std::to_string(n);
  return "a choice by the sizes among the reference and node" + std::string{b.dispatches.size() > 1 ? "s " : " "}
         + nodes + ", judged as a whole";
}

std::string edges_text(const contract& task) {
  std::string out;
  for (const auto& a : task.arguments)
    if (!a.edge.empty())
      out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", markdown_code(a.name),
                         markdown(fmt::format("{}", fmt::join(a.edge, ", "))));
  return out.empty() ? out : "; the judge also tried edge values of " + out;
}

} // namespace kevolve
