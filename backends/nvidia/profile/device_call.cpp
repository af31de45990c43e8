#include "backends/nvidia/profile/device_call.hpp"

#include "backends/judge/random_stream.hpp"
#include "backends/nvidia/driver.hpp"
#include "backends/nvidia/gpus.hpp"
#include "backends/profile/tool_output.hpp"

#include <unistd.h>

#include <algorithm>

namespace kevolve {

result<cuda_wire::replay> device_call(const pass_request& q, uint32_t limit_ms) {
  const auto code = read_device_code(q);
  if (!code)
    return tl::unexpected(code.error());
  draw_options options;
  options.seed = secret_seed();
  options.static_seed = secret_seed();
  const auto data = draw_call(q.task, q.task.shapes.at(q.shape), options);
  if (!data)
    return tl::unexpected(data.error());
  const auto layout = lay_out(q.task, data->geometries);
  auto plan = resolve_plan(code->plan, q.task, *data);
  if (!plan)
    return fail(errc::bad_input, words_of_plan(plan.error()));
  cuda_wire::replay out;
  out.limit_ms = limit_ms;
  out.modules = code->modules;
  for (const auto& k : code->plan.kernels)
    if (std::find(out.kernels.begin(), out.kernels.end(), k.name) == out.kernels.end())
      out.kernels.push_back(k.name);
  cuda_wire::replay_call call;
  call.plan = std::move(*plan);
  for (const auto& place : layout.places) {
    const auto& a = q.task.arguments[place.argument];
    cuda_wire::replay_argument argument{a.name, place.bytes, {}};
    if (is_read(a))
      argument.content.assign(data->inputs[place.argument].as<char>(), place.bytes);
    call.arguments.push_back(std::move(argument));
  }
  out.calls.push_back(std::move(call));
  return out;
}

std::string runner_of(const pass_request& q) {
  return q.bin_dir + "/kevolve-runner-cuda";
}

availability device_there(const pass_request& q) {
  if (const auto driver = cuda::load_driver(); !driver)
    return {false, "no NVIDIA driver here", "a machine with an NVIDIA GPU and its driver"};
  if (const auto gpus = cuda::list_gpus(); gpus && gpus->all.empty())
    return {false, "no NVIDIA GPU is seen here", "a machine with an NVIDIA GPU; in a container, one that is given it"};
  if (::access(runner_of(q).c_str(), X_OK) != 0)
    return {false, "kevolve-runner-cuda is missing", "build all targets: cmake --build --preset release"};
  return {};
}

result<device_end> run_order(const pass_request& q, const std::string& order, std::vector<std::string> argv) {
  if (auto ok = write_pass_file(q, "order", order); !ok)
    return tl::unexpected(ok.error());
  device_command command;
  command.argv = std::move(argv);
  command.argv.push_back(q.folder + "/order");
  command.directory = q.folder;
  command.limit_ms = milliseconds_left(q);
  return run_on_device(command);
}

uint32_t milliseconds_left(const pass_request& q) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(q.deadline - std::chrono::steady_clock::now());
  return static_cast<uint32_t>(std::clamp<int64_t>(left.count(), 1, 600'000));
}

} // namespace kevolve
