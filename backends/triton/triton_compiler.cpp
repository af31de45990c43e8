#include "backends/triton/triton_compiler.hpp"

#include "backends/amd/launch_limits.hpp"
#include "backends/compile/diagnosis.hpp"
#include "backends/compile/hostile_step.hpp"
#include "backends/launch_plan/plan_check.hpp"
#include "backends/nvidia/cubin.hpp"
#include "backends/triton/triton_flags.hpp"
#include "backends/triton/triton_program.hpp"
#include "runtime/base/fault_kinds.hpp"

#include <algorithm>
#include <filesystem>

namespace kevolve::cuda {

namespace {

namespace fs = std::filesystem;
using steady = std::chrono::steady_clock;

constexpr const char* file_name = "candidate.py";
constexpr uint32_t threads_a_warp = 32;
constexpr uint32_t threads_a_wave = 64; // of AMD's data-centre GPUs
constexpr size_t most_built = 16U << 10U;

bool is_amd(const std::string& architecture) {
  return architecture.starts_with("gfx");
}

// Returns the paths of the interpreter behind a virtual environment, and of its library.
std::vector<std::string> what_it_reads(const triton_place& place) {
  std::vector<std::string> out{place.package};
  const auto prefix = fs::path{place.python}.parent_path().parent_path().string();
  if (prefix != "/usr")
    out.insert(out.end(), {place.python, prefix + "/lib"});
  return out;
}

} // namespace

result<triton_compiler> triton_compiler::make(const nvidia_compiler_options& options, triton_place place) {
  std::error_code ec;
  const auto real = fs::canonical(place.python, ec);
  place.python = ec ? "" : real.string();
  if (place.python.empty())
    place.package.clear();
  auto tool = locked_tool::make(options, what_it_reads(place));
  if (!tool)
    return tl::unexpected(tool.error());
  auto sass = sass_step::make(options, is_amd(options.architecture) ? "" : options.disassembler);
  if (!sass)
    return tl::unexpected(sass.error());
  auto architecture = options.architecture;
  if (!is_amd(architecture))
    std::erase_if(architecture, [](char c) { return c < '0' || c > '9'; });
  return triton_compiler{std::move(*tool), std::move(*sass), std::move(place), std::move(architecture)};
}

compile_outcome triton_compiler::run(const compile_request& request, attention& listener) const {
  compile_outcome out;
  out.job = request.job;
  out.sandbox_level = tool_.level();
  const auto begin = steady::now();
  if (!tool_.too_weak().empty())
    out.trouble = {fault_kind::sandbox_weak, tool_.too_weak(), 0};
  else if (request.kind != compile_kind::object)
    refuse(out, "no syntax tree of triton\n");
  else if (triton_options(request.flags).empty())
    refuse(out, "there is no flag set '" + request.flags + "'\n");
  else if (!available())
    out.trouble = {fault_kind::toolchain_missing,
                   "Triton is missing: python3 -m pip install triton==3.6, for the python3 in PATH", 0};
  else if (request.source.size() > most_source)
    refuse(out, "the source has more than " + std::to_string(most_source) + " bytes\n");
  else
    build(request, listener, out);
  out.log = clean_log(out.log, {tool_.work().path()});
  out.compile_ns = std::chrono::nanoseconds{steady::now() - begin}.count();
  return out;
}

void triton_compiler::build(const compile_request& request, attention& listener, compile_outcome& out) const {
  auto parts = split_triton_candidate(request.source);
  if (!parts)
    return refuse(out, parts.error().detail + "\n");
  const auto plan = parse_triton_plan(parts->plan, request.task);
  if (!plan)
    return refuse(out, plan_errors(plan.error(), file_name, parts->plan_line));

  hostile_step watched{tool_.work().path(), listener};
  const auto passed = tool_.run({place_.python, "-I", "-S", "-B", "-c", std::string{triton_program()}, place_.package,
                                 is_amd(architecture_) ? "hip" : "cuda", architecture_, triton_orders(*plan),
                                 triton_options(request.flags)},
                                file_name, parts->source, request, watched, out);
  if (!watched.clear()) {
    out.result = verdict::none;
    out.trouble = {fault_kind::internal, "processes that a candidate left behind cannot be ended", 0};
    return;
  }
  if (watched.flooded()) {
    out.trouble = {};
    static_cast<void>(tool_.work().empty());
    return refuse(out, "the source fills the disk while it is compiled\n");
  }
  if (!passed)
    return;

  const auto text = tool_.work().read("built", most_built);
  const auto built = read_triton_built(text ? *text : "", plan->kernels.size());
  if (!built)
    return refuse(out, "the compile step left no numbers that a launch could have\n" + out.log);
  if (is_amd(architecture_))
    take_code_objects(*plan, *built, *parts, request.task, out);
  else
    take_cubins(*plan, *built, *parts, request.task, listener, out);
}

void triton_compiler::take_cubins(const triton_plan& plan, const std::vector<triton_built>& built,
                                  const candidate_text& parts, const contract& task, attention& listener,
                                  compile_outcome& out) const {
  device_package package;
  cubin_facts all;
  for (size_t i = 0; i < built.size(); ++i) {
    auto cubin = tool_.work().read("module." + std::to_string(i), most_artifact);
    auto facts = cubin ? read_cubin(*cubin) : result<cubin_facts>{tl::unexpected(cubin.error())};
    if (!facts)
      return refuse(out, facts.error().detail + "\n" + out.log);
    if (auto why = refuse_cubin(*facts))
      return refuse(out, *why + "\n" + out.log);
    if (auto twice = add_facts(all, std::move(*facts)))
      return refuse(out, "two modules have a kernel '" + *twice + "'\n" + out.log);
    package.modules.push_back(std::move(*cubin));
  }
  package.plan = completed_plan(parts.plan, plan, built, threads_a_warp);
  const auto whole = parse_plan(package.plan, task);
  if (!whole)
    return refuse(out, plan_errors(whole.error(), file_name, parts.plan_line));
  if (auto wrong = plan_misfits(*whole, task, published_limits(all.capability), kernels_of(all)); !wrong.empty())
    return refuse(out, plan_errors(in_their_lines(std::move(wrong), parts.plan), file_name, parts.plan_line));
  out.evidence = sass_.evidence(package.modules, all, task, listener);
  out.artifact = pack(package);
  out.result = verdict::pass;
}

// No runner exists for these code objects, so their static figures are the whole result.
void triton_compiler::take_code_objects(const triton_plan& plan, const std::vector<triton_built>& built,
                                        const candidate_text& parts, const contract& task, compile_outcome& out) const {
  device_package package;
  std::string figures;
  std::vector<hip::code_kernel> all;
  for (size_t i = 0; i < built.size(); ++i) {
    auto object = tool_.work().read("module." + std::to_string(i), most_artifact);
    const auto listing = tool_.work().read("assembly." + std::to_string(i), most_artifact);
    const auto kernels =
        object ? hip::read_code_object(*object) : result<std::vector<hip::code_kernel>>{tl::unexpected(object.error())};
    if (!kernels)
      return refuse(out, kernels.error().detail + "\n" + out.log);
    for (const auto& k : *kernels)
      figures += hip::figures_of(k, built[i].warps, built[i].shared, architecture_, listing ? *listing : "");
    all.insert(all.end(), kernels->begin(), kernels->end());
    package.modules.push_back(std::move(*object));
  }
  package.plan = completed_plan(parts.plan, plan, built, threads_a_wave);
  const auto whole = parse_plan(package.plan, task);
  if (!whole)
    return refuse(out, plan_errors(whole.error(), file_name, parts.plan_line));
  auto facts = hip::facts_of(all);
  for (auto& [name, about] : facts)
    about.parameters_known = false; // Triton's own parameters follow the plan's
  if (auto wrong = plan_misfits(*whole, task, hip::limits_of(architecture_), facts); !wrong.empty())
    return refuse(out, plan_errors(in_their_lines(std::move(wrong), parts.plan), file_name, parts.plan_line) + figures);
  out.log = figures + out.log;
  out.artifact = pack(package);
  out.result = verdict::pass;
}

} // namespace kevolve::cuda
