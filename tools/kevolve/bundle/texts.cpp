// Generates README.md and results.json, and collects all files.
#include "runtime/node/admin/records_json.hpp"
#include "tools/kevolve/bundle/bundle.hpp"
#include "tools/kevolve/bundle/device_texts.hpp"
#include "tools/kevolve/bundle/escape.hpp"
#include "tools/kevolve/bundle/text_parts.hpp"
#include "tools/kevolve/output/interval_text.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kevolve {

namespace {

json number_or_null(double x) {
  return x > 0 ? json(x) : json(nullptr);
}

// `sessions` is the number of sessions that the pairs of all but held-out shapes come from.
json shapes_json(const std::vector<bundle_shape>& shapes, uint32_t sessions) {
  auto out = json::array();
  for (const auto& s : shapes) {
    auto& shape = out.emplace_back(json{{"shape", s.name},
                                        {"held_out", s.held_out},
                                        {"weight", s.weight},
                                        {"reference_ns", number_or_null(s.reference_ns)},
                                        {"kernel_ns", number_or_null(s.kernel_ns)},
                                        {"speedup", number_or_null(s.speedup)}});
    auto basis = basis_of(s);
    if (basis.pairs > 0 && !s.held_out)
      basis.sessions = std::max<uint32_t>(sessions, 1);
    add_interval(shape, s, basis);
    shape["pairs"] = s.pairs;
    shape["includes_session_spread"] = false;
  }
  return out;
}

json words_json(const build_recipe& r) {
  return {{"compiler", r.version},
          {"by", r.by_clang ? "clang" : "gcc"},
          {"flags", r.by_clang ? r.clang_words : r.gcc_words},
          {"libraries", r.libraries}};
}

} // namespace

json results_json(const bundle_input& b) {
  auto progress = json::array();
  for (const auto& s : b.progress)
    progress.push_back({{"candidates", s.candidates}, {"candidate", s.node}, {"node", s.node}, {"speedup", s.speedup}});
  auto regions = json::array();
  for (const auto& r : b.regions)
    regions.push_back({{"when", r.when}, {"runs", r.runs}});
  auto machine = json::object();
  for (const auto& [what, text] : b.machine)
    machine[what] = text;
  json out{{"task", b.task.name},
           {"campaign", b.campaign},
           {"candidate", b.dispatches.empty() ? json(b.node) : json(nullptr)},
           {"node", b.dispatches.empty() ? json(b.node) : json(nullptr)},
           {"dispatches", b.dispatches.empty() ? json(nullptr) : json(b.dispatches)},
           {"verdict", b.verdict},
           {"speedup", b.speedup},
           {"outputs", outputs_json(b.outputs, b.speedup)},
           {"final", b.final_confirmed},
           {"disturbed", or_null(b.disturbed)},
           {"reused_from", b.reused_from},
           {"shapes", shapes_json(b.shapes, b.basis.sessions)},
           {"between", shapes_json(b.between, b.basis.sessions)},
           {"beyond", shapes_json(b.beyond, b.basis.sessions)},
           {"no_regression", or_null(b.no_regression)},
           {"regions", std::move(regions)},
           {"call_overhead_ns", number_or_null(b.call_overhead_ns)},
           {"environment",
            {{"machine", std::move(machine)},
             {"is_the_machine_that_measured", b.same_device},
             {"is_the_toolchain_that_measured", b.same_toolchain},
             {"kernel", words_json(b.kernel_build)},
             {"flag_set", b.flag_set},
             {"reference", words_json(b.reference_build)},
             {"fingerprint", b.fingerprint},
             {"measured_at", or_null(b.measured_at)},
             {"kevolve", b.version}}},
           {"evidence", b.evidence},
           {"progress", std::move(progress)},
           {"candidates", b.candidates},
           {"valid", b.valid}};
  add_interval(out, b, b.basis);
  return out;
}

namespace {

// Returns the section on the task's assertions, on which the kernel may rely; empty if there is none.
std::string preconditions_text(const contract& task) {
  if (task.assertions.empty())
    return {};
  std::string out = "## Preconditions\n\nThe kernel may give wrong results for a call that breaks one of these:\n\n";
  for (const auto& a : task.assertions)
    out += "- " + markdown(describe(a)) + "\n";
  return out + "\n";
}

} // namespace

std::string readme_text(const bundle_input& b) {
  const auto& task = b.task;
  std::string out = "# " + markdown(task.name) + (task.summary.empty() ? "" : ": " + markdown(task.summary)) + "\n\n";
  if (!b.beside_pytorch.empty())
    out += "Beside PyTorch: **" + markdown(b.beside_pytorch) + "**.\n\n";
  out += fmt::format("A kernel that a search found: **{} as fast as the reference**{}{}.\n\n",
                     markdown(fmt::format("{:.2f} times", b.speedup)),
                     b.ci_low > 0 ? ", " + interval_sentence(b, b.basis) : "",
                     b.final_confirmed ? ", measured directly against it in fresh processes"
                                       : "; by what was measured on the way, the final confirmation was not made");
  if (const auto both = outputs_sentence(b.outputs, b.speedup); !both.empty())
    out += both + "\n\n";
  if (!b.disturbed.empty())
    out += "The machine was disturbed while this was measured (" + markdown(b.disturbed)
           + "): take it for an estimate.\n\n";
  if (b.reused_from.is_object())
    out += "Campaign " + b.campaign + " reused these figures; campaign "
           + markdown(b.reused_from.value("campaign", std::string{})) + " measured them.\n\n";
  out += "    " + c_prototype(task) + "\n\n";
  out += "## Build and test\n\n```sh\ncmake -B b && cmake --build b && ctest --test-dir b --output-on-failure\n```\n\n"
         "CMake 3.20 and a C compiler are all it needs";
  for (const auto& l : task.libraries)
    out += ", and the library " + markdown_code(l);
  out +=
      ". `b/libkernel.a` and `kernel.h` are what you use; [BUILD.md](BUILD.md) has the exact compiler and flags.\n\n";
  out += package_text(b) + regions_text(b) + "## What was measured\n\n" + shapes_table(b) + "\n" + shapes_notes(b);
  for (const auto& [what, text] : b.machine)
    out += "- " + markdown(what) + ": " + markdown(text) + "\n";
  if (!b.same_device)
    out += "- **This is the machine that wrote the bundle, not the one that measured**: their fingerprints differ.\n";
  out += "- measured " + (b.measured_at.empty() ? "at a time that is not known" : markdown(b.measured_at))
         + "; flag set " + markdown_code(b.flag_set) + "\n";
  out += "- [results.json](results.json) has every figure, the evidence as it was stored, and the fingerprints.\n\n";
  out += "![Roofline](roofline.svg)\n\n## How it was found\n\n";
  out += fmt::format("Campaign {} ({}): {} candidates, {} of them valid; this is {}.\n\n",
                     markdown(b.campaign.substr(0, 8)), markdown(b.state), b.candidates, b.valid, origin_text(b));
  if (!b.summary.empty())
    out += "Its last step: " + markdown(b.summary) + "\n\n";
  out += head({"after candidates", "node", "best so far"});
  for (const auto& s : b.progress)
    out += row({std::to_string(s.candidates), std::to_string(s.node), human_speedup(s.speedup)});
  out += "\n![Progress](progress.svg)\n\n" + preconditions_text(task) + "## What is promised, and what is not\n\n";
  out += "- On the shapes above, the kernel gave what the exact result asks for, within the tolerance that `kernel.h` "
         "says, on many random inputs. `test_kernel` checks ordinary ones of the same kinds again"
         + edges_text(b.task)
         + ".\n"
           "- The times are ratios of interleaved pairs on the machine above. Another machine, compiler or shape gives "
           "others; the test times nothing.\n"
           "- Overlapping arrays were never tried.\n";
  out += b.checked_on.empty() ? "- Other shapes and values outside the declared ranges were never tried.\n"
                              : "- " + markdown(b.checked_on) + "\n";
  out += "- What it needs beside its arguments may lie on the stack: of kernels by the embedded generator up to three "
         "packed panels of at most 512 KiB each, and rows between two passes.\n"
         "- The kernel was written by a machine and read by nobody: read it before you rely on it.\n\n";
  out += "| file | is |\n|---|---|\n";
  for (const auto& [name, is] : std::vector<std::pair<std::string, std::string>>{
           {source_file("kernel", b.language), "the kernel as it was judged"},
           {"kernel.h", "its declaration"},
           {source_file("reference", task.language), "what it replaces"},
           {source_file("reference_renamed", task.language) + ", " + source_file("oracle_renamed", task.language),
            "the reference and its exact form, for the test"},
           {b.language == b.task.language ? prelude_file(b.language) : prelude_file("c") + ", " + prelude_file("cpp"),
            "what sources are compiled after"},
           {"test_kernel.c", "the test"}})
    out += "| " + markdown_code(name) + " | " + is + " |\n";
  return out + "\nWritten by kevolve " + markdown(b.version) + ".\n";
}

result<std::vector<bundle_file>> bundle_files(const bundle_input& b) {
  if (!b.kernels.empty())
    return device_bundle_files(b);
  auto test = test_source(b);
  if (!test)
    return tl::unexpected(test.error());
  std::vector<bundle_file> out{{source_file("kernel", b.language), b.kernel_source},
                               {source_file("reference", b.task.language), b.reference_source},
                               {source_file("reference_renamed", b.task.language), reference_wrapper(b)},
                               {source_file("oracle_renamed", b.task.language), oracle_wrapper(b)},
                               {"kernel.h", kernel_header(b)},
                               {"CMakeLists.txt", cmake_lists(b)},
                               {"BUILD.md", build_text(b)},
                               {"README.md", readme_text(b)},
                               {"results.json", to_pretty_text(results_json(b)) + "\n"},
                               {"progress.svg", progress_svg(b)},
                               {"roofline.svg", roofline_svg(b)},
                               {"test_kernel.c", std::move(*test)}};
  if (!b.oracle_source.empty())
    out.push_back({source_file("oracle", b.task.language), b.oracle_source});
  out.push_back({prelude_file(b.language), b.kernel_build.prelude});
  if (b.language != b.task.language)
    out.push_back({prelude_file(b.task.language), b.reference_build.prelude});
  return out;
}

} // namespace kevolve
