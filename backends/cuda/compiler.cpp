#include "backends/cuda/compiler.hpp"

#include "backends/compile/diagnosis.hpp"
#include "backends/launch_plan/package.hpp"
#include "backends/launch_plan/plan_check.hpp"
#include "backends/nvidia/cubin.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/ids.hpp"

#include <algorithm>

namespace kevolve::cuda {

namespace {

using steady = std::chrono::steady_clock;

constexpr const char* file_name = "candidate.cu";

} // namespace

result<cuda_compiler> cuda_compiler::make(const nvidia_compiler_options& options) {
  auto tools = find_cuda_toolchain();
  // The compiler may read the toolkit, the system's headers and the host compiler, which preprocesses. It sees no
  // device.
  auto tool = locked_tool::make(options, {tools.root});
  if (!tool)
    return tl::unexpected(tool.error());
  auto sass = sass_step::make(options, options.disassembler);
  if (!sass)
    return tl::unexpected(sass.error());
  return cuda_compiler{std::move(tools), std::move(*tool), std::move(*sass), options.architecture};
}

std::string cuda_compiler::fingerprint() const {
  std::string content = tools_.version + "/" + architecture_;
  for (const auto& e : cuda_menu()) {
    content += "/" + std::string{e.about.name};
    for (const auto& w : e.words)
      content += " " + w;
  }
  return to_string(derive_id("cuda-toolchain", content));
}

std::vector<std::string> cuda_compiler::command(const compile_request& request) const {
  const auto number = architecture_.substr(architecture_.find('_') + 1);
  // Temporary files go to the working folder, the only place that the compiler may write. Line information contains
  // that folder's name, but the same source must give the same bytes: only the build for the replay has it.
  std::vector<std::string> out{
      "/usr/bin/env",    "TMPDIR=.",   "PATH=" + tools_.root + "/bin:/usr/bin:/bin",
      tools_.nvcc,       "-std=c++17", "-gencode=arch=compute_" + number + ",code=sm_" + number,
      "-cubin",          "-Xptxas=-v", "-o",
      "candidate.cubin", file_name};
  for (const auto& e : cuda_menu())
    if (e.about.name == request.flags)
      out.insert(out.begin() + 4, e.words.begin(), e.words.end());
  if (request.role == compile_role::sanitised)
    out.insert(out.begin() + 4, "-lineinfo");
  return out;
}

compile_outcome cuda_compiler::run(const compile_request& request, attention& listener) {
  compile_outcome out;
  out.job = request.job;
  out.sandbox_level = tool_.level();
  const auto begin = steady::now();
  const auto known =
      std::any_of(cuda_menu().begin(), cuda_menu().end(), [&](const auto& e) { return e.about.name == request.flags; });
  if (!tool_.too_weak().empty())
    out.trouble = {fault_kind::sandbox_weak, tool_.too_weak(), 0};
  else if (request.kind != compile_kind::object)
    refuse(out, "no syntax tree of " + request.language + "\n");
  else if (!known)
    refuse(out, "there is no flag set '" + request.flags + "'\n");
  else if (request.source.size() > most_source)
    refuse(out, "the source has more than " + std::to_string(most_source) + " bytes\n");
  else
    build(request, listener, out);
  out.log = clean_log(out.log, {tool_.work().path()});
  out.compile_ns = std::chrono::nanoseconds{steady::now() - begin}.count();
  return out;
}

void cuda_compiler::build(const compile_request& request, attention& listener, compile_outcome& out) {
  auto parts = split_candidate(request.source);
  if (!parts)
    return refuse(out, parts.error().detail + "\n");
  const auto plan = parse_plan(parts->plan, request.task);
  const auto about_a_task = !request.task.arguments.empty(); // without a task, only code is wanted
  if (!plan && about_a_task)
    return refuse(out, plan_errors(plan.error(), file_name, parts->plan_line));
  if (tools_.nvcc.empty()) {
    out.trouble = {fault_kind::toolchain_missing,
                   "nvcc is missing: install the CUDA toolkit, or put its bin folder in PATH", 0};
    return;
  }
  if (!tool_.run(command(request), file_name, parts->source, request, listener, out)) {
    // ptxas usually prints this. It is only a remark, not a fault, since a source can make the compiler print these
    // words.
    if (out.log.find("Unsupported .version") != std::string::npos)
      out.log +=
          "nvcc and its ptxas may be of different versions, if every candidate is refused so: install all parts of "
          "one toolkit (with pip, nvidia-cuda-nvcc, nvidia-nvvm and nvidia-cuda-crt of the same version)\n";
    return;
  }
  auto cubin = tool_.work().read("candidate.cubin", most_artifact);
  if (!cubin) {
    out.trouble = fault_from(cubin.error());
    return;
  }
  const auto facts = read_cubin(*cubin);
  if (!facts)
    return refuse(out, facts.error().detail + "\n" + out.log);
  if (auto why = refuse_cubin(*facts))
    return refuse(out, *why + "\n" + out.log);
  if (plan && about_a_task)
    if (auto wrong = plan_misfits(*plan, request.task, published_limits(facts->capability), kernels_of(*facts));
        !wrong.empty())
      return refuse(out,
                    plan_errors(in_their_lines(std::move(wrong), parts->plan), file_name, parts->plan_line) + out.log);
  if (request.role != compile_role::sanitised)
    out.evidence = sass_.evidence({*cubin}, *facts, request.task, listener);
  out.artifact = pack({{std::move(*cubin)}, std::move(parts->plan)});
  out.result = verdict::pass;
}

} // namespace kevolve::cuda
