#include "backends/hip/hip_compiler.hpp"

#include "backends/amd/launch_limits.hpp"
#include "backends/compile/diagnosis.hpp"
#include "backends/launch_plan/package.hpp"
#include "backends/launch_plan/plan_check.hpp"
#include "runtime/base/fault_kinds.hpp"

#include <chrono>

namespace kevolve::hip {

namespace {

using steady = std::chrono::steady_clock;

constexpr uint64_t wave = 64;
constexpr const char* file_name = "candidate.hip";

// Returns the waves of the largest work-group that the kernel allows.
uint64_t waves_of(const code_kernel& k) {
  return (k.most_threads + wave - 1) / wave;
}

} // namespace

result<hip_compiler> hip_compiler::make(const compiler_options& options) {
  auto tool = cuda::locked_tool::make(options, {});
  if (!tool)
    return tl::unexpected(tool.error());
  return hip_compiler{find_hip_toolchain(), std::move(*tool)};
}

compile_outcome hip_compiler::run(const compile_request& request, attention& listener) const {
  compile_outcome out;
  out.job = request.job;
  out.sandbox_level = tool_.level();
  const auto begin = steady::now();
  if (!tool_.too_weak().empty())
    out.trouble = {fault_kind::sandbox_weak, tool_.too_weak(), 0};
  else if (request.kind != compile_kind::object)
    cuda::refuse(out, "no syntax tree of hip\n");
  else if (request.flags != "default")
    cuda::refuse(out, "HIP C++ has the flag set 'default' alone\n");
  else if (request.source.size() > cuda::most_source)
    cuda::refuse(out, "the source has more than " + std::to_string(cuda::most_source) + " bytes\n");
  else
    build(request, listener, out);
  out.log = clean_log(out.log, {tool_.work().path()});
  out.compile_ns = std::chrono::nanoseconds{steady::now() - begin}.count();
  return out;
}

void hip_compiler::build(const compile_request& request, attention& listener, compile_outcome& out) const {
  const auto parts = split_candidate(request.source);
  if (!parts)
    return cuda::refuse(out, parts.error().detail + "\n");
  const auto plan = parse_plan(parts->plan, request.task);
  const auto about_a_task = !request.task.arguments.empty(); // without a task, only code is wanted
  if (!plan && about_a_task)
    return cuda::refuse(out, plan_errors(plan.error(), file_name, parts->plan_line));
  if (tools_.clang.empty()) {
    out.trouble = {fault_kind::toolchain_missing, tools_.missing + " is missing: apt-get install hipcc", 0};
    return;
  }
  if (!tool_.run(listing_command(tools_), file_name, parts->source, request, listener, out))
    return;
  const auto listing = tool_.work().read("candidate.s", cuda::most_artifact);
  if (!listing) {
    out.trouble = fault_from(listing.error());
    return;
  }
  const auto said = out.log;
  if (!tool_.run(object_command(tools_), "candidate.s", *listing, request, listener, out))
    return;
  auto object = tool_.work().read("candidate.hsaco", cuda::most_artifact);
  const auto kernels =
      object ? read_code_object(*object) : result<std::vector<code_kernel>>{tl::unexpected(object.error())};
  if (!kernels)
    return cuda::refuse(out, kernels.error().detail + "\n" + said);
  if (kernels->empty())
    return cuda::refuse(out, "the source has no kernel\n" + said);
  if (plan && about_a_task)
    if (auto wrong = plan_misfits(*plan, request.task, limits_of(hip_architecture), facts_of(*kernels)); !wrong.empty())
      return cuda::refuse(out, plan_errors(in_their_lines(std::move(wrong), parts->plan), file_name, parts->plan_line)
                                   + said);
  std::string figures;
  for (const auto& k : *kernels)
    figures += figures_of(k, waves_of(k), 0, hip_architecture, listing_of(*listing, k.name));
  out.log = figures + said + out.log;
  out.artifact = pack({{std::move(*object)}, parts->plan});
  out.result = verdict::pass;
}

} // namespace kevolve::hip
