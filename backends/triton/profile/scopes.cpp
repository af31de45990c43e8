#include "backends/triton/profile/scopes.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>

namespace kevolve {

namespace {

using nlohmann::json;

constexpr size_t most_kernels = 64;
constexpr size_t most_loops = 256; // of a kernel
constexpr double most_line = 1e6;

// Returns a number of an answer between two bounds; -1 if there is none.
double bounded(const json& of, const char* name, double least, double most) {
  const auto found = of.find(name);
  if (found == of.end() || !found->is_number())
    return -1.0;
  const auto x = found->get<double>();
  return x >= least && x <= most ? x : -1.0;
}

} // namespace

availability proton_there(const cuda::framework_python& python) {
  if (python.path.empty())
    return {false, python.why, "apt-get install python3"};
  const auto row = cuda::examine_triton(python);
  if (python.triton.empty())
    return {false, row.detail, row.remedy};
  const auto profiler = python.triton_path + "/profiler/language.py";
  if (::access(profiler.c_str(), R_OK) != 0)
    return {false, "Triton " + python.triton + " has no Proton that instruments kernels: " + profiler + " is missing",
            "python3 -m pip install triton==" + std::string{cuda::tried_triton}};
  if (python.torch.empty() || python.torch_cuda.empty())
    return {false, "the process that compiles just in time needs PyTorch for CUDA, which this python3 has not",
            "the row 'torch' of kevolve doctor --target triton"};
  return {};
}

std::vector<scoped_buffer> buffers_of(const cuda_wire::replay_call& call) {
  std::vector<scoped_buffer> out;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const auto& a = call.arguments[i];
    out.push_back({a.name, a.bytes, a.content.empty() ? "" : "argument." + std::to_string(i)});
  }
  for (const auto& s : call.plan.scratch)
    out.push_back({s.name, s.bytes, ""});
  return out;
}

result<std::string> scopes_order(const triton_plan& plan, const cuda_wire::replay_call& call) {
  auto launches = json::array();
  for (const auto& launch : call.plan.launches) {
    const auto kernel = std::find_if(plan.kernels.begin(), plan.kernels.end(),
                                     [&](const auto& k) { return k.symbol == launch.kernel; });
    if (kernel == plan.kernels.end())
      return fail(errc::unsupported, "the plan has no kernel '" + launch.kernel + "'");
    auto parameters = json::array();
    // The compiler's own pointers follow the plan's arguments.
    for (size_t i = 0; i < std::min(launch.parameters.size(), kernel->types.size()); ++i) {
      const auto& p = launch.parameters[i];
      if (p.kind == parameter_kind::tensor_map || p.kind == parameter_kind::null_pointer)
        return fail(errc::unsupported, "kernel '" + kernel->name + "' takes an argument that Python cannot pass");
      json parameter{{"bits", p.value}, {"bytes", p.bytes}};
      if (p.kind == parameter_kind::buffer)
        parameter["buffer"] = p.name;
      parameters.push_back(std::move(parameter));
    }
    launches.push_back(
        {{"kernel", kernel - plan.kernels.begin()}, {"grid", launch.grid}, {"parameters", std::move(parameters)}});
  }
  auto buffers = json::array();
  for (const auto& b : buffers_of(call))
    buffers.push_back({{"name", b.name}, {"bytes", b.bytes}, {"file", b.file}});
  return json{
      {"kernels", json::parse(triton_orders(plan))}, {"buffers", std::move(buffers)}, {"launches", std::move(launches)}}
      .dump();
}

result<std::string> loops_of_scopes(const std::string& text, const std::vector<std::string>& kernels) {
  const auto answer = json::parse(text, nullptr, false);
  if (!answer.is_object() || !answer.contains("kernels") || !answer["kernels"].is_array()
      || answer["kernels"].size() > most_kernels)
    return fail(errc::protocol, "the process that compiles just in time gave no cycles");
  auto loops = json::array();
  for (const auto& k : answer["kernels"]) {
    const auto name = k.is_object() && k.contains("kernel") && k["kernel"].is_string() ? k["kernel"].get<std::string>()
                                                                                       : std::string{};
    const auto whole = k.is_object() ? bounded(k, "cycles", 1.0, 1e18) : -1.0;
    if (std::find(kernels.begin(), kernels.end(), name) == kernels.end() || whole < 0.0 || !k.contains("loops")
        || !k["loops"].is_array() || k["loops"].size() > most_loops)
      return fail(errc::protocol, "the cycles of a kernel cannot be read");
    for (const auto& l : k["loops"]) {
      const auto line = l.is_object() ? bounded(l, "line", 1.0, most_line) : -1.0;
      const auto last = line < 0.0 ? -1.0 : bounded(l, "last", line, most_line);
      const auto cycles = last < 0.0 ? -1.0 : bounded(l, "cycles", 0.0, 1e18);
      if (cycles < 0.0)
        return fail(errc::protocol, "the cycles of a loop of '" + name + "' cannot be read");
      loops.push_back({{"line", static_cast<uint32_t>(line)},
                       {"last", static_cast<uint32_t>(last)},
                       {"function", name},
                       {"depth", 1},
                       {"parent", -1},
                       {"cycles", cycles},
                       {"share_of_kernel", std::min(1.0, cycles / whole)}});
    }
  }
  return json{{"instrumented_by", "proton"}, {"loops", std::move(loops)}}.dump();
}

} // namespace kevolve
